//! A client's end of a connection.

use std::sync::Arc;

use bytes::BytesMut;
use postgres_protocol::message::frontend;

use super::PostgresError;
use super::event::{Event, StatementId};
use super::exchange::{Exchange, State, UNFIT};
use super::frames::Frames;
use super::login::{Login, LoginExchange};
use super::rows::Rows;
use crate::protocol::{KEPT_BODY_BYTES_MAX, Outbox};

/// A client's end of one connection.
pub struct Client {
    frames: Frames,
    exchange: Exchange,
}

impl Client {
    /// Opens a connection, and writes the first message. With `keeping`, rows are kept as JSON.
    #[must_use]
    pub fn open(login: Arc<Login>, with_rows: bool, out: &mut Vec<u8>) -> Client {
        let mut scratch = BytesMut::new();
        let state = State::Login(LoginExchange::begin(login, &mut scratch));
        out.extend_from_slice(&scratch.split());
        let rows = with_rows.then(|| Box::new(Rows::of(KEPT_BODY_BYTES_MAX)));
        let exchange = Exchange::new(state, rows, scratch);
        Client { frames: Frames::default(), exchange }
    }

    /// Whether a statement can be sent.
    #[must_use]
    pub fn is_ready(&self) -> bool {
        matches!(self.exchange.state, State::Idle)
    }

    /// Whether a transaction is open.
    #[must_use]
    pub fn in_transaction(&self) -> bool {
        self.exchange.in_transaction
    }

    /// Runs a statement with these parameters; `None` is null. It is prepared first if it is new to
    /// the connection, and each time if it has no name. Returns its size in bytes.
    pub fn execute<'p>(
        &mut self,
        id: Option<StatementId>,
        text: &str,
        parameters: impl ExactSizeIterator<Item = Option<&'p [u8]>>,
        out: &mut Vec<u8>,
    ) -> u64 {
        let exchange = &mut self.exchange;
        exchange.begin();
        if exchange.write(id, text, parameters).is_err() {
            // Then the statement is empty, and the server answers that.
            exchange.scratch.clear();
            exchange.error = Some(UNFIT);
        }
        frontend::sync(&mut exchange.scratch);
        exchange.send(out)
    }

    /// Runs a statement without parameters that is not prepared.
    pub fn query(&mut self, text: &'static str, out: &mut Vec<u8>) {
        self.exchange.begin();
        let written = frontend::query(text, &mut self.exchange.scratch);
        debug_assert!(written.is_ok(), "it has no zero byte");
        self.exchange.send(out);
    }

    /// Ends the session.
    pub fn close(&mut self, out: &mut Vec<u8>) {
        frontend::terminate(&mut self.exchange.scratch);
        self.exchange.send(out);
    }

    /// The rows of the last statement as JSON, and whether some are missing; or the server's error.
    /// Empty if nothing is kept.
    pub fn take_excerpt(&mut self) -> (Vec<u8>, bool) {
        let rows = self.exchange.rows.as_mut().map_or((Vec::new(), false), |rows| rows.take());
        let message = std::mem::take(&mut self.exchange.message);
        if message.is_empty() { rows } else { (message, false) }
    }

    /// Feeds arrived bytes. Their events go to `take`, and replies are appended to `out`.
    ///
    /// # Errors
    /// If the connection is no longer usable.
    pub fn read(
        &mut self,
        bytes: &[u8],
        out: &mut Outbox,
        mut take: impl FnMut(Event),
    ) -> Result<(), PostgresError> {
        self.frames.read(bytes, &mut self.exchange, Exchange::use_of, |exchange, frame| {
            exchange.take(frame, out)?.map_or(Ok(()), |event| {
                take(event);
                Ok(())
            })
        })
    }
}
