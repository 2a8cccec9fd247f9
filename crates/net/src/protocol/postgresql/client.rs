//! A client's end of a connection.

use std::collections::HashSet;
use std::sync::Arc;

use bytes::BytesMut;
use postgres_protocol::IsNull;
use postgres_protocol::message::backend::Message;
use postgres_protocol::message::frontend;
use thinktime_core::record::Word;

use super::frames::{Frame, Frames, Use};
use super::login::{LoggingIn, Login};
use super::rows::Rows;
use super::{HELD_BYTES_MAX, PostgresError, Told};
use crate::protocol::{KEPT_BODY_BYTES_MAX, Outbox};

/// A parameter does not go into a message.
const UNFIT: Word = "value_unfit";

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
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
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

/// What messages are about.
struct Side {
    state: State,
    /// The statements that the server has prepared.
    prepared: HashSet<StatementId>,
    /// The one that it prepares.
    preparing: Option<StatementId>,
    /// The size of the answer so far.
    bytes: u64,
    error: Option<Word>,
    /// What the server said of it.
    message: Vec<u8>,
    /// Whether a transaction is open.
    in_transaction: bool,
    rows: Option<Box<Rows>>,
    /// Messages on their way into an outbox.
    scratch: BytesMut,
}

enum State {
    LoggingIn(LoggingIn),
    /// Waiting for something to do.
    Idle,
    /// An answer is on its way.
    Busy,
}

impl Client {
    /// Opens a connection, and writes what is said first. Where `keeping`, rows are kept as JSON.
    #[must_use]
    pub fn open(login: Arc<Login>, keeping: bool, out: &mut Vec<u8>) -> Client {
        let mut scratch = BytesMut::new();
        let state = State::LoggingIn(LoggingIn::begin(login, &mut scratch));
        out.extend_from_slice(&scratch.split());
        let side = Side {
            state,
            prepared: HashSet::new(),
            preparing: None,
            bytes: 0,
            error: None,
            message: Vec::new(),
            in_transaction: false,
            rows: keeping.then(|| Box::new(Rows::of(KEPT_BODY_BYTES_MAX))),
            scratch,
        };
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

    /// Runs a statement, which is prepared first where it is new to the connection, with these
    /// parameters. Says how many bytes that takes.
    pub fn execute<'p>(
        &mut self,
        id: StatementId,
        text: &str,
        parameters: impl ExactSizeIterator<Item = &'p [u8]>,
        out: &mut Vec<u8>,
    ) -> u64 {
        let side = &mut self.side;
        side.begin();
        let name = format!("{}_{}", id.kind, id.place);
        if side.write(id, &name, text, parameters).is_err() {
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

    /// The rows of the last statement as JSON, and whether some are missing; or what the server said
    /// of what it did not do. Empty where nothing is kept.
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

impl Side {
    fn begin(&mut self) {
        debug_assert!(matches!(self.state, State::Idle), "one statement at a time");
        self.state = State::Busy;
        (self.bytes, self.error) = (0, None);
    }

    fn send(&mut self, out: &mut Vec<u8>) -> u64 {
        let message = self.scratch.split();
        out.extend_from_slice(&message);
        message.len() as u64
    }

    fn write<'p>(
        &mut self,
        id: StatementId,
        name: &str,
        text: &str,
        parameters: impl ExactSizeIterator<Item = &'p [u8]>,
    ) -> std::io::Result<()> {
        let out = &mut self.scratch;
        if !self.prepared.contains(&id) {
            frontend::parse(name, text, std::iter::empty(), out)?;
            self.preparing = Some(id);
        }
        // All values are texts, in both directions.
        let serialised = |value: &[u8], out: &mut BytesMut| {
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

    /// What becomes of a message of this letter and length.
    fn becomes(&self, letter: u8, length: u32) -> Use {
        let looked_into = self.rows.is_some();
        match letter {
            // Authentication, ErrorResponse, ReadyForQuery, CopyInResponse, CopyBothResponse
            b'R' | b'E' | b'Z' | b'G' | b'W' => Use::Held,
            // RowDescription, DataRow
            b'T' if looked_into => Use::Held,
            b'D' if looked_into && (length as usize) < HELD_BYTES_MAX => Use::Held,
            b'T' | b'D' => Use::Skipped,
            // Completions of Parse, Bind, Close and a command; CopyOutResponse and its data; empty
            // queries, parameters, notices, notifications, keys.
            b'1' | b'2' | b'3' | b'C' | b'H' | b'd' | b'c' | b'I' | b'n' | b's' | b't' | b'S'
            | b'N' | b'A' | b'K' => Use::Skipped,
            _ => Use::Unknown,
        }
    }

    fn take(&mut self, frame: Frame<'_>, out: &mut Outbox) -> Result<Option<Event>, PostgresError> {
        self.bytes += frame.size;
        match (frame.letter, &mut self.state) {
            (b'E', _) => self.failed(frame).map(|()| None),
            // Asynchronous ones.
            (b'N' | b'A' | b'S', _) => Ok(None),
            (b'K', State::LoggingIn(login)) if login.is_admitted() => Ok(None),
            (b'R', State::LoggingIn(login)) => {
                login.take(&whole(frame)?, &mut self.scratch)?;
                let reply = self.scratch.split();
                if !reply.is_empty() {
                    out.reply(|bytes| bytes.extend_from_slice(&reply))?;
                }
                Ok(None)
            }
            (b'Z', State::LoggingIn(login)) if login.is_admitted() => {
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
        let Message::ReadyForQuery(body) = whole(frame)? else {
            return Err(PostgresError::Malformed);
        };
        self.in_transaction = match body.status() {
            b'I' => false,
            b'T' | b'E' => true,
            _ => return Err(PostgresError::Malformed),
        };
        self.state = State::Idle;
        Ok(())
    }

    fn failed(&mut self, frame: Frame<'_>) -> Result<(), PostgresError> {
        let Message::ErrorResponse(body) = whole(frame)? else {
            return Err(PostgresError::Malformed);
        };
        let told = Told::of(body.fields())?;
        if told.fatal || !matches!(self.state, State::Busy) {
            return Err(PostgresError::Fatal(told.state));
        }
        self.preparing = None;
        // What comes first is why.
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
        match whole(frame)? {
            Message::DataRow(body) => rows.row(&body),
            _ => Err(PostgresError::Malformed),
        }
    }

    fn columns(&mut self, frame: Frame<'_>) -> Result<(), PostgresError> {
        let Some(rows) = &mut self.rows else { return Ok(()) };
        match whole(frame)? {
            Message::RowDescription(body) => rows.columns(&body),
            _ => Err(PostgresError::Malformed),
        }
    }
}

/// A message that has come whole.
fn whole(frame: Frame<'_>) -> Result<Message, PostgresError> {
    let mut bytes = BytesMut::from(frame.bytes);
    Message::parse(&mut bytes)?.ok_or(PostgresError::Malformed)
}
