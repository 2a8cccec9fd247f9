//! The state that scripts' functions work on.

use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;
use std::sync::Arc;

use mlua::{Table, Value};
use thinktime_core::data::DataTable;
use thinktime_core::distribution::Distribution;
use thinktime_core::files::NoFiles;
use thinktime_core::program::{Reply, Report, SharedAnswer};
use thinktime_core::random::{Stream, StreamFamily};
use thinktime_core::request::{Call, GrpcCall, header_values};
use thinktime_core::time::Nanos;
use thinktime_core::units::Dimension;

use crate::answer::Answer;
use crate::family::Family;
use crate::send::Expectations;
use crate::shared::Variables;
use crate::statements::Statements;
use crate::text::Patterns;
use crate::{Text, call};

/// The state that host functions work on: the session whose turn it is, and the state that all
/// share.
#[derive(Debug)]
pub(crate) struct Host {
    pub(crate) now: Nanos,
    /// The session whose turn it is.
    pub(crate) slot: usize,
    pub(crate) sessions: Vec<Session>,
    /// Numbers the turns: a response can be read only in the turn that began with it.
    pub(crate) serial: u64,
    pub(crate) head: Vec<u8>,
    pub(crate) body: Vec<u8>,
    /// Whether that is only the beginning.
    pub(crate) cut: bool,
    pub(crate) requests: Vec<String>,
    /// Which of these are calls of gRPC; empty if there is no such call.
    calls: Vec<Option<Arc<GrpcCall>>>,
    laws: BTreeMap<String, Distribution>,
    expectations: Expectations,
    pub(crate) statements: Statements,
    pub(crate) shared: Variables,
    /// Sessions that waited and may continue: they have their lock now, or their children have
    /// ended.
    pub(crate) woken: VecDeque<usize>,
    /// The session of each child that is still to be begun.
    pub(crate) spawned: VecDeque<usize>,
    pub(crate) streams: StreamFamily,
    pub(crate) patterns: Patterns,
    pub(crate) data: Arc<[DataTable]>,
    pub(crate) report: Report,
    /// Turns in a row that did not end; a request resets the count.
    pub(crate) endless_turns: u32,
}

/// A session, besides its coroutine.
#[derive(Debug)]
pub(crate) struct Session {
    pub(crate) number: u64,
    pub(crate) stream: Stream,
    /// The request that it asks for, or waits for, and its kind.
    pub(crate) call: Option<Rc<Call>>,
    pub(crate) kind: u32,
    /// The next statement of its transaction.
    pub(crate) statement: Option<Rc<Call>>,
    /// The error, if its transaction could not continue: the session ends with it.
    pub(crate) doomed: Option<String>,
    /// Whether it has ever waited.
    pub(crate) asked: bool,
    /// The number of times that its program began before.
    begun: u32,
    /// The number of times that it continued at `instant`, the time of its last turn.
    turns: u32,
    instant: Nanos,
    /// The slot of its parent, if it is a child.
    pub(crate) parent: Option<usize>,
    /// The number of functions that children have run for it.
    pub(crate) parts: u64,
    /// Whether it has used a shared variable or lock.
    pub(crate) shares: bool,
    /// The answer to that, if it waited.
    pub(crate) shared_return: Option<SharedAnswer>,
    pub(crate) family: Option<Box<Family>>,
}

/// A session that continues more often than this while no time passes would never stop.
pub(crate) const TURNS_AT_ONCE_MAX: u32 = 10_000;

impl Session {
    pub(crate) fn new(number: u64, begun: u32, stream: Stream) -> Session {
        Session {
            number,
            stream,
            call: None,
            kind: 0,
            statement: None,
            doomed: None,
            asked: false,
            begun,
            turns: 0,
            instant: Nanos::MAX,
            parent: None,
            parts: 0,
            shares: false,
            shared_return: None,
            family: None,
        }
    }

    pub(crate) fn begun(&self) -> u32 {
        self.begun
    }
}

impl Host {
    pub(crate) fn new(
        script: &Text,
        shared: Variables,
        streams: StreamFamily,
        data: &Arc<[DataTable]>,
    ) -> Host {
        Host {
            now: Nanos::ZERO,
            slot: 0,
            sessions: Vec::new(),
            serial: 0,
            head: Vec::new(),
            body: Vec::new(),
            cut: false,
            requests: script.requests.clone(),
            calls: script.calls.clone(),
            laws: BTreeMap::new(),
            expectations: Expectations::default(),
            statements: Statements::default(),
            shared,
            woken: VecDeque::new(),
            spawned: VecDeque::new(),
            streams,
            patterns: Patterns::default(),
            data: Arc::clone(data),
            report: Report::default(),
            endless_turns: 0,
        }
    }

    /// A session begins in this slot, perhaps once more.
    pub(crate) fn place(&mut self, slot: usize, mut session: Session) {
        if slot >= self.sessions.len() {
            let empty = || Session::new(0, 0, session.stream.clone());
            self.sessions.resize_with(slot + 1, empty);
        }
        let place = &mut self.sessions[slot];
        if session.begun > 0 {
            (session.turns, session.instant) = (place.turns, place.instant);
        }
        *place = session;
    }

