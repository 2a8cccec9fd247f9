//! A client's end of a connection.

use std::sync::Arc;

use bytes::BytesMut;
use postgres_protocol::message::frontend;
use thinktime_core::failure::Word;

use super::PostgresError;
use super::frames::Frames;
use super::login::{LoggingIn, Login};
use super::rows::Rows;
use super::side::{Side, State, UNFIT};
use crate::protocol::{KEPT_BODY_BYTES_MAX, Outbox};

/// What came.
#[derive(Debug, PartialEq, Eq)]
pub enum Event {
    /// Statements can be sent.
    Ready,
    /// A row begins to come, or has come where rows are kept.
    Row,
    /// The answer is over to what was sent.
    Over {
        /// Its size in bytes: all messages with their headers.
        bytes: u64,
        /// The word for what the server did not do, if so.
        error: Option<Word>,
    },
}

/// Names a statement on all connections.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct StatementId {
    /// Whose it is.
    pub kind: u32,
    /// Its place among those of the same kind.
    pub place: u32,
}

/// A client's end of one connection.
pub struct Client {
    frames: Frames,
    side: Side,
}

impl Client {
    /// Opens a connection, and writes what is said first. Where `keeping`, rows are kept as JSON.
    #[must_use]
    pub fn open(login: Arc<Login>, keeping: bool, out: &mut Vec<u8>) -> Client {
        let mut scratch = BytesMut::new();
        let state = State::LoggingIn(LoggingIn::begin(login, &mut scratch));
        out.extend_from_slice(&scratch.split());
        let rows = keeping.then(|| Box::new(Rows::of(KEPT_BODY_BYTES_MAX)));
        let side = Side::new(state, rows, scratch);
        Client { frames: Frames::default(), side }
    }

    /// Whether a statement can be sent.
    #[must_use]
    pub fn is_ready(&self) -> bool {
        matches!(self.side.state, State::Idle)
    }

    /// Whether a transaction is open.
    #[must_use]
    pub fn in_transaction(&self) -> bool {
        self.side.in_transaction
    }

    /// Runs a statement with these parameters, of which none is a null. It is prepared first where
    /// it is new to the connection, and each time where it has no name. Says how many bytes that
    /// takes.
    pub fn execute<'p>(
        &mut self,
        id: Option<StatementId>,
        text: &str,
        parameters: impl ExactSizeIterator<Item = Option<&'p [u8]>>,
        out: &mut Vec<u8>,
    ) -> u64 {
        let side = &mut self.side;
        side.begin();
        if side.write(id, text, parameters).is_err() {
            // Then nothing is asked for, and the server answers that.
            side.scratch.clear();
            side.error = Some(UNFIT);
        }
        frontend::sync(&mut side.scratch);
        side.send(out)
    }

    /// Runs a statement without parameters that is not prepared. Says how many bytes that takes.
    pub fn query(&mut self, text: &'static str, out: &mut Vec<u8>) -> u64 {
        self.side.begin();
        let written = frontend::query(text, &mut self.side.scratch);
        debug_assert!(written.is_ok(), "it has no zero byte");
        self.side.send(out)
    }

    /// Says goodbye.
    pub fn close(&mut self, out: &mut Vec<u8>) {
        frontend::terminate(&mut self.side.scratch);
        self.side.send(out);
    }

    /// The rows of the last statement as JSON, and whether some are missing; or what the server
    /// said of what it did not do. Empty where nothing is kept.
    pub fn take_kept(&mut self) -> (Vec<u8>, bool) {
        let rows = self.side.rows.as_mut().map_or((Vec::new(), false), |rows| rows.take());
        let message = std::mem::take(&mut self.side.message);
        if message.is_empty() { rows } else { (message, false) }
    }

    /// Feeds bytes as they arrived. What came of them goes to `take`, and what is to be said to it
    /// is appended to `out`.
    ///
    /// # Errors
    /// When the connection is of no use any more.
    pub fn read(
        &mut self,
        bytes: &[u8],
        out: &mut Outbox,
        mut take: impl FnMut(Event),
    ) -> Result<(), PostgresError> {
        self.frames.read(bytes, &mut self.side, Side::becomes, |side, frame| {
            side.take(frame, out)?.map_or(Ok(()), |event| {
                take(event);
                Ok(())
            })
        })
    }
}
