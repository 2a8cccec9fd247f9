//! The kept parts of a response, for clients that read it.

use thinktime_core::request::header_values;

/// The longest kept part of a body, in bytes; the rest is counted and skipped. Each exchange under
/// way may hold this much.
pub const KEPT_BODY_BYTES_MAX: usize = 1 << 20;

/// The kept parts of responses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Capture {
    /// Nothing: all is counted and skipped.
    #[default]
    Nothing,
    /// Their heads.
    Heads,
    /// Their heads and bodies.
    All,
}

impl Capture {
    /// The buffer for the kept parts of one response, if any.
    pub(crate) fn place(self) -> Option<Box<Excerpt>> {
        (self != Capture::Nothing).then(|| {
            let head_only = self == Capture::Heads;
            Box::new(Excerpt { head_only, ..Excerpt::default() })
        })
    }
}

/// The head and the body of one response.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Excerpt {
    /// The final head: a status line and a line for each field.
    pub head: Vec<u8>,
    /// The body without its framing, up to [`KEPT_BODY_BYTES_MAX`].
    pub body: Vec<u8>,
    /// Whether the body is skipped.
    pub head_only: bool,
    /// Whether the body was longer than its kept part.
    pub cut: bool,
    /// Whether all awaited messages arrived, so that the rest was not awaited.
    pub enough: bool,
}

impl Excerpt {
    /// The values of the fields of this name.
    pub fn fields<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a [u8]> {
        header_values(&self.head, name)
    }

    /// Takes a part of the body.
    pub(crate) fn add_body(&mut self, part: &[u8]) {
        if self.head_only {
            return;
        }
        let room = KEPT_BODY_BYTES_MAX - self.body.len();
        self.cut |= part.len() > room;
        self.body.extend_from_slice(&part[..part.len().min(room)]);
    }
}
