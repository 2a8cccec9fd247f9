//! Reading from the server's connections, in turns.

use std::io::{self, Read};

use super::connection::Answer;
use super::engine::Engine;
use crate::poller::Readiness;
use crate::protocol::http1::RequestProgress;

/// The bytes read from one connection at a time. Then others have their turn: a client that sends
/// without end would stop everything else.
const READS_PER_TURN: u32 = 16;

impl Engine {
    pub(super) fn handle(&mut self, readiness: &Readiness) {
        let place = readiness.token as u32;
        if readiness.readable {
            self.read(place, readiness.ending);
        }
        if readiness.writable {
            self.flush(place);
        }
    }

    /// Continues with a connection that had more to read than its turn allowed.
    pub(super) fn read_on(&mut self, place: u32) {
        // Another connection may have its place by now, and reads the same way.
        if let Some(connection) = &mut self.connections[place as usize]
            && std::mem::take(&mut connection.unread)
        {
            self.read(place, true);
        }
    }

    /// Reads the available bytes, for one turn at most. It stops when the socket reports that it is
    /// empty; without `whole`, also after a short read.
    fn read(&mut self, place: u32, whole: bool) {
        let mut buffer = std::mem::take(&mut self.buffer);
        let more = self.read_turn(place, whole, &mut buffer);
        self.buffer = buffer;
        if more && let Some(connection) = &mut self.connections[place as usize] {
            connection.unread = true;
            self.unread.push(place);
        }
    }

    /// Reads for one turn; says whether there is more.
    fn read_turn(&mut self, place: u32, whole: bool, buffer: &mut [u8]) -> bool {
        for _ in 0..READS_PER_TURN {
            let Some(connection) = &mut self.connections[place as usize] else { return false };
            match connection.stream.read(buffer) {
                Ok(count @ 1..) => {
                    self.take(place, &buffer[..count]);
                    if count < buffer.len() && !whole {
                        return false;
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return false,
                Ok(_) | Err(_) => {
                    self.close(place);
                    return false;
                }
            }
        }
        true
    }

    /// Takes bytes from a client: perhaps several requests at once.
    fn take(&mut self, place: u32, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            let Some(connection) = &mut self.connections[place as usize] else { return };
            if connection.closing {
                return;
            }
            match connection.reader.read(bytes) {
                Ok(RequestProgress::NeedMore { continue_expected }) => {
                    if continue_expected {
                        match connection.send_continue() {
                            Ok(()) => self.flush(place),
                            Err(_) => self.close(place),
                        }
                    }
                    return;
                }
                Ok(RequestProgress::Complete { request, used }) => {
                    bytes = &bytes[used..];
                    self.arrive(place, &request);
                }
                Err(_) => {
                    connection.answers.push_back(Answer::to(false, false));
                    return self.refuse(place, 400);
                }
            }
        }
    }
}
