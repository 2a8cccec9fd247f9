//! What is kept of a response, for clients that look into it.

use thinktime_core::request::header_values;

/// The longest part of a body that is kept, in bytes; the rest is counted and skipped. Each
/// exchange on its way may hold so much.
pub const KEPT_BODY_BYTES_MAX: usize = 1 << 20;

/// What is kept of responses.
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
    /// The place for what is kept of one response, if anything is.
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
    /// Whether the body was longer than what is kept of it.
    pub cut: bool,
    /// Whether all messages came that were awaited, so that the rest was not.
    pub enough: bool,
}

impl Excerpt {
    /// The values of the fields of this name.
    pub fn fields<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a [u8]> {
        header_values(&self.head, name)
    }

    /// Takes a part of the body in.
    pub(crate) fn add_body(&mut self, part: &[u8]) {
        if self.head_only {
            return;
        }
        let room = KEPT_BODY_BYTES_MAX - self.body.len();
        self.cut |= part.len() > room;
        self.body.extend_from_slice(&part[..part.len().min(room)]);
    }
}
