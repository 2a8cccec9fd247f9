//! Writing to the server's connections, in turns.

use super::connection::Flushed;
use super::engine::Engine;

impl Engine {
    /// Writes the responses that are ready and next in order.
    pub(super) fn write_answers(&mut self, place: u32) {
        let Some(connection) = &mut self.connections[place as usize] else { return };
        // A client with too many unread responses is cut off, as by a burning server.
        match connection.write_answers() {
            Ok(()) => self.flush(place),
            Err(_) => self.close(place),
        }
    }

    pub(super) fn flush(&mut self, place: u32) {
        let Some(connection) = &mut self.connections[place as usize] else { return };
        match connection.flush() {
            Flushed::Stays => {}
            Flushed::Ends => self.close(place),
            Flushed::More => {
                if !std::mem::replace(&mut connection.unsent, true) {
                    self.unsent.push(place);
                }
            }
        }
    }

    /// Continues with a connection that had more to send than its turn allowed.
    pub(super) fn send_on(&mut self, place: u32) {
        // Another connection may have its place by now.
        if let Some(connection) = &mut self.connections[place as usize]
            && std::mem::take(&mut connection.unsent)
        {
            self.flush(place);
        }
    }
}
