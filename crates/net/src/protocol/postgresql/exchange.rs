//! The context of messages: the statement under way, and the received part of its answer.

use std::collections::BTreeSet;
use std::fmt::Write;

use bytes::BytesMut;
use postgres_protocol::IsNull;
use postgres_protocol::message::backend::Message;
use postgres_protocol::message::frontend;
use thinktime_core::failure::Word;

use super::event::{Event, StatementId};
use super::frames::{Frame, Usage};
use super::login::LoginExchange;
use super::rows::Rows;
use super::{HELD_BYTES_MAX, PostgresError, ServerError};
use crate::protocol::Outbox;

/// A parameter does not fit into a message.
pub(super) const UNFIT: Word = "value_unfit";

/// The context of messages.
pub(super) struct Exchange {
    pub(super) state: State,
    /// The statements that the server has prepared.
    prepared: BTreeSet<StatementId>,
    /// The one that it prepares.
    preparing: Option<StatementId>,
    /// The size of the answer so far.
    bytes: u64,
    pub(super) error: Option<Word>,
    /// The server's report about it.
    pub(super) message: Vec<u8>,
    /// Whether a transaction is open.
    pub(super) in_transaction: bool,
    pub(super) rows: Option<Box<Rows>>,
    /// Messages for an outbox.
    pub(super) scratch: BytesMut,
    /// The name of the current statement.
    name: String,
}

pub(super) enum State {
    Login(LoginExchange),
    /// Waiting for something to do.
    Idle,
    /// An answer is under way.
    Busy,
}

impl Exchange {
    /// Before the first statement.
    pub(super) fn new(state: State, rows: Option<Box<Rows>>, scratch: BytesMut) -> Exchange {
        Exchange {
            state,
            prepared: BTreeSet::new(),
            preparing: None,
            bytes: 0,
            error: None,
            message: Vec::new(),
            in_transaction: false,
            rows,
            scratch,
            name: String::new(),
        }
    }

    /// Before the next statement.
    pub(super) fn begin(&mut self) {
        debug_assert!(matches!(self.state, State::Idle), "one statement at a time");
        self.state = State::Busy;
        (self.bytes, self.error) = (0, None);
    }

    /// Appends the written bytes, and returns their number.
    pub(super) fn send(&mut self, out: &mut Vec<u8>) -> u64 {
        let bytes = self.scratch.len() as u64;
        out.extend_from_slice(&self.scratch);
        // Its memory stays for the next message; splitting it off would give the memory away.
        self.scratch.clear();
        bytes
    }

