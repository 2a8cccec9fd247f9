//! Reads one message after another from a stream of bytes, of either direction.

use super::body::{Body, BodyProgress};
use super::folds::unfolded;
use super::rules::Rules;
use super::{HEAD_BYTES_MAX, ProtocolError};
use crate::protocol::{Capture, Excerpt};

/// How much memory a connection keeps between messages for heads that arrive in pieces, in bytes.
const KEPT_BYTES: usize = 4 * 1024;

/// A head that was parsed.
pub(in crate::protocol) enum Head<M> {
    /// It announces another head: a response of the class 1xx.
    Interim,
    /// It begins a message with this body.
    Final(M, Body),
}

/// A parser's result for bytes that begin with a head: nothing yet, or the head and its length in
/// bytes.
pub(in crate::protocol) type Parsed<M> = Result<Option<(Head<M>, usize)>, ProtocolError>;

/// A message that has been read to its end.
pub(in crate::protocol) struct Complete<M> {
    /// The content of its head.
    pub(in crate::protocol) message: M,
    /// Its size, all heads and the body, in bytes.
    pub(super) bytes: u64,
    /// The number of the last given bytes that belong to it.
    pub(in crate::protocol) used: usize,
}

/// Joins heads and bodies to messages `M`.
#[derive(Debug)]
pub(in crate::protocol) struct MessageReader<M> {
    partial: PartialHead,
    /// The message whose body is being read.
    current: Option<(M, Body)>,
    bytes: u64,
    /// The kept parts of the current message, if any.
    excerpt: Option<Box<Excerpt>>,
}

impl<M> MessageReader<M> {
    /// Heads may have folded lines if `folds` says so: those of responses only.
    pub(in crate::protocol) fn new(rules: Rules, folds: bool) -> Self {
        let partial = PartialHead { bytes: Vec::new(), rules, folds };
        Self { partial, current: None, bytes: 0, excerpt: None }
    }

    /// Keeps this much of the next message, for [`Self::take_kept`].
    pub(super) fn capture(&mut self, capture: Capture) {
        self.excerpt = capture.place();
    }

    /// The kept parts of the current message, whose events may be awaited.
    pub(super) fn excerpt(&mut self) -> &mut Option<Box<Excerpt>> {
        &mut self.excerpt
    }

    /// The kept parts of the message that has been read.
    pub(super) fn take_excerpt(&mut self) -> Option<Box<Excerpt>> {
        self.excerpt.take()
    }

    /// Whether a byte of the current message has been read.
    pub(super) fn started(&self) -> bool {
        self.bytes > 0
    }

    /// Whether no byte of the next message has been read, except for blank lines before it.
    pub(super) fn is_between(&self) -> bool {
        self.current.is_none() && self.partial.bytes.is_empty()
    }

    /// Whether the head of the current message has been read.
    pub(super) fn is_in_body(&self) -> bool {
        self.current.is_some()
    }

    /// The message whose body is being read.
    pub(super) fn current(&mut self) -> Option<&mut M> {
        self.current.as_mut().map(|(message, _)| message)
    }

    /// Forgets the current message, to begin with another one.
    pub(super) fn reset(&mut self) {
        self.partial.clear();
        self.current = None;
        self.bytes = 0;
        self.excerpt = None;
    }

    /// Feeds arrived bytes. All of them are used, unless the message ends among them.
    ///
    /// `parse` receives bytes that begin with a head, and may be called several times for it.
    pub(in crate::protocol) fn read(
        &mut self,
        bytes: &[u8],
        parse: impl Fn(&[u8]) -> Parsed<M>,
    ) -> Result<Option<Complete<M>>, ProtocolError> {
        let mut used = 0;
        while self.current.is_none() {
            let Some((head, length)) =
                self.partial.read(&bytes[used..], &parse, self.excerpt.as_deref_mut())?
            else {
                self.bytes += (bytes.len() - used) as u64;
                return Ok(None);
            };
            used += length;
            self.bytes += length as u64;
            if let Head::Final(message, body) = head {
                self.current = Some((message, body));
            }
        }
        let Some((message, mut body)) = self.current.take() else {
            return Ok(None);
        };
        let BodyProgress { used: skipped, complete } = match &mut self.excerpt {
            None => body.read(&bytes[used..], |_| {})?,
            Some(excerpt) => body.read(&bytes[used..], |part| excerpt.add_body(part))?,
        };
        used += skipped;
        self.bytes += skipped as u64;
        if complete {
            return Ok(Some(Complete { message, bytes: std::mem::take(&mut self.bytes), used }));
        }
        self.current = Some((message, body));
        Ok(None)
    }

