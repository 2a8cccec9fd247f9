//! A client's connection to the server: its requests in their order, and their answers.

use std::collections::VecDeque;
use std::io::{self, Write};
use std::net::TcpStream;

use crate::protocol::http1::{CONTINUE, RequestReader, write_response, write_response_head};
use crate::protocol::{Outbox, RepliesUnread};

/// A connection, with the answers that it waits for.
pub(super) struct Connection {
    pub(super) stream: TcpStream,
    pub(super) reader: RequestReader,
    out: Outbox,
    /// Answers in the order of their requests: nothing while the model has not finished.
    pub(super) answers: VecDeque<Answer>,
    /// The number of the first of them.
    pub(super) first: u64,
    /// Tells connections apart that had the same place one after another.
    pub(super) generation: u64,
    pub(super) closing: bool,
    /// Whether it has more to read, and waits for its turn.
    pub(super) unread: bool,
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
            out: Outbox::default(),
            answers: VecDeque::new(),
            first: 0,
            generation,
            closing: false,
            unread: false,
        }
    }

    /// Writes the answers that are ready and whose turn it is into the buffer, with bodies of so
    /// many bytes.
    ///
    /// # Errors
    /// When the client leaves so many unread that it is to be cut off.
    pub(super) fn write_answers(&mut self, body_bytes: usize) -> Result<(), RepliesUnread> {
        while let Some(Answer { ready: Some(status), head_only, keep_alive }) = self.answers.front()
        {
            let write = if *head_only { write_response_head } else { write_response };
            self.out.reply(|out| write(out, *status, &[], body_bytes, *keep_alive))?;
            self.closing |= !keep_alive;
            self.answers.pop_front();
            self.first += 1;
        }
        Ok(())
    }

    /// Gives leave to send the body of a request.
    ///
    /// # Errors
    /// As [`Connection::write_answers`].
    pub(super) fn give_leave(&mut self) -> Result<(), RepliesUnread> {
        self.out.reply(|out| out.extend_from_slice(CONTINUE))
    }

    /// Sends as much as the socket takes; says whether the connection is to be kept.
    pub(super) fn flush(&mut self) -> bool {
        while !self.out.unsent().is_empty() {
            match self.stream.write(self.out.unsent()) {
                Ok(0) => return false,
                Ok(count) => self.out.mark_sent(count),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return true,
                Err(_) => return false,
            }
        }
        !(self.closing && self.answers.is_empty())
    }
}
