//! One exchange of messages under way, and how much of its answer has come.

use thinktime_core::time::Nanos;
use thinktime_core::workload::{Expect, Search, Searcher};

use super::exchange::{Answer, Exchange};
use super::failure::Failure;
use crate::protocol::{Keeping, Kept};

/// What is sent, and when its answer is complete.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sending<'a> {
    pub(super) bytes: &'a [u8],
    /// Whether it is a binary message, where a protocol tells those from texts.
    pub(super) binary: bool,
    pub(super) expect: &'a Expect,
}

/// One exchange under way.
pub(super) struct Answering {
    pub(super) exchange: Exchange,
    expect: Expect,
    awaited: Awaited,
    /// The bytes of the answer so far.
    bytes: u64,
    kept: Option<Box<Kept>>,
    /// Whether a message that may be the answer is under way.
    within: bool,
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
    pub(super) fn new(exchange: Exchange, expect: &Expect, keeping: Keeping) -> Answering {
        let kept = keeping.place();
        let awaited = Awaited::of(expect);
        Answering { exchange, expect: expect.clone(), awaited, bytes: 0, kept, within: false }
    }

    /// The complete answer.
    pub(super) fn over(self, bytes: u64) -> (Exchange, Answer) {
        (self.exchange, Answer { status: 0, bytes, kept: self.kept })
    }

    /// The size of the answer so far, in bytes.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// A message begins, which may be the answer.
    pub(super) fn message_begins(&mut self, now: Nanos) {
        self.within = true;
        self.exchange.first_byte = now;
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

    /// The message is complete: whether it is the answer.
    pub(super) fn message_ends(&mut self) -> bool {
        std::mem::take(&mut self.within) && matches!(self.awaited, Awaited::End)
    }

    /// Takes bytes of a stream in: whether they complete the answer. More of them than the answer
    /// needs are too many.
    pub(super) fn stream_part(&mut self, part: &[u8], now: Nanos) -> Result<bool, Failure> {
        if self.exchange.first_byte.is_never() {
            self.exchange.first_byte = now;
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
