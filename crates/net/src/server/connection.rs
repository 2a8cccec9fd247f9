//! A client's connection to the server: its requests in their order, and their responses.

use std::collections::VecDeque;
use std::io::{self, IoSlice, Write};
use std::net::TcpStream;

use thinktime_core::time::Nanos;

use super::completions::{AnswerState, Completion};
use super::{BODY_BYTES, server_timing};
use crate::protocol::http1::{CONTINUE, RequestReader, write_response_head};
use crate::protocol::{Outbox, RepliesUnread};

/// A connection, with its pending responses.
pub(super) struct Connection {
    pub(super) stream: TcpStream,
    pub(super) reader: RequestReader,
    out: Outbox,
    /// The size of a body that follows.
    body_left: u64,
    /// Responses in the order of their requests: empty while the model has not finished.
    pub(super) answers: VecDeque<Answer>,
    /// The number of the first of them.
    pub(super) first: u64,
    /// Distinguishes connections that had the same place one after another.
    pub(super) generation: u64,
    pub(super) closing: bool,
    /// The last answer before the close is written: none follows it.
    complete: bool,
    /// Whether it has more to read, and waits for its turn.
    pub(super) unread: bool,
    /// Whether it has more to send, and waits for its turn.
    pub(super) unsent: bool,
}

/// The place of a response.
pub(super) struct Answer {
    pub(super) ready: Option<u16>,
    /// A text of JSON, if it is no body of the model.
    pub(super) said: Option<String>,
    /// The methods that the path has, if the request's is not one of them.
    pub(super) allow: Option<&'static str>,
    /// The answer of a server of tokens, which may be sent before it is ready.
    pub(super) completion: Option<Box<Completion>>,
    /// The name of its job, and the number of its arrival, if the job ends with the connection.
    pub(super) job: Option<(u64, u64)>,
    /// The demand that it reports, if any.
    pub(super) demand: Option<Nanos>,
    /// The size of a success's body in bytes.
    pub(super) size: u64,
    pub(super) head_only: bool,
    pub(super) keep_alive: bool,
}

impl Answer {
    /// The place of a response that is not ready yet.
    pub(super) fn to(head_only: bool, keep_alive: bool) -> Answer {
        let size = BODY_BYTES as u64;
        let (ready, said, allow, demand, completion, job) = (None, None, None, None, None, None);
        Answer { ready, said, allow, completion, job, demand, size, head_only, keep_alive }
    }
}

/// The progress of sending.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flushed {
    /// Everything ready was sent: the connection stays.
    Stays,
    /// More is ready, after the others' turn.
    More,
    /// The connection must be closed.
    Ends,
}

/// Bodies of up to this many bytes are written after their heads. Larger ones are not stored: they
/// are sent piece by piece from [`BLOCK`], and the next response waits for their end.
const WHOLE_MAX: u64 = 1024;
/// The content of large bodies, repeated.
static BLOCK: [u8; 1 << 16] = [b'x'; 1 << 16];
const JSON: &[(&str, &str)] = &[("Content-Type", "application/json")];
/// The bytes sent on one connection at a time: then others have their turn.
const BYTES_PER_TURN: usize = 1 << 20;

impl Connection {
    pub(super) fn new(stream: TcpStream, reader: RequestReader, generation: u64) -> Connection {
        Connection {
            stream,
            reader,
            out: Outbox::default(),
            body_left: 0,
            answers: VecDeque::new(),
            first: 0,
            generation,
            closing: false,
            complete: false,
            unread: false,
            unsent: false,
        }
    }

    /// Writes the responses that are ready and next in order into the buffer, up to the first with
    /// a large body.
    ///
    /// # Errors
    /// If the client leaves too many unread and must be cut off.
    pub(super) fn write_answers(&mut self) -> Result<(), RepliesUnread> {
        while self.body_left == 0
            && !self.complete
            && let Some(answer) = self.answers.front_mut()
        {
            let Answer { ready, demand, size, head_only, keep_alive, .. } = *answer;
            let timing = demand.map(server_timing);
            let field = timing.as_deref().map(|timing| ("Server-Timing", timing));
            let fields = field.as_slice();
            if let Some(completion) = &mut answer.completion {
                let state = AnswerState { status: ready, keep_alive, fields };
                if !completion.write(&mut self.out, state) {
                    break;
                }
                self.answered(keep_alive);
                continue;
            }
            let Some(status) = ready else { break };
            if let Some(said) = &answer.said {
                let body = if head_only { "" } else { said };
                let allow = answer.allow.map(|methods| ("Allow", methods));
                let fields: Vec<_> = JSON.iter().copied().chain(allow).collect();
                self.out.reply(|out| {
                    write_response_head(out, status, &fields, said.len(), keep_alive);
                    out.extend_from_slice(body.as_bytes());
                })?;
                self.answered(keep_alive);
                continue;
            }
            let size = if status == 200 { size } else { BODY_BYTES as u64 };
            let whole = size <= WHOLE_MAX && !head_only;
            self.out.reply(|out| {
                write_response_head(out, status, fields, size as usize, keep_alive);
                out.resize(out.len() + if whole { size as usize } else { 0 }, b'x');
            })?;
            self.body_left = if whole || head_only { 0 } else { size };
            self.answered(keep_alive);
        }
        Ok(())
    }

    /// The first answer is written.
    fn answered(&mut self, keep_alive: bool) {
        self.complete = !keep_alive;
        self.closing |= self.complete;
        self.answers.pop_front();
        self.first += 1;
    }

    /// Permits the client to send the body of a request.
    ///
    /// # Errors
    /// As [`Connection::write_answers`].
    pub(super) fn send_continue(&mut self) -> Result<(), RepliesUnread> {
        self.out.reply(|out| out.extend_from_slice(CONTINUE))
    }

    /// Sends as much as the socket accepts, at most for one turn.
    pub(super) fn flush(&mut self) -> Flushed {
        let mut sent = 0;
        loop {
            if self.out.unsent().is_empty() && self.body_left == 0 {
                // Responses may have waited for the end of a body.
                if self.write_answers().is_err() {
                    return Flushed::Ends;
                }
                if self.out.unsent().is_empty() {
                    break;
                }
            }
            if sent >= BYTES_PER_TURN {
                return Flushed::More;
            }
            let piece = self.body_left.min(BLOCK.len() as u64) as usize;
            let (head, body) = (self.out.unsent(), &BLOCK[..piece]);
            match self.stream.write_vectored(&[IoSlice::new(head), IoSlice::new(body)]) {
                Ok(0) => return Flushed::Ends,
                Ok(count) => {
                    let of_head = count.min(head.len());
                    self.out.mark_sent(of_head);
                    self.body_left -= (count - of_head) as u64;
                    sent += count;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Flushed::Stays,
                Err(_) => return Flushed::Ends,
            }
        }
        match self.closing && (self.complete || self.answers.is_empty()) {
            true => Flushed::Ends,
            false => Flushed::Stays,
        }
    }
}
