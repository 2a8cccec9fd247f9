//! One stream: a request that may still be on its way, and the response as far as it came.

use super::head::Head;
use crate::protocol::Kept;
use crate::protocol::grpc::MessageCount;

/// The widest that a window may be, in bytes.
pub(super) const WINDOW_MAX: i64 = (1 << 31) - 1;
/// What the server may send on a stream, or the connection, before the window is opened again, in
/// bytes. Wide, since bodies are skipped and need no memory.
pub(super) const STREAM_WINDOW: i64 = 1 << 30;

/// What the server may still send.
#[derive(Debug)]
pub(super) struct ReceiveWindow(i64);

impl ReceiveWindow {
    pub(super) fn new() -> ReceiveWindow {
        ReceiveWindow(STREAM_WINDOW)
    }

    /// Takes what came off the window: false if it was more than that.
    pub(super) fn take(&mut self, bytes: usize) -> bool {
        self.0 -= bytes as i64;
        self.0 >= 0
    }

    /// By how much the window is to be opened, once half of it is used up.
    pub(super) fn refill(&mut self) -> Option<u32> {
        if self.0 >= STREAM_WINDOW / 2 {
            return None;
        }
        let increment = STREAM_WINDOW - self.0;
        self.0 = STREAM_WINDOW;
        u32::try_from(increment).ok()
    }
}

/// One stream of a client.
#[derive(Debug)]
pub(super) struct Stream {
    pub(super) id: u32,
    /// What may still be sent, in bytes; a change of settings may take it below nought.
    pub(super) send_window: i64,
    pub(super) receive_window: ReceiveWindow,
    /// The part of the request's body that waits for a window.
    pub(super) unsent: Vec<u8>,
    head_only: bool,
    /// Whether a frame of the response came.
    pub(super) begun: bool,
    /// The status, once the final head came.
    status: Option<u16>,
    /// The length that the head says the body has.
    length: Option<u64>,
    body: u64,
    /// The messages of gRPC that are awaited, where they are counted.
    pub(super) messages: Option<MessageCount>,
    /// Whether they have come, and more may follow that nobody waits for.
    pub(super) enough: bool,
    /// The size of the response's frames.
    pub(super) bytes: u64,
    /// What is kept of the response, where anything is.
    pub(super) kept: Option<Box<Kept>>,
}

/// A response that breaks the rules.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Malformed;

impl Stream {
    pub(super) fn new(id: u32, send_window: i64, head_only: bool) -> Stream {
        Stream {
            id,
            send_window,
            receive_window: ReceiveWindow::new(),
            unsent: Vec::new(),
            head_only,
            begun: false,
            status: None,
            length: None,
            body: 0,
            messages: None,
            enough: false,
            bytes: 0,
            kept: None,
        }
    }

    /// Takes a head in, or trailers: the status, if the response ended with it.
    pub(super) fn head(&mut self, head: &Head, ends: bool) -> Result<Option<u16>, Malformed> {
        if head.malformed {
            return Err(Malformed);
        }
        match (self.status, head.status) {
            // Trailers are the last.
            (Some(_), None) if ends => {
                self.keep_lines(head);
                self.end()
            }
            (None, Some(101)) => Err(Malformed),
            (None, Some(100..200)) if !ends => Ok(None),
            (None, Some(status @ 200..)) => {
                self.status = Some(status);
                self.length = head.length;
                self.keep_lines(head);
                if ends { self.end() } else { Ok(None) }
            }
            _ => Err(Malformed),
        }
    }

    fn keep_lines(&mut self, head: &Head) {
        if let (Some(kept), Some(lines)) = (&mut self.kept, &head.lines) {
            kept.head.extend_from_slice(lines);
        }
    }

    /// Takes a part of the body in: the status, if the response ended with them.
    pub(super) fn data(&mut self, data: &[u8], ends: bool) -> Result<Option<u16>, Malformed> {
        self.body += data.len() as u64;
        let too_long = self.length.is_some_and(|length| self.body > length);
        if self.status.is_none() || too_long || (self.head_only && !data.is_empty()) {
            return Err(Malformed);
        }
        if let Some(kept) = &mut self.kept {
            kept.add_body(data);
        }
        if self.messages.as_mut().is_some_and(|count| count.take(data)) {
            self.enough = !ends;
            if let Some(kept) = &mut self.kept {
                kept.enough = true;
            }
            return Ok(self.status);
        }
        if ends { self.end() } else { Ok(None) }
    }

    fn end(&self) -> Result<Option<u16>, Malformed> {
        let no_body = self.head_only || matches!(self.status, Some(204 | 304));
        match self.length {
            Some(length) if length != self.body && !no_body => Err(Malformed),
            _ => Ok(self.status),
        }
    }
}
