//! Reading from connections.

use super::Transport;
use super::failure::Failure;
use super::input::Input;

/// The bytes read from one connection at a time. Then timers and other connections have their turn:
/// a server that sends without end would stop everything else.
const READS_PER_TURN: u32 = 64;

/// Reads of one connection, one after another.
pub(crate) struct Reader {
    pub(crate) buffer: Vec<u8>,
    /// Whether the stream's end is among the unread data.
    pub(crate) ending: bool,
    left: u32,
}

impl Reader {
    pub(crate) fn new() -> Reader {
        Reader { buffer: vec![0; 1 << 16], ending: false, left: 0 }
    }

    /// A connection's turn begins.
    pub(crate) fn begin(&mut self, ending: bool) {
        (self.ending, self.left) = (ending, READS_PER_TURN);
    }

    /// Reads into the buffer, unless the turn has ended.
    #[inline]
    pub(crate) fn next(&mut self, transport: &mut Transport) -> Result<Option<Input>, Failure> {
        if self.left == 0 {
            return Ok(None);
        }
        self.left -= 1;
        transport.read(&mut self.buffer).map(Some)
    }

    /// Whether a read of this many bytes left nothing to read: a short one empties the socket, and
    /// a later byte makes a new edge.
    #[inline]
    pub(crate) fn has_emptied(&self, transport: &Transport, count: usize) -> bool {
        transport.short_read_means_empty() && count < self.buffer.len() && !self.ending
    }
}