    /// Writes the messages that run a statement, which is prepared by a name made of this, or by
    /// none.
    pub(super) fn write<'p>(
        &mut self,
        id: Option<StatementId>,
        text: &str,
        parameters: impl ExactSizeIterator<Item = Option<&'p [u8]>>,
    ) -> std::io::Result<()> {
        let Exchange { scratch: out, name, .. } = self;
        name.clear();
        if let Some(StatementId { kind, place }) = id {
            write!(name, "{kind}_{place}").map_err(std::io::Error::other)?;
        }
        if id.is_none_or(|id| !self.prepared.contains(&id)) {
            frontend::parse(name, text, std::iter::empty(), out)?;
            self.preparing = id;
        }
        // All values are texts, in both directions.
        let serialised = |value: Option<&[u8]>, out: &mut BytesMut| {
            let Some(value) = value else { return Ok(IsNull::Yes) };
            out.extend_from_slice(value);
            Ok(IsNull::No)
        };
        let (no, bound) = (std::iter::empty::<i16>, parameters);
        frontend::bind("", name, no(), bound, serialised, no(), out)
            .map_err(|_| std::io::Error::other(UNFIT))?;
        if self.rows.is_some() {
            frontend::describe(b'P', "", out)?;
        }
        frontend::execute("", 0, out)
    }

    /// How to treat a message of this letter and length.
    pub(super) fn use_of(&self, letter: u8, length: u32) -> Usage {
        let looked_into = self.rows.is_some();
        match letter {
            // Authentication, ErrorResponse, ReadyForQuery, CopyInResponse, CopyBothResponse
            b'R' | b'E' | b'Z' | b'G' | b'W' => Usage::Held,
            // RowDescription, DataRow
            b'T' if looked_into => Usage::Held,
            b'D' if looked_into && (length as usize) < HELD_BYTES_MAX => Usage::Held,
            b'T' | b'D' => Usage::Skipped,
            // Completions of Parse, Bind, Close and a command; CopyOutResponse and its data; empty
            // queries, parameters, notices, notifications, keys.
            b'1' | b'2' | b'3' | b'C' | b'H' | b'd' | b'c' | b'I' | b'n' | b's' | b't' | b'S'
            | b'N' | b'A' | b'K' => Usage::Skipped,
            _ => Usage::Unknown,
        }
    }

    /// Takes a message: its event, if it has one.
    pub(super) fn take(
        &mut self,
        frame: Frame<'_>,
        out: &mut Outbox,
    ) -> Result<Option<Event>, PostgresError> {
        self.bytes += frame.size;
        match (frame.letter, &mut self.state) {
            (b'E', _) => self.failed(frame).map(|()| None),
            // Asynchronous ones.
            (b'N' | b'A' | b'S', _) => Ok(None),
            (b'K', State::Login(login)) if login.is_admitted() => Ok(None),
            (b'R', State::Login(login)) => {
                login.take(&parse(frame)?, &mut self.scratch)?;
                let reply = self.scratch.split();
                if !reply.is_empty() {
                    out.reply(|bytes| bytes.extend_from_slice(&reply))?;
                }
                Ok(None)
            }
            (b'Z', State::Login(login)) if login.is_admitted() => {
                self.ready(frame)?;
                Ok(Some(Event::Ready))
            }
            (b'Z', State::Busy) => {
                self.ready(frame)?;
                Ok(Some(Event::Over { bytes: self.bytes, error: self.error }))
            }
            (b'D', State::Busy) => self.row(frame).map(|()| Some(Event::Row)),
            (b'T', State::Busy) => self.columns(frame).map(|()| None),
            (b'1', State::Busy) => {
                self.prepared.extend(self.preparing.take());
                Ok(None)
            }
            (b'G' | b'W', State::Busy) => Err(PostgresError::Copy),
            (b'2' | b'3' | b'C' | b'H' | b'd' | b'c' | b'I' | b'n' | b's' | b't', State::Busy) => {
                Ok(None)
            }
            _ => Err(PostgresError::Malformed),
        }
    }

    fn ready(&mut self, frame: Frame<'_>) -> Result<(), PostgresError> {
        // One byte after the header. The crate's reader would copy it first, for each answer.
        let [_, _, _, _, _, status] = *frame.bytes else { return Err(PostgresError::Malformed) };
        self.in_transaction = match status {
            b'I' => false,
            b'T' | b'E' => true,
            _ => return Err(PostgresError::Malformed),
        };
        self.state = State::Idle;
        Ok(())
    }

    fn failed(&mut self, frame: Frame<'_>) -> Result<(), PostgresError> {
        let Message::ErrorResponse(body) = parse(frame)? else {
            return Err(PostgresError::Malformed);
        };
        let told = ServerError::of(body.fields())?;
        if told.fatal || !matches!(self.state, State::Busy) {
            return Err(PostgresError::Fatal(told.state));
        }
        self.preparing = None;
        // The first error is the reason.
        if self.error.is_none() {
            self.error = Some(told.state.word());
            if self.rows.is_some() {
                self.message = told.message;
            }
        }
        Ok(())
    }

    fn row(&mut self, frame: Frame<'_>) -> Result<(), PostgresError> {
        let Some(rows) = &mut self.rows else { return Ok(()) };
        if frame.bytes.len() as u64 != frame.size {
            rows.skip();
            return Ok(());
        }
        match parse(frame)? {
            Message::DataRow(body) => rows.row(&body),
            _ => Err(PostgresError::Malformed),
        }
    }

    fn columns(&mut self, frame: Frame<'_>) -> Result<(), PostgresError> {
        let Some(rows) = &mut self.rows else { return Ok(()) };
        match parse(frame)? {
            Message::RowDescription(body) => rows.columns(&body),
            _ => Err(PostgresError::Malformed),
        }
    }
}

/// A complete message.
fn parse(frame: Frame<'_>) -> Result<Message, PostgresError> {
    let mut bytes = BytesMut::from(frame.bytes);
    Message::parse(&mut bytes)?.ok_or(PostgresError::Malformed)
}
