//! Writing to the server's connections, in turns.

use super::connection::Flushed;
use super::engine::Engine;

impl Engine {
    /// Writes the answers that are ready and whose turn it is.
    pub(super) fn write_answers(&mut self, place: u32) {
        let Some(connection) = &mut self.connections[place as usize] else { return };
        // A client that leaves so many answers unread is cut off, as a burning server does.
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

    /// Goes on with a connection that had more to send than its turn was long.
    pub(super) fn send_on(&mut self, place: u32) {
        // Another connection may have its place by now.
        if let Some(connection) = &mut self.connections[place as usize]
            && std::mem::take(&mut connection.unsent)
        {
            self.flush(place);
        }
    }
}
