//! One attempt on its way.

use thinktime_core::attempt::{Attempt, Fate};
use thinktime_core::record::Row;
use thinktime_core::time::Nanos;

use crate::generator::transport::failure::Failure;
use crate::protocol::Excerpt;

/// One attempt on its way.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Exchange {
    pub(crate) attempt: Attempt,
    /// When it was handed to the kernel: a request to write, or first a connection to open.
    pub(crate) sent: Nanos,
    /// When the first byte of the response came.
    pub(crate) first_byte: Nanos,
    /// When its last byte came, where the kernel tells; else it is when it was read.
    pub(crate) last_byte: Nanos,
    pub(crate) bytes_sent: u64,
    /// Whether it went out before, over a connection on which the server did not look at it.
    pub(crate) resent: bool,
}

/// A complete response.
pub(crate) struct Answer {
    pub(crate) status: u16,
    /// Its size in bytes.
    pub(crate) bytes: u64,
    /// How long the server says that it took; [`Nanos::MAX`] where it says nothing.
    pub(crate) server_time: Nanos,
    /// The rows that a database returned.
    pub(crate) rows: u32,
    /// What went wrong, where the protocol has a word for that.
    pub(crate) error: Option<Failure>,
    /// Its head and body, if they are kept.
    pub(crate) excerpt: Option<Box<Excerpt>>,
}

impl Answer {
    /// A response with this status and size, and what is kept of it.
    pub(crate) fn new(status: u16, bytes: u64, excerpt: Option<Box<Excerpt>>) -> Answer {
        Answer { status, bytes, server_time: Nanos::MAX, rows: 0, error: None, excerpt }
    }
}

/// What reading a connection brought.
pub(crate) enum Event {
    /// All is read.
    Blocked,
    /// There may be more to read, after others have had their turn.
    Later,
    /// The handshake is over: what waited for it can begin.
    Ready,
    /// A response is complete.
    Done { exchange: Exchange, answer: Answer },
    /// A transaction whose statements a program gives has begun, or its last statement is answered,
    /// with this: it is to be said what comes next.
    TransactionTurn { attempt: Attempt, begun: bool, excerpt: Option<Box<Excerpt>> },
    /// The server did not look at the request, and says so.
    Unprocessed(Exchange),
    /// An exchange failed; the connection goes on.
    Failed { exchange: Exchange, failure: Failure },
}

impl Exchange {
    /// An attempt that is about to go out.
    pub(crate) fn new(attempt: Attempt, sent: Nanos) -> Exchange {
        Exchange {
            attempt,
            sent,
            first_byte: Nanos::MAX,
            last_byte: Nanos::MAX,
            bytes_sent: 0,
            resent: false,
        }
    }

    /// Whether nothing of the response has come, so that the request may go out again elsewhere.
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
