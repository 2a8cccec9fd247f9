//! One exchange of messages under way, and the received part of its response.

use thinktime_core::attempt::Attempt;
use thinktime_core::request::{Expect, Search, Searcher};
use thinktime_core::time::Nanos;

use super::exchange::{Answer, Event, Exchange};
use crate::generator::transport::failure::Failure;
use crate::protocol::{Capture, Excerpt, Outbox};

/// The data to send, and when its answer is complete.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OutgoingMessage<'a> {
    pub(crate) bytes: &'a [u8],
    /// Whether it is a binary message, if a protocol tells those from texts.
    pub(crate) binary: bool,
    pub(crate) expect: &'a Expect,
    /// Where further messages begin in the bytes, if any.
    pub(crate) cuts: &'a [usize],
    /// How many such messages make up the answer.
    pub(crate) messages: u32,
    /// Whether each message waits for the answer to the one before, if the answer has that form.
    pub(crate) each: bool,
}

/// One exchange under way.
pub(crate) struct MessageExchange {
    pub(crate) exchange: Exchange,
    expect: Expect,
    missing: Missing,
    /// The number of missing messages, with the one under way.
    left: u32,
    /// The number of messages in an answer.
    messages: u32,
    /// Whether it waits for nothing until more is sent.
    paused: bool,
    /// The bytes of the answer so far.
    bytes: u64,
    excerpt: Option<Box<Excerpt>>,
    /// Whether a message under way may be the answer.
    within: bool,
}

/// A connection that carries one exchange of messages at a time.
pub(crate) struct SingleExchange {
    capture: Capture,
    /// Its exchange; nothing while idle.
    pub(crate) current: Option<MessageExchange>,
    /// Whether it can carry no other exchange.
    pub(crate) closing: bool,
}

impl SingleExchange {
    /// A connection that keeps this much of answers.
    pub(crate) fn new(capture: Capture) -> SingleExchange {
        SingleExchange { capture, current: None, closing: false }
    }

    pub(crate) fn begin(&mut self, exchange: Exchange, message: &OutgoingMessage<'_>) {
        self.current = Some(MessageExchange::new(exchange, message, self.capture));
    }

    /// The exchange, whose request is sent no further.
    pub(crate) fn take_exchange(&mut self, out: &Outbox) -> Option<Exchange> {
        self.current.take().map(|current| current.exchange.without(out))
    }

    /// Gives an attempt up. Its answer may still come, so the connection must be closed.
    pub(crate) fn give_up(&mut self, attempt: &Attempt, out: &Outbox) -> Option<(Exchange, bool)> {
        let of_it = |current: &mut MessageExchange| current.exchange.attempt == *attempt;
        let current = self.current.take_if(of_it)?;
        self.closing = true;
        Some((current.exchange.without(out), true))
    }
}

/// The missing part.
enum Missing {
    /// Only the end of the message.
    End,
    /// This many bytes.
    Bytes(u64),
    /// A text that must be found.
    Found(Searcher),
}

impl MessageExchange {
    fn new(exchange: Exchange, message: &OutgoingMessage<'_>, capture: Capture) -> MessageExchange {
        MessageExchange {
            exchange,
            expect: message.expect.clone(),
            missing: Missing::of(message.expect),
            left: message.messages,
            messages: message.messages,
            paused: false,
            bytes: 0,
            excerpt: capture.place(),
            within: false,
        }
    }

    /// The complete answer.
    pub(crate) fn finish(self) -> Event {
        let answer = Answer::new(0, self.bytes, self.excerpt);
        Event::Done { exchange: self.exchange, answer }
    }

    /// Answered so far; more must be sent.
    pub(crate) fn pause(&mut self) {
        self.paused = true;
    }

    pub(crate) fn is_paused(&self) -> bool {
        self.paused
    }

    /// More is sent, and waits for its own answer.
    pub(crate) fn resume(&mut self) {
        (self.paused, self.left) = (false, self.messages);
    }

    /// A message begins that may be the answer.
    pub(crate) fn message_begins(&mut self, now: Nanos) {
        if self.paused {
            return;
        }
        self.within = true;
        if self.bytes == 0 {
            self.exchange.first_byte = now;
        }
        self.missing = Missing::of(&self.expect);
        if let Some(excerpt) = &mut self.excerpt {
            excerpt.body.clear();
        }
    }

    /// Takes a part of the message.
    pub(crate) fn message_part(&mut self, part: &[u8]) {
        if !self.within {
            return;
        }
        self.keep(part);
        if let Missing::Found(searcher) = &mut self.missing
            && let Search::Found(_) = searcher.read(part)
        {
            self.missing = Missing::End;
        }
    }

    /// The message is complete, with this many bytes: whether the answer is complete, too.
    pub(crate) fn message_ends(&mut self, bytes: u64) -> bool {
        if !std::mem::take(&mut self.within) || !matches!(self.missing, Missing::End) {
            return false;
        }
        self.bytes += bytes;
        self.left -= 1;
        self.left == 0
    }

    /// Takes bytes of a stream: whether they complete the answer. Bytes beyond the answer are an
    /// error.
    pub(crate) fn stream_part(
        &mut self,
        part: &[u8],
        now: impl FnOnce() -> Nanos,
    ) -> Result<bool, Failure> {
        if self.exchange.first_byte.is_never() {
            self.exchange.first_byte = now();
        }
        self.bytes += part.len() as u64;
        self.keep(part);
        let used = match &mut self.missing {
            Missing::End => Some(part.len()),
            Missing::Bytes(left) => {
                let used = usize::try_from(*left).unwrap_or(usize::MAX).min(part.len());
                *left -= used as u64;
                (*left == 0).then_some(used)
            }
            Missing::Found(searcher) => match searcher.read(part) {
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
        if let Some(excerpt) = &mut self.excerpt {
            excerpt.add_body(part);
        }
    }
}

impl Missing {
    fn of(expect: &Expect) -> Missing {
        match expect {
            Expect::Message => Missing::End,
            Expect::Length(bytes) => Missing::Bytes(*bytes),
            Expect::Delimiter(pattern) | Expect::Pattern(pattern) => {
                Missing::Found(pattern.search())
            }
        }
    }
}