    /// This session's turn begins; says whether it may continue once more.
    pub(crate) fn give_turn(&mut self, now: Nanos, slot: usize) -> bool {
        (self.now, self.slot) = (now, slot);
        self.serial += 1;
        let session = self.session();
        session.turns = if session.instant == now { session.turns + 1 } else { 0 };
        session.instant = now;
        session.turns < TURNS_AT_ONCE_MAX
    }

    /// Keeps a response for this turn.
    pub(crate) fn keep(&mut self, reply: &Reply<'_>) {
        self.head.clear();
        self.head.extend_from_slice(reply.head);
        self.body.clear();
        self.body.extend_from_slice(reply.body);
        self.cut = reply.cut;
    }

    /// The time since the session's last turn.
    pub(crate) fn since_last_turn(&self, now: Nanos, slot: usize) -> Nanos {
        now.since(self.sessions[slot].instant)
    }

    /// The session has ended.
    pub(crate) fn leave(&mut self, slot: usize) {
        self.sessions[slot].call = None;
        self.return_answer(slot);
    }

    pub(crate) fn session(&mut self) -> &mut Session {
        &mut self.sessions[self.slot]
    }

    /// A draw from a distribution in its notation, in the base unit.
    pub(crate) fn draw(&mut self, text: &str, wanted: Option<Dimension>) -> Answer<f64> {
        if !self.laws.contains_key(text) {
            let law = Distribution::parse(text, &NoFiles).map_err(|error| error.to_string())?;
            self.laws.insert(text.to_owned(), law);
        }
        let law = &self.laws[text];
        if let Some(wanted) = wanted
            && law.dimension() != wanted
            && law.dimension() != Dimension::Number
        {
            let (is, wanted) = (law.dimension().words(), wanted.words());
            return Err(format!("`{text}` gives {is}, wanted {wanted}"));
        }
        Ok(law.sample(&mut self.sessions[self.slot].stream))
    }

    pub(crate) fn time(&mut self, value: &Value) -> Answer<f64> {
        let seconds = match value {
            Value::Integer(number) => *number as f64,
            Value::Number(number) => *number,
            Value::String(text) => self.draw(&text.to_string_lossy(), Some(Dimension::Time))?,
            other => {
                let kind = other.type_name();
                return Err(format!(
                    "a think time is seconds, or text as in \"exp(7s)\", not {kind}"
                ));
            }
        };
        if seconds >= 0.0 { Ok(seconds) } else { Err(format!("{seconds} is no think time")) }
    }

    pub(crate) fn call(
        &mut self,
        method: &str,
        target: &Value,
        options: Option<&Table>,
        body: &Value,
    ) -> Answer<()> {
        let made = |(call, name)| (Some(Rc::new(call)), name);
        let (call, name) = match method {
            "SEND" => self.expectations.send(options, body).map(made)?,
            // Its value stands in the workload.
            "CALL" if body.is_nil() && options.is_none() => (None, Some(call::name_of(target)?)),
            "CALL" => self.grpc(&call::name_of(target)?, options, body).map(made)?,
            _ => call::call(method, target, options, body).map(made)?,
        };
        let kind = self.kind_of(name.as_deref())?;
        let session = self.session();
        (session.kind, session.call) = (kind, call);
        Ok(())
    }

    /// The call of gRPC of the workload's request of this name, with a message of the script's.
    fn grpc(
        &self,
        name: &str,
        options: Option<&Table>,
        message: &Value,
    ) -> Answer<(Call, Option<String>)> {
        let place = self.kind(name)? as usize;
        let Some(known) = self.calls.get(place).and_then(Option::as_ref) else {
            return Err(format!("the request `{name}` has no `grpc`, and so takes no message"));
        };
        call::grpc(known, options, message).map(|call| (call, Some(name.to_owned())))
    }

    /// The place of the request of this name, or of the first one without a name.
    pub(crate) fn kind_of(&self, name: Option<&str>) -> Answer<u32> {
        name.map_or(Ok(0), |name| self.kind(name))
    }

    fn kind(&self, name: &str) -> Answer<u32> {
        let place = self.requests.iter().position(|known| known == name);
        place.map(|at| at as u32).ok_or_else(|| {
            format!(
                "the workload has no request `{name}`: declare it, as in [[request]] name = \
                 \"{name}\"; it has {}",
                self.requests.join(", ")
            )
        })
    }

    /// Whether a response of this turn can be read.
    pub(crate) fn current(&self, serial: u64) -> Answer<()> {
        if serial == self.serial {
            return Ok(());
        }
        Err("a response can be read until the client's next request or think time only: keep \
             what you need of it in a variable"
            .to_owned())
    }

    pub(crate) fn header(&self, serial: u64, name: &str) -> Answer<Option<String>> {
        self.current(serial)?;
        let first = header_values(&self.head, name).next();
        Ok(first.map(|value| String::from_utf8_lossy(value).into_owned()))
    }
}
