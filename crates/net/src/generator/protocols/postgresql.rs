//! The generator's side of a connection to PostgreSQL: one request at a time, which is a statement
//! or a transaction.

use std::sync::Arc;

use thinktime_core::attempt::Attempt;

use super::exchange::{Answer, Event, Exchange};
use super::statement::OwnedStatements;
use super::{
    Arrival, Continuation, Conversation, OpenOptions, Outgoing, PathUse, Payload, Protocol,
    statement_mismatch,
};
use crate::generator::transport::failure::Failure;
use crate::protocol::postgresql::{self, Client, Login, PostgresError};
use crate::protocol::{Capture, Excerpt, Outbox};

pub(super) const PROTOCOL: &Protocol = &Protocol {
    alpn: b"postgresql",
    path: PathUse::Database,
    payload: Payload::Statements,
    handshakes: false,
    uses_arrival_time: false,
    multiplexed: false,
    mismatch: statement_mismatch,
    expects: |_| None,
    open: Postgresql::open,
};

/// A connection.
struct Postgresql {
    client: Client,
    capture: bool,
    /// Its request; nothing while idle.
    work: Option<Work>,
    /// Whether it can carry no other request.
    closing: bool,
    /// The statements of the last request, whose memory the next one reuses.
    spare: Option<OwnedStatements>,
}

/// A request under way.
struct Work {
    exchange: Exchange,
    owned: OwnedStatements,
    /// Whether a program gives the statements of its transaction one after another.
    scripted: bool,
    step: Step,
    rows: u32,
    bytes: u64,
    error: Option<Failure>,
}

/// The progress of a request: the event that it waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    /// For the login.
    Waiting,
    /// For the transaction to begin.
    Begin,
    /// For the answer to this statement.
    Statement(usize),
    /// For the program's next step.
    NextStatement,
    /// For the transaction to end.
    Commit,
    /// For the transaction to be undone.
    Rollback,
}

impl Work {
    fn new(exchange: Exchange, owned: OwnedStatements) -> Work {
        Work {
            exchange,
            scripted: owned.sql.statements.is_empty(),
            owned,
            step: Step::Waiting,
            rows: 0,
            bytes: 0,
            error: None,
        }
    }

    /// The next step; nothing after the last one.
    fn next(&self) -> Option<Step> {
        let transaction = self.scripted || self.owned.sql.begin.is_some();
        match self.step {
            Step::Commit | Step::Rollback => None,
            _ if self.error.is_some() => {
                (transaction && self.step != Step::Begin).then_some(Step::Rollback)
            }
            Step::Waiting if transaction => Some(Step::Begin),
            Step::Begin | Step::Statement(_) | Step::NextStatement if self.scripted => {
                Some(Step::NextStatement)
            }
            Step::Waiting | Step::Begin | Step::NextStatement => Some(Step::Statement(0)),
            Step::Statement(place) if place + 1 < self.owned.sql.statements.len() => {
                Some(Step::Statement(place + 1))
            }
            Step::Statement(_) => transaction.then_some(Step::Commit),
        }
    }

    /// Sends the data of this step.
    fn send(&mut self, step: Step, client: &mut Client, out: &mut Outbox) {
        self.step = step;
        let Work { exchange, owned, .. } = self;
        exchange.write(out, |out| match step {
            Step::Waiting | Step::NextStatement => {}
            Step::Begin => client.query(owned.sql.begin.unwrap_or("begin"), out),
            Step::Commit => client.query("commit", out),
            Step::Rollback => client.query("rollback", out),
            Step::Statement(place) => owned.execute(place, client, out),
        });
    }

    /// A part of the answer arrived.
    fn note_answer(&mut self, arrival: Arrival) {
        if self.exchange.first_byte.is_never() {
            self.exchange.first_byte = arrival.now();
        }
    }
}

impl Postgresql {
    fn open(opening: &OpenOptions<'_>, out: &mut Outbox) -> Box<dyn Conversation> {
        let nobody = || {
            let (user, database) = (String::new(), String::new());
            Arc::new(Login { user, database, password: None })
        };
        let login = opening.login.map_or_else(nobody, Arc::clone);
        let capture = opening.capture == Capture::All;
        let client = Client::open(login, capture, out.buffer());
        Box::new(Postgresql { client, capture, work: None, closing: false, spare: None })
    }

