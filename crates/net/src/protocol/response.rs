//! The received part of a response, on a stream of HTTP/2 or HTTP/3.

use thinktime_core::file::StreamFormat;
use thinktime_core::time::Nanos;

use super::excerpt::Excerpt;
use super::grpc::MessageCount;
use super::head::Head;
use super::streams::StreamEvent;

/// The received part of a response.
#[derive(Debug)]
pub(super) struct Response {
    head_only: bool,
    /// Whether a frame of it arrived.
    pub(super) begun: bool,
    /// The status, once the final head has arrived.
    pub(super) status: Option<u16>,
    /// The server's own time; [`Nanos::MAX`] if not given.
    pub(super) server_time: Nanos,
    /// The announced length of the body.
    length: Option<u64>,
    body: u64,
    /// The number of awaited messages of gRPC, if they are counted.
    pub(super) messages: Option<MessageCount>,
    /// Whether they have arrived, and more may follow that nobody waits for.
    pub(super) enough: bool,
    /// The size of its frames.
    pub(super) bytes: u64,
    /// Its kept parts, if any.
    pub(super) excerpt: Option<Box<Excerpt>>,
}

/// A response that breaks the rules.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Malformed;

impl Response {
    /// A response to come; one to HEAD has no body.
    pub(super) fn new(head_only: bool, excerpt: Option<Box<Excerpt>>) -> Response {
        Response {
            head_only,
            begun: false,
            status: None,
            server_time: Nanos::MAX,
            length: None,
            body: 0,
            messages: None,
            enough: false,
            bytes: 0,
            excerpt,
        }
    }

    /// Counts its events, as its body arrives.
    pub(super) fn await_events(&mut self, format: StreamFormat) {
        Excerpt::await_events(&mut self.excerpt, format);
    }

    /// What has arrived of its events since the last look, as an event of its stream.
    pub(super) fn news<N>(&mut self, stream: N) -> Option<StreamEvent<N>> {
        let news = self.excerpt.as_mut()?.events.as_mut()?.take_news()?;
        Some(StreamEvent::News { stream, news })
    }

    /// Takes a head, or trailers: the status, if the response ended with it.
    pub(super) fn head(&mut self, head: &Head, ends: bool) -> Result<Option<u16>, Malformed> {
        if head.malformed {
            return Err(Malformed);
        }
        match (self.status, head.status) {
            // Trailers are the last.
            (Some(_), None) if ends => {
                self.trailers(head)?;
                self.end()
            }
            (None, Some(101)) => Err(Malformed),
            (None, Some(100..200)) if !ends => Ok(None),
            (None, Some(status @ 200..)) => {
                self.status = Some(status);
                self.length = head.length;
                self.server_time = head.timing.time();
                self.keep_lines(head);
                if ends { self.end() } else { Ok(None) }
            }
            _ => Err(Malformed),
        }
    }

    /// Takes trailers that may not be the last frame.
    pub(super) fn trailers(&mut self, head: &Head) -> Result<(), Malformed> {
        if head.malformed || head.status.is_some() {
            return Err(Malformed);
        }
        self.keep_lines(head);
        Ok(())
    }

    fn keep_lines(&mut self, head: &Head) {
        if let (Some(excerpt), Some(lines)) = (&mut self.excerpt, &head.lines) {
            excerpt.head.extend_from_slice(lines);
        }
    }

    /// Takes a part of the body: the status, if the response ended with it.
    pub(super) fn data(&mut self, data: &[u8], ends: bool) -> Result<Option<u16>, Malformed> {
        self.body += data.len() as u64;
        let too_long = self.length.is_some_and(|length| self.body > length);
        if self.status.is_none() || too_long || (self.head_only && !data.is_empty()) {
            return Err(Malformed);
        }
        if let Some(excerpt) = &mut self.excerpt {
            excerpt.add_body(data);
        }
        if self.messages.as_mut().is_some_and(|count| count.take(data)) {
            self.enough = !ends;
            if let Some(excerpt) = &mut self.excerpt {
                excerpt.enough = true;
            }
            return Ok(self.status);
        }
        if ends { self.end() } else { Ok(None) }
    }

    /// The response has ended: its status, unless no final head arrived.
    pub(super) fn end(&self) -> Result<Option<u16>, Malformed> {
        let no_body = self.head_only || matches!(self.status, Some(204 | 304));
        match self.length {
            Some(length) if length != self.body && !no_body => Err(Malformed),
            _ => Ok(self.status),
        }
    }
}