    /// Ends the current message with the connection, if its body may end so.
    pub(super) fn end_of_stream(&mut self) -> Result<Complete<M>, ProtocolError> {
        let current = self.current.take();
        let bytes = std::mem::take(&mut self.bytes);
        self.partial.clear();
        match current {
            Some((message, body)) if body.ends_with_connection() => {
                Ok(Complete { message, bytes, used: 0 })
            }
            _ => Err(ProtocolError::UnexpectedEnd),
        }
    }
}

/// The bytes of a head that has not arrived whole. Empty as long as heads do.
#[derive(Debug)]
struct PartialHead {
    bytes: Vec<u8>,
    rules: Rules,
    /// Whether lines may be folded.
    folds: bool,
}

impl PartialHead {
    fn clear(&mut self) {
        self.bytes.clear();
        self.bytes.shrink_to(KEPT_BYTES);
    }

    /// Parses the head that ends among `bytes` and returns the number of its bytes, or else buffers
    /// them all and returns nothing.
    ///
    /// Blank lines before a head are skipped, since some peers end a body with an extra one. They
    /// are never buffered. A buffered head is parsed again only at the end of a line, of which it
    /// can have no more than [`super::HEADERS_MAX`], and when the buffer is full: so the work stays
    /// linear in the bytes however small the pieces are.
    fn read<M>(
        &mut self,
        bytes: &[u8],
        parse: impl Fn(&[u8]) -> Parsed<M>,
        excerpt: Option<&mut Excerpt>,
    ) -> Parsed<M> {
        let held_bytes = self.bytes.len();
        let mut blank = if held_bytes == 0 { self.blank_length(bytes) } else { 0 };
        let bytes = &bytes[blank..];
        let room = HEAD_BYTES_MAX - held_bytes;
        let fresh = &bytes[..bytes.len().min(room)];
        let parsed = if held_bytes == 0 {
            self.parse(fresh, parse, excerpt)?
        } else {
            self.bytes.extend_from_slice(fresh);
            // A blank line may have been cut in two.
            blank = self.blank_length(&self.bytes);
            self.bytes.drain(..blank);
            let line_ended = memchr::memchr(b'\n', fresh).is_some();
            let full = fresh.len() == room;
            if line_ended || full { self.parse(&self.bytes, parse, excerpt)? } else { None }
        };
        match parsed {
            Some((head, length)) => {
                self.clear();
                Ok(Some((head, blank + length - held_bytes)))
            }
            None if bytes.len() >= room => Err(ProtocolError::HeadTooLarge),
            None => {
                if held_bytes == 0 {
                    self.bytes.extend_from_slice(fresh);
                }
                Ok(None)
            }
        }
    }

    /// The number of leading bytes that are blank lines; by strict rules, each has both characters.
    fn blank_length(&self, bytes: &[u8]) -> usize {
        match self.rules {
            Rules::Lenient => bytes.iter().take_while(|byte| b"\r\n".contains(byte)).count(),
            Rules::Strict => 2 * bytes.chunks(2).take_while(|pair| *pair == b"\r\n").count(),
        }
    }

    /// Parses bytes that begin with a head, and keeps it if it is complete. Only a head that is
    /// refused is searched for folded lines.
    fn parse<M>(
        &self,
        bytes: &[u8],
        parse: impl Fn(&[u8]) -> Parsed<M>,
        excerpt: Option<&mut Excerpt>,
    ) -> Parsed<M> {
        let mut joined = None;
        let parsed = match parse(bytes) {
            Err(ProtocolError::BadHeader) if self.folds => {
                joined = unfolded(bytes);
                joined.as_deref().map_or(Err(ProtocolError::BadHeader), parse)?
            }
            parsed => parsed?,
        };
        if let (Some((_, length)), Some(excerpt)) = (&parsed, excerpt) {
            excerpt.head.clear();
            excerpt.head.extend_from_slice(&joined.as_deref().unwrap_or(bytes)[..*length]);
        }
        Ok(parsed)
    }
}
