//! One stream: a request that may still be on its way, and the response as far as it came.

use crate::protocol::response::Response;

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
    /// The response as far as it came.
    pub(super) response: Response,
}

impl Stream {
    pub(super) fn new(id: u32, send_window: i64, response: Response) -> Stream {
        let receive_window = ReceiveWindow::new();
        Stream { id, send_window, receive_window, unsent: Vec::new(), response }
    }
}
