//! A client's connection: one thread's at a time.

use std::io::{self, Read, Write};
use std::net::TcpStream;

use crate::protocol::http1::{
    CONTINUE, Request, RequestProgress, RequestReader, write_response, write_response_head,
};
use crate::server::BODY_BYTES;
use crate::server::demands::request_reader;

/// A connection, with what was read of it and not looked at.
#[derive(Debug)]
pub(super) struct Connection {
    pub(super) stream: TcpStream,
    reader: RequestReader,
    unread: Vec<u8>,
}

/// What comes next on a connection.
#[derive(Debug)]
pub(super) enum Next {
    Request(Request),
    /// Nothing now: it is to be waited for.
    Later,
    /// The client has gone.
    Gone,
    /// What came is no HTTP/1.1.
    Malformed,
}

/// So many bytes are read at once; threads have small stacks.
const READ_BYTES: usize = 8 << 10;
/// After so many reads without a whole request other connections have their turn.
const READS_MAX: usize = 64;

impl Connection {
    /// Takes a stream that does not block.
    pub(super) fn new(stream: TcpStream) -> Connection {
        Connection { stream, reader: request_reader(), unread: Vec::new() }
    }

    /// Whether bytes of a further request were read already, of which no event will tell.
    pub(super) fn has_more(&self) -> bool {
        !self.unread.is_empty()
    }

    /// The next request, as far as it has come.
    pub(super) fn next(&mut self) -> Next {
        let mut buffer = [0; READ_BYTES];
        for _ in 0..READS_MAX {
            if let Some(next) = self.parse() {
                return next;
            }
            match self.stream.read(&mut buffer) {
                Ok(0) => return Next::Gone,
                Ok(count) => self.unread.extend_from_slice(&buffer[..count]),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Next::Later,
                Err(_) => return Next::Gone,
            }
        }
        self.parse().unwrap_or(Next::Later)
    }

    /// Looks at what was read; nothing if more is needed.
    fn parse(&mut self) -> Option<Next> {
        if self.unread.is_empty() {
            return None;
        }
        match self.reader.read(&self.unread) {
            Ok(RequestProgress::NeedMore { continue_expected }) => {
                self.unread.clear();
                let refused = continue_expected && !self.send(CONTINUE);
                refused.then_some(Next::Gone)
            }
            Ok(RequestProgress::Complete { request, used }) => {
                self.unread.drain(..used);
                Some(Next::Request(request))
            }
            Err(_) => Some(Next::Malformed),
        }
    }

    /// Writes a response; says whether the client took it.
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

    /// A client that leaves so many responses unread that the next finds no room is cut off: no
    /// thread waits for it.
    fn send(&mut self, bytes: &[u8]) -> bool {
        self.stream.write_all(bytes).is_ok()
    }
}
