//! Counts the events of a streamed body as its bytes arrive, in pieces of any size.
//!
//! Events of `text/event-stream` end as the HTML standard says (section 9.2.6, "Interpreting an
//! event stream"). Nothing of an event is kept but the beginning of its current line, and the
//! numbers of tokens that it reports, so that an endless one needs no memory.

use memchr::{memchr, memchr2};
use thinktime_core::attempt::TokenCounts;
use thinktime_core::file::StreamFormat;

use super::token_usage::TokenUsage;

/// The most bytes of one event, its fields and comments included; a longer one is a failure.
pub const EVENT_BYTES_MAX: usize = 1 << 20;

/// The kept beginning of a line: enough for the words that are looked for.
const LINE_BYTES: usize = 32;

/// The data that says that no event follows, which is itself no event.
const LAST_WORDS: &[u8] = b"[DONE]";

/// The news of a body since the last look.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StreamNews {
    /// The number of events that are complete.
    pub events: u32,
    /// Whether an event is longer than [`EVENT_BYTES_MAX`].
    pub too_large: bool,
}

/// Reads the body of one response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventReader {
    format: StreamFormat,
    /// Complete events that were not reported yet.
    fresh: u32,
    /// Whether bytes have arrived that were not reported yet.
    arrived: bool,
    /// The size of the incomplete event.
    event_bytes: usize,
    /// The length of the incomplete line, and its beginning.
    line_bytes: usize,
    line: [u8; LINE_BYTES],
    /// Whether the line is the body's first, which may begin with a byte order mark.
    first: bool,
    /// Whether the last byte was a carriage return, whose line feed ends no further line.
    returned: bool,
    data: Data,
    usage: TokenUsage,
    /// Whether the stream has said that no event follows.
    done: bool,
    /// Whether an event reported an error.
    failed: bool,
    too_large: bool,
}

/// The data of an incomplete event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Data {
    None,
    /// All of it is [`LAST_WORDS`].
    LastWords,
    Some,
}

impl EventReader {
    /// For a body of this format.
    #[must_use]
    pub fn new(format: StreamFormat) -> EventReader {
        EventReader {
            format,
            fresh: 0,
            arrived: false,
            event_bytes: 0,
            line_bytes: 0,
            line: [0; LINE_BYTES],
            first: true,
            returned: false,
            data: Data::None,
            usage: TokenUsage::default(),
            done: false,
            failed: false,
            too_large: false,
        }
    }

    /// Takes a part of the body.
    pub fn read(&mut self, part: &[u8]) {
        if part.is_empty() {
            return;
        }
        self.arrived = true;
        match self.format {
            // The pieces that arrive together are one.
            StreamFormat::Chunks => self.fresh = 1,
            StreamFormat::Lines => self.read_lines(part, |rest| memchr(b'\n', rest)),
            StreamFormat::Sse => self.read_lines(part, |rest| memchr2(b'\r', b'\n', rest)),
        }
    }

    /// The body has ended: a last line needs no line feed. An incomplete event does not count.
    pub fn end(&mut self) {
        if self.format == StreamFormat::Lines && !self.too_large {
            self.end_line();
        }
    }

    /// The news since the last look; `None` if nothing has arrived.
    pub fn take_news(&mut self) -> Option<StreamNews> {
        let events = std::mem::take(&mut self.fresh);
        let arrived = std::mem::take(&mut self.arrived) || events > 0;
        arrived.then_some(StreamNews { events, too_large: self.too_large })
    }

    /// Whether an event reported an error: one that is called `error`, or an object of JSON whose
    /// first key is `error`.
    #[must_use]
    pub fn has_failed(&self) -> bool {
        self.failed
    }

    /// The tokens that the last event with a `usage` reports; 0 without one.
    #[must_use]
    pub fn tokens(&self) -> TokenCounts {
        self.usage.counts()
    }

    fn read_lines(&mut self, part: &[u8], find_end: impl Fn(&[u8]) -> Option<usize>) {
        let mut rest = part;
        while !rest.is_empty() && !self.too_large {
            if std::mem::take(&mut self.returned) && rest[0] == b'\n' {
                rest = &rest[1..];
                continue;
            }
            let Some(end) = find_end(rest) else { return self.lengthen(rest) };
            self.lengthen(&rest[..end]);
            self.returned = rest[end] == b'\r';
            self.end_line();
            rest = &rest[end + 1..];
        }
    }

    /// Adds bytes to the line.
    fn lengthen(&mut self, bytes: &[u8]) {
        self.event_bytes += bytes.len();
        self.too_large = self.event_bytes > EVENT_BYTES_MAX;
        let held = self.line_bytes.min(LINE_BYTES);
        let kept = bytes.len().min(LINE_BYTES - held);
        self.line[held..held + kept].copy_from_slice(&bytes[..kept]);
        self.line_bytes += bytes.len();
        self.usage.read(bytes);
    }

    fn end_line(&mut self) {
        let (bytes, line) = (std::mem::take(&mut self.line_bytes), self.line);
        let mut begin = &line[..bytes.min(LINE_BYTES)];
        let whole = bytes <= LINE_BYTES;
        self.usage.end_line();
        if std::mem::take(&mut self.first) {
            begin = begin.strip_prefix(b"\xef\xbb\xbf").unwrap_or(begin);
        }
        if self.format == StreamFormat::Sse {
            match begin {
                [] => self.end_event(),
                _ => self.take_field(begin, whole),
            }
        } else {
            if !begin.trim_ascii().is_empty() || !whole {
                self.failed |= is_error(begin);
                self.data = Data::Some;
            }
            self.end_event();
        }
    }

    /// A line of an event: a field, or a comment, which has an empty name.
    fn take_field(&mut self, begin: &[u8], whole: bool) {
        let end = memchr(b':', begin).unwrap_or(begin.len());
        // A field without a colon has an empty value, as the HTML standard says.
        let value = begin.get(end + 1..).unwrap_or_default();
        let value = value.strip_prefix(b" ").unwrap_or(value);
        match &begin[..end] {
            b"data" => {
                let last = self.data == Data::None && whole && value == LAST_WORDS;
                self.failed |= self.data == Data::None && is_error(value);
                self.data = if last { Data::LastWords } else { Data::Some };
            }
            b"event" => self.failed |= whole && value == b"error",
            _ => {}
        }
    }

    fn end_event(&mut self) {
        self.event_bytes = 0;
        match std::mem::replace(&mut self.data, Data::None) {
            Data::None => {}
            Data::LastWords => self.done = true,
            Data::Some => self.fresh = self.fresh.saturating_add(u32::from(!self.done)),
        }
    }
}

/// Whether this begins an object of JSON whose first key is `error`, with a value.
fn is_error(begin: &[u8]) -> bool {
    let value = || {
        let key = begin.trim_ascii_start().strip_prefix(b"{")?.trim_ascii_start();
        key.strip_prefix(b"\"error\"")?.trim_ascii_start().strip_prefix(b":")
    };
    value().is_some_and(|value| !value.trim_ascii_start().starts_with(b"null"))
}

#[cfg(test)]
mod tests;
