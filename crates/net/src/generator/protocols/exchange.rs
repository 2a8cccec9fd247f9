//! One attempt under way.

use thinktime_core::attempt::{Attempt, Fate};
use thinktime_core::record::Row;
use thinktime_core::time::Nanos;

use crate::generator::transport::failure::Failure;
use crate::protocol::{Excerpt, Outbox, StreamNews};

/// One attempt under way.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Exchange {
    pub(crate) attempt: Attempt,
    /// When it was handed to the kernel: a request to write, or first a connection to open.
    pub(crate) sent: Nanos,
    /// When the first byte of the response arrived.
    pub(crate) first_byte: Nanos,
    /// When its last byte arrived, by the kernel if known; else when it was read.
    pub(crate) last_byte: Nanos,
    pub(crate) bytes_sent: u64,
    /// How often it was sent before, over connections on which the server did not process it.
    pub(crate) resent: u8,
}

/// A complete response.
pub(crate) struct Answer {
    pub(crate) status: u16,
    /// Its size in bytes.
    pub(crate) bytes: u64,
    /// The server's own time; [`Nanos::MAX`] if not given.
    pub(crate) server_time: Nanos,
    /// The number of rows from a database.
    pub(crate) rows: u32,
    /// The error, if the protocol has a word for it.
    pub(crate) error: Option<Failure>,
    /// Its head and body, if they are kept.
    pub(crate) excerpt: Option<Box<Excerpt>>,
}

impl Answer {
    /// A response with this status and size, and its kept parts.
    pub(crate) fn new(status: u16, bytes: u64, excerpt: Option<Box<Excerpt>>) -> Answer {
        Answer { status, bytes, server_time: Nanos::MAX, rows: 0, error: None, excerpt }
    }
}

/// The result of reading a connection.
pub(crate) enum Event {
    /// All is read.
    Blocked,
    /// There may be more to read, after the others' turn.
    Later,
    /// The handshake has ended: waiting exchanges can begin.
    Ready,
    /// A part of a streamed response arrived at this time.
    News { attempt: Attempt, news: StreamNews, at: Nanos },
    /// A response is complete.
    Done { exchange: Exchange, answer: Answer },
    /// A transaction whose statements a program gives has begun, or its last statement is answered,
    /// with this: the program must give the next step.
    TransactionTurn { attempt: Attempt, begun: bool, excerpt: Option<Box<Excerpt>> },
    /// The server did not process the request, and says so. `others_taken` says that it took other
    /// requests of the connection, which it is about to close.
    Unprocessed { exchange: Exchange, others_taken: bool },
    /// An exchange failed; the connection continues.
    Failed { exchange: Exchange, failure: Failure },
}

impl Event {
    /// The server did not process the request, for all that is known.
    pub(crate) fn unprocessed(exchange: Exchange) -> Event {
        Event::Unprocessed { exchange, others_taken: false }
    }
}

impl Exchange {
    /// An attempt before it is sent.
    pub(crate) fn new(attempt: Attempt, sent: Nanos) -> Exchange {
        Exchange {
            attempt,
            sent,
            first_byte: Nanos::MAX,
            last_byte: Nanos::MAX,
            bytes_sent: 0,
            resent: 0,
        }
    }

    /// Writes a part of its request, and counts its bytes.
    pub(crate) fn write(&mut self, out: &mut Outbox, write: impl FnOnce(&mut Vec<u8>)) {
        let before = out.written();
        write(out.buffer());
        self.bytes_sent += out.written() - before;
    }

    /// A part of its request was not sent, and will not be.
    pub(crate) fn cut_short(&mut self, unsent: u64) {
        self.bytes_sent = self.bytes_sent.saturating_sub(unsent);
    }

    /// The exchange, of which nothing more is sent that lies in its connection's outbox.
    #[must_use]
    pub(crate) fn without(mut self, out: &Outbox) -> Exchange {
        self.cut_short(out.unsent().len() as u64);
        self
    }

    /// Whether nothing of the response has arrived, so that the request may be sent again
    /// elsewhere.
    pub(crate) fn untouched(&self) -> bool {
        self.first_byte.is_never()
    }

    /// The row of the attempt, which ended at `done`.
    pub(crate) fn row(&self, fate: Fate, done: Nanos) -> Row {
        Row {
            sent: self.sent,
            first_byte: self.first_byte,
            bytes_sent: self.bytes_sent,
            ..Row::ended(self.attempt, fate, done)
        }
    }
}