    /// Continues a request after a step: the result, if that was the last one.
    fn go_on(&mut self, out: &mut Outbox) -> Option<Event> {
        let work = self.work.as_mut()?;
        if let Some(step) = work.next() {
            let begun = work.step == Step::Begin;
            work.send(step, &mut self.client, out);
            if step != Step::NextStatement {
                return None;
            }
            let attempt = work.exchange.attempt;
            return Some(Event::TransactionTurn { attempt, begun, excerpt: self.excerpt() });
        }
        // A statement may have begun a transaction that only it could end.
        self.closing |= self.client.in_transaction();
        let Work { exchange, owned, rows, bytes, error, .. } = self.work.take()?;
        self.spare = Some(owned);
        let answer = Answer { rows, error, ..Answer::new(0, bytes, self.excerpt()) };
        Some(Event::Done { exchange, answer })
    }

    /// The rows of the last statement that gave any, or the server's error text, if somebody reads
    /// it.
    fn excerpt(&mut self) -> Option<Box<Excerpt>> {
        self.capture.then(|| {
            let (body, cut) = self.client.take_excerpt();
            Box::new(Excerpt { body, cut, ..Excerpt::default() })
        })
    }
}

impl Conversation for Postgresql {
    fn is_idle(&self) -> bool {
        self.work.is_none()
    }

    fn is_closing(&self) -> bool {
        self.closing
    }

    fn begin(&mut self, exchange: Exchange, what: Outgoing<'_>, out: &mut Outbox) {
        let Outgoing::Statements(statements) = what else { return };
        let owned = OwnedStatements::new(statements, self.spare.take());
        self.work = Some(Work::new(exchange, owned));
        if self.client.is_ready() {
            self.go_on(out);
        }
    }

    fn read(
        &mut self,
        bytes: &[u8],
        ending: bool,
        arrival: Arrival,
        out: &mut Outbox,
    ) -> Result<Option<Event>, Failure> {
        let (work, mut over) = (&mut self.work, false);
        let result = self.client.read(bytes, out, |event| {
            let Some(work) = work.as_mut() else { return };
            match event {
                postgresql::Event::Ready => over = true,
                postgresql::Event::Row => {
                    work.rows = work.rows.saturating_add(1);
                    work.note_answer(arrival);
                }
                postgresql::Event::Over { bytes, error } => {
                    over = true;
                    work.bytes += bytes;
                    work.error = work.error.or(error);
                }
            }
        });
        result.map_err(PostgresError::kind)?;
        self.closing |= ending;
        let event = if over { self.go_on(out) } else { None };
        Ok(event.map(|event| match event {
            Event::Done { mut exchange, answer } if exchange.first_byte.is_never() => {
                exchange.first_byte = arrival.now();
                Event::Done { exchange, answer }
            }
            other => other,
        }))
    }

    fn proceed(&mut self, next: Continuation<'_>, out: &mut Outbox) {
        let Some(work) = &mut self.work else { return };
        let step = match next {
            Continuation::Statement(statements) => {
                work.owned.replace(statements);
                Step::Statement(0)
            }
            Continuation::Commit => Step::Commit,
            Continuation::Rollback => Step::Rollback,
        };
        work.send(step, &mut self.client, out);
    }

    /// The answer may still arrive, so the connection is no longer usable.
    fn give_up(
        &mut self,
        attempt: &Attempt,
        _: bool,
        out: &mut Outbox,
    ) -> Option<(Exchange, bool)> {
        let work = self.work.take_if(|work| work.exchange.attempt == *attempt)?;
        self.closing = true;
        Some((work.exchange.without(out), true))
    }

    fn take_exchange(&mut self, out: &Outbox) -> Option<Exchange> {
        self.work.take().map(|work| work.exchange.without(out))
    }

    fn close(&mut self, out: &mut Outbox) {
        self.client.close(out.buffer());
    }
}
