//! The kept parts of a response, for clients that read it.

use thinktime_core::file::StreamFormat;
use thinktime_core::request::header_values;

use super::event_reader::EventReader;

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
    /// The reader of its events, if it is a stream of them.
    pub events: Option<EventReader>,
}

impl Excerpt {
    /// The values of the fields of this name.
    pub fn fields<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a [u8]> {
        header_values(&self.head, name)
    }

    /// The body is a stream of events, which are counted whatever else is kept.
    pub(crate) fn await_events(place: &mut Option<Box<Excerpt>>, format: StreamFormat) {
        let counts_only = || Box::new(Excerpt { head_only: true, ..Excerpt::default() });
        place.get_or_insert_with(counts_only).events = Some(EventReader::new(format));
    }

    /// Takes a part of the body.
    pub(crate) fn add_body(&mut self, part: &[u8]) {
        if let Some(events) = &mut self.events {
            events.read(part);
        }
        if self.head_only {
            return;
        }
        let room = KEPT_BODY_BYTES_MAX - self.body.len();
        self.cut |= part.len() > room;
        self.body.extend_from_slice(&part[..part.len().min(room)]);
    }
}
