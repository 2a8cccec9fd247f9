//! One stream: a request that may still be under way, and the received part of the response.

use super::frame;
use crate::protocol::Outbox;
use crate::protocol::response::Response;

/// The widest that a window may be, in bytes.
pub(super) const WINDOW_MAX: i64 = (1 << 31) - 1;
/// The bytes that the server may send on a stream, or the connection, before the window is opened
/// again. The window is wide, since bodies are skipped and need no memory.
pub(super) const STREAM_WINDOW: i64 = 1 << 30;

/// The bytes that the server may still send.
#[derive(Debug)]
pub(super) struct ReceiveWindow(i64);

impl ReceiveWindow {
    pub(super) fn new() -> ReceiveWindow {
        ReceiveWindow(STREAM_WINDOW)
    }

    /// Subtracts received bytes from the window: false if there were too many.
    pub(super) fn take(&mut self, bytes: usize) -> bool {
        self.0 -= bytes as i64;
        self.0 >= 0
    }

    /// The next increment of the window, once half of it is used up.
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
    /// The bytes that may still be sent; a change of settings may make it negative.
    pub(super) send_window: i64,
    pub(super) receive_window: ReceiveWindow,
    /// The part of the request's body that waits for a window.
    pub(super) unsent: Vec<u8>,
    /// The size of its written frames, and the number of bytes ever written when the last of them
    /// was.
    pub(super) frames: u64,
    pub(super) written: u64,
    /// The received part of the response.
    pub(super) response: Response,
}

impl Stream {
    pub(super) fn new(id: u32, send_window: i64, response: Response) -> Stream {
        let receive_window = ReceiveWindow::new();
        let unsent = Vec::new();
        Stream { id, send_window, receive_window, unsent, frames: 0, written: 0, response }
    }

    /// A frame was written to the output.
    pub(super) fn note_frame(&mut self, size: usize, out: &Outbox) {
        self.frames += size as u64;
        self.written = out.written();
    }

    /// The part of the request that has not been sent, in bytes: what waits for a window, and the
    /// written frames in the output. Frames of other streams behind the first of them count as its
    /// own, so that it is an upper bound if several bodies are under way.
    pub(super) fn unsent_bytes(&self, out: &Outbox) -> u64 {
        let sent = out.written() - out.unsent().len() as u64;
        frame::framed(self.unsent.len()) + self.written.saturating_sub(sent).min(self.frames)
    }
}
