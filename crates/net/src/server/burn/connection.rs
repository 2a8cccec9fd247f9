//! A client's connection: one thread's at a time.

use std::io::{self, Read, Write};
use std::net::TcpStream;

use crate::protocol::http1::{
    CONTINUE, Request, RequestProgress, RequestReader, write_response, write_response_head,
};
use crate::server::BODY_BYTES;
use crate::server::demands::request_reader;

/// A connection, with its read and unparsed bytes.
#[derive(Debug)]
pub(super) struct Connection {
    pub(super) stream: TcpStream,
    reader: RequestReader,
    unread: Vec<u8>,
}

/// The next event of a connection.
#[derive(Debug)]
pub(super) enum ConnectionEvent {
    Request(Request),
    /// Nothing now: the caller must wait for it.
    Later,
    /// The client has gone.
    Gone,
    /// The input is no HTTP/1.1.
    Malformed,
}

/// The bytes read at once; threads have small stacks.
const READ_BYTES: usize = 8 << 10;
/// After this many reads without a whole request, other connections have their turn.
const READS_MAX: usize = 64;

impl Connection {
    /// Takes a non-blocking stream.
    pub(super) fn new(stream: TcpStream) -> Connection {
        Connection { stream, reader: request_reader(), unread: Vec::new() }
    }

    /// Whether bytes of a further request were already read, which no event will report.
    pub(super) fn has_more(&self) -> bool {
        !self.unread.is_empty()
    }

    /// The next request, if it has arrived.
    pub(super) fn next(&mut self) -> ConnectionEvent {
        let mut buffer = [0; READ_BYTES];
        for _ in 0..READS_MAX {
            if let Some(next) = self.parse() {
                return next;
            }
            match self.stream.read(&mut buffer) {
                Ok(0) => return ConnectionEvent::Gone,
                Ok(count) => self.unread.extend_from_slice(&buffer[..count]),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    return ConnectionEvent::Later;
                }
                Err(_) => return ConnectionEvent::Gone,
            }
        }
        self.parse().unwrap_or(ConnectionEvent::Later)
    }

    /// Parses the read bytes; nothing if more is needed.
    fn parse(&mut self) -> Option<ConnectionEvent> {
        if self.unread.is_empty() {
            return None;
        }
        match self.reader.read(&self.unread) {
            Ok(RequestProgress::NeedMore { continue_expected }) => {
                self.unread.clear();
                let refused = continue_expected && !self.send(CONTINUE);
                refused.then_some(ConnectionEvent::Gone)
            }
            Ok(RequestProgress::Complete { request, used }) => {
                self.unread.drain(..used);
                Some(ConnectionEvent::Request(request))
            }
            Err(_) => Some(ConnectionEvent::Malformed),
        }
    }

    /// Writes a response; says whether the client accepted it.
    pub(super) fn answer(&mut self, status: u16, head_only: bool, keep_alive: bool) -> bool {
        self.answer_with(status, &[], head_only, keep_alive)
    }

    /// As [`Connection::answer`], with further fields.
    pub(super) fn answer_with(
        &mut self,
        status: u16,
        fields: &[(&str, &str)],
        head_only: bool,
        keep_alive: bool,
    ) -> bool {
        let mut out = Vec::with_capacity(160);
        let write = if head_only { write_response_head } else { write_response };
        write(&mut out, status, fields, BODY_BYTES, keep_alive);
        self.send(&out)
    }

    /// A client is cut off if its unread responses leave no room for the next: no thread waits for
    /// it.
    fn send(&mut self, bytes: &[u8]) -> bool {
        self.stream.write_all(bytes).is_ok()
    }
}
