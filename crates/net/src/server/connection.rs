//! A client's connection to the server: its requests in their order, and their answers.

use std::collections::VecDeque;
use std::io::{self, Write};
use std::net::TcpStream;

use crate::protocol::http1::{RequestReader, write_response, write_response_head};

/// A connection, with the answers that it waits for.
pub(super) struct Connection {
    pub(super) stream: TcpStream,
    pub(super) reader: RequestReader,
    pub(super) out: Vec<u8>,
    pub(super) written: usize,
    /// Answers in the order of their requests: nothing while the model has not finished.
    pub(super) answers: VecDeque<Answer>,
    /// The number of the first of them.
    pub(super) first: u64,
    /// Tells connections apart that had the same place one after another.
    pub(super) generation: u64,
    pub(super) closing: bool,
}

/// The place of an answer.
pub(super) struct Answer {
    pub(super) ready: Option<u16>,
    pub(super) head_only: bool,
    pub(super) keep_alive: bool,
}

impl Connection {
    pub(super) fn new(stream: TcpStream, reader: RequestReader, generation: u64) -> Connection {
        Connection {
            stream,
            reader,
            out: Vec::new(),
            written: 0,
            answers: VecDeque::new(),
            first: 0,
            generation,
            closing: false,
        }
    }

    /// Writes the answers that are ready and whose turn it is into the buffer, with bodies of so
    /// many bytes.
    pub(super) fn write_answers(&mut self, body_bytes: usize) {
        while let Some(Answer { ready: Some(status), head_only, keep_alive }) = self.answers.front()
        {
            let write = if *head_only { write_response_head } else { write_response };
            write(&mut self.out, *status, &[], body_bytes, *keep_alive);
            self.closing |= !keep_alive;
            self.answers.pop_front();
            self.first += 1;
        }
    }

    /// Sends as much as the socket takes; says whether the connection is to be kept.
    pub(super) fn flush(&mut self) -> bool {
        while self.written < self.out.len() {
            match self.stream.write(&self.out[self.written..]) {
                Ok(0) => return false,
                Ok(count) => self.written += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return true,
                Err(_) => return false,
            }
        }
        self.out.clear();
        self.written = 0;
        !(self.closing && self.answers.is_empty())
    }
}
