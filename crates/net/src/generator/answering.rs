//! One exchange of messages under way, and how much of its answer has come.

use thinktime_core::attempt::Attempt;
use thinktime_core::request::{Expect, Search, Searcher};
use thinktime_core::time::Nanos;

use super::exchange::{Answer, Event, Exchange};
use super::failure::Failure;
use crate::protocol::{Keeping, Kept};

/// What is sent, and when its answer is complete.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sending<'a> {
    pub(super) bytes: &'a [u8],
    /// Whether it is a binary message, where a protocol tells those from texts.
    pub(super) binary: bool,
    pub(super) expect: &'a Expect,
    /// Where further messages begin in the bytes, if there are any.
    pub(super) cuts: &'a [usize],
    /// How many such messages make up the answer.
    pub(super) messages: u32,
    /// Whether each message waits for the answer to the one before, which is so made up.
    pub(super) each: bool,
}

/// One exchange under way.
pub(super) struct Answering {
    pub(super) exchange: Exchange,
    expect: Expect,
    awaited: Awaited,
    /// How many messages are missing, the one under way among them.
    left: u32,
    /// How many messages make up an answer.
    messages: u32,
    /// Whether it waits for nothing, until more is sent.
    paused: bool,
    /// The bytes of the answer so far.
    bytes: u64,
    kept: Option<Box<Kept>>,
    /// Whether a message that may be the answer is under way.
    within: bool,
}

/// A connection that carries one exchange of messages at a time.
pub(super) struct Single {
    keeping: Keeping,
    /// What it carries; nothing while idle.
    pub(super) answering: Option<Answering>,
    /// Whether it can carry no other exchange.
    pub(super) closing: bool,
}

impl Single {
    /// A connection that keeps so much of answers.
    pub(super) fn new(keeping: Keeping) -> Single {
        Single { keeping, answering: None, closing: false }
    }

    pub(super) fn has_room(&self) -> bool {
        self.answering.is_none() && !self.closing
    }

    pub(super) fn begin(&mut self, exchange: Exchange, sending: &Sending<'_>) {
        self.answering = Some(Answering::new(exchange, sending, self.keeping));
    }

    pub(super) fn take_exchange(&mut self) -> Option<Exchange> {
        self.answering.take().map(|answering| answering.exchange)
    }

    /// Gives an attempt up. Its answer may still come, so the connection is to be closed.
    pub(super) fn give_up(&mut self, attempt: &Attempt) -> Option<(Exchange, bool)> {
        let of_it = |answering: &mut Answering| answering.exchange.attempt == *attempt;
        let answering = self.answering.take_if(of_it)?;
        self.closing = true;
        Some((answering.exchange, true))
    }
}

/// What is still missing.
enum Awaited {
    /// Nothing but the end of the message.
    End,
    /// So many bytes.
    Bytes(u64),
    /// Something to be found.
    Found(Searcher),
}

impl Answering {
    fn new(exchange: Exchange, sending: &Sending<'_>, keeping: Keeping) -> Answering {
        Answering {
            exchange,
            expect: sending.expect.clone(),
            awaited: Awaited::of(sending.expect),
            left: sending.messages,
            messages: sending.messages,
            paused: false,
            bytes: 0,
            kept: keeping.place(),
            within: false,
        }
    }

    /// The complete answer.
    pub(super) fn over(self) -> Event {
        let answer = Answer::new(0, self.bytes, self.kept);
        Event::Done { exchange: self.exchange, answer }
    }

    /// Answered so far, and more is to be sent.
    pub(super) fn pause(&mut self) {
        self.paused = true;
    }

    pub(super) fn is_paused(&self) -> bool {
        self.paused
    }

    /// More was sent, of so many bytes, which waits for an answer of its own.
    pub(super) fn go_on(&mut self, bytes_sent: u64) {
        (self.paused, self.left) = (false, self.messages);
        self.exchange.bytes_sent += bytes_sent;
    }

    /// A message begins, which may be of the answer.
    pub(super) fn message_begins(&mut self, now: Nanos) {
        if self.paused {
            return;
        }
        self.within = true;
        if self.bytes == 0 {
            self.exchange.first_byte = now;
        }
        self.awaited = Awaited::of(&self.expect);
        if let Some(kept) = &mut self.kept {
            kept.body.clear();
        }
    }

    /// Takes a part of the message in.
    pub(super) fn message_part(&mut self, part: &[u8]) {
        if !self.within {
            return;
        }
        self.keep(part);
        if let Awaited::Found(searcher) = &mut self.awaited
            && let Search::Found(_) = searcher.read(part)
        {
            self.awaited = Awaited::End;
        }
    }

    /// The message is complete, with so many bytes: whether the answer is, too.
    pub(super) fn message_ends(&mut self, bytes: u64) -> bool {
        if !std::mem::take(&mut self.within) || !matches!(self.awaited, Awaited::End) {
            return false;
        }
        self.bytes += bytes;
        self.left -= 1;
        self.left == 0
    }

    /// Takes bytes of a stream in: whether they complete the answer. More of them than the answer
    /// needs are too many.
    pub(super) fn stream_part(
        &mut self,
        part: &[u8],
        now: impl FnOnce() -> Nanos,
    ) -> Result<bool, Failure> {
        if self.exchange.first_byte.is_never() {
            self.exchange.first_byte = now();
        }
        self.bytes += part.len() as u64;
        self.keep(part);
        let used = match &mut self.awaited {
            Awaited::End => Some(part.len()),
            Awaited::Bytes(left) => {
                let used = usize::try_from(*left).unwrap_or(usize::MAX).min(part.len());
                *left -= used as u64;
                (*left == 0).then_some(used)
            }
            Awaited::Found(searcher) => match searcher.read(part) {
                Search::Goes => None,
                Search::Found(used) => Some(used),
                Search::Never => return Err("unmatched"),
            },
        };
        match used {
            Some(used) if used < part.len() => Err("unexpected_bytes"),
            used => Ok(used.is_some()),
        }
    }

    fn keep(&mut self, part: &[u8]) {
        if let Some(kept) = &mut self.kept {
            kept.add_body(part);
        }
    }
}

impl Awaited {
    fn of(expect: &Expect) -> Awaited {
        match expect {
            Expect::Message => Awaited::End,
            Expect::Length(bytes) => Awaited::Bytes(*bytes),
            Expect::Delimiter(pattern) | Expect::Pattern(pattern) => {
                Awaited::Found(pattern.search())
            }
        }
    }
}
