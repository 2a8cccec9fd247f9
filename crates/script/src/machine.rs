//! One interpreter with all the sessions of a run.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;
use std::sync::Arc;

use mlua::{Function, Lua, Result, Value};
use thinktime_core::data::DataTable;
use thinktime_core::program::{
    Action, Event, Programs, Reply, Report, SharedAnswer, SharedRequest, TransactionStep,
};
use thinktime_core::random::{Purpose, StreamFamily};
use thinktime_core::request::Call;
use thinktime_core::time::Nanos;

use crate::host::{Host, Session, TURNS_AT_ONCE_MAX};
use crate::sandbox::{self, Budget};
use crate::shared::{Local, Variables};
use crate::{Text, functions};

/// After this many turns without an end, and without a request among them, no session begins any
/// more.
const ENDLESS_TURNS_MAX: u32 = 20;
const PRELUDE: &str = include_str!("prelude.luau");

/// The result of `step`, as in the prelude.
const ENDED: u32 = 0;
const REQUEST: u32 = 1;
const THINK: u32 = 2;
const WAIT: u32 = 3;
const STATEMENT: u32 = 5;
const COMMIT: u32 = 6;
const UNDO: u32 = 7;
/// Its argument when a transaction continues: whether the transaction begins.
const BEGUN: bool = true;
const STEPPED: bool = false;

/// The words in a script that read responses.
const READERS: [&str; 5] = ["body", "json", "header", "match", "find_all"];
/// The words that do so if there is SQL.
const SQL_READERS: [&str; 2] = ["rows", "message"];

/// Whether a script reads responses.
fn reads_responses(source: &str) -> bool {
    let has = |word: &&str| source.contains(word);
    READERS.iter().any(has) || source.contains("sql") && SQL_READERS.iter().any(has)
}

#[derive(Debug)]
pub(crate) struct Machine {
    name: String,
    /// Kept alive: the functions below belong to it. The prelude holds the coroutines, in a table
    /// by slot: one handle each would fill the interpreter's stack of references.
    _lua: Lua,
    begin: Function,
    begin_child: Function,
    step: Function,
    forget: Function,
    host: Rc<RefCell<Host>>,
    budget: Budget,
    reads_responses: bool,
}

impl Machine {
    pub(crate) fn new(script: &Text, seed: u64, data: &Arc<[DataTable]>) -> Result<Machine> {
        let (lua, budget) = sandbox::interpreter()?;
        let shared = Variables::Here(Local::default());
        let streams = StreamFamily::new(seed, Purpose::Program);
        let host = Host::new(script, shared, streams, data);
        let host = Rc::new(RefCell::new(host));
        let functions = functions::functions(&lua, &host)?;
        let coroutine: mlua::Table = lua.globals().get("coroutine")?;
        let thread = |name: &str| coroutine.get::<Function>(name);
        let (wait, create) = (thread("yield")?, thread("create")?);
        let (resume, status) = (thread("resume")?, thread("status")?);
        let prelude = lua.load(PRELUDE).set_name("=thinktime").into_function()?;
        let environment = sandbox::environment(&lua)?;
        let main = lua.load(&script.source).set_name(format!("={}", script.name));
        let main = main.set_environment(environment).into_function()?;
        let made = prelude.call((main, functions, wait, create, resume, status))?;
        let (begin, begin_child, step, forget) = made;
        Ok(Machine {
            name: script.name.clone(),
            _lua: lua,
            begin,
            begin_child,
            step,
            forget,
            host,
            budget,
            reads_responses: reads_responses(&script.source),
        })
    }

    /// One turn of a session.
    fn go_on(
        &mut self,
        now: Nanos,
        slot: usize,
        turn: impl FnOnce(&Machine) -> Result<(u32, Value)>,
    ) -> Action {
        self.budget.renew();
        if self.host.borrow_mut().give_turn(now, slot) {
            let outcome = turn(self);
            return self.action(slot, outcome);
        }
        self.action(
            slot,
            Err(mlua::Error::runtime(format!(
                "{}: a session continued {TURNS_AT_ONCE_MAX} times while no time passed",
                self.name
            ))),
        )
    }

    /// One turn of a session whose transaction continues.
    fn transact_on(
        &mut self,
        now: Nanos,
        slot: usize,
        answer: Option<Reply<'_>>,
    ) -> TransactionStep {
        self.budget.renew();
        let mut host = self.host.borrow_mut();
        let seconds = host.since_last_turn(now, slot).as_secs_f64();
        host.give_turn(now, slot);
        if let Some(reply) = answer.filter(|_| self.reads_responses) {
            host.keep(&reply);
        }
        drop(host);
        let outcome: Result<(u32, Value)> = match answer {
            None => self.step.call((slot, BEGUN)),
            Some(_) => self.step.call((slot, STEPPED, Value::Nil, seconds)),
        };
        let mut host = self.host.borrow_mut();
        host.endless_turns += u32::from(self.budget.is_spent());
        let complaint = match outcome {
            Ok((STATEMENT, _)) => match host.session().statement.take() {
                Some(statement) => return TransactionStep::Statement(statement),
                None => "a transaction continued without a statement".to_owned(),
            },
            Ok((COMMIT, _)) => return TransactionStep::Commit,
            Ok((UNDO, _)) => return TransactionStep::Rollback,
            Ok((_, message)) => sandbox::clean(&message.to_string().unwrap_or_default()),
            Err(error) => sandbox::words(&error),
        };
        host.session().doomed = Some(complaint);
        TransactionStep::Rollback
    }

    /// The outcome of a session's turn.
    fn action(&mut self, slot: usize, outcome: Result<(u32, Value)>) -> Action {
        let mut host = self.host.borrow_mut();
        let asked = std::mem::replace(&mut host.sessions[slot].asked, true);
        host.endless_turns += u32::from(self.budget.is_spent());
        let complaint = match outcome {
            Ok((REQUEST, _)) => {
                host.endless_turns = 0;
                return Action::Request(host.sessions[slot].kind);
            }
            Ok((THINK, seconds)) => {
                let seconds =
                    seconds.as_number().or(seconds.as_integer().map(|whole| whole as f64));
                return Action::Think(Nanos::from_secs_f64(seconds.unwrap_or_default()));
            }
            Ok((WAIT, _)) => return Action::Wait,
            Ok((ENDED, _)) if asked || host.sessions[slot].parent.is_some() => None,
            Ok((ENDED, _)) => Some("a session ended without a request or a think time".to_owned()),
            Ok((_, message)) => Some(sandbox::clean(&message.to_string().unwrap_or_default())),
            Err(error) => Some(sandbox::words(&error)),
        };
        drop(host);
        self.finish(slot, complaint, false)
    }

    /// Ends a session that waits, or the whole session of a waiting child.
    fn end_early(&self, slot: usize) -> Action {
        // It sets two fields of tables to nil, which cannot fail.
        self.forget.call::<()>(slot).ok();
        self.finish(slot, None, true)
    }

    /// The end of a session or of a child, perhaps by an error; a child may end its whole session.
    fn finish(&self, slot: usize, complaint: Option<String>, whole: bool) -> Action {
        let complaint = complaint.map(|complaint| {
            let named = complaint.starts_with(&self.name);
            let from = if named { String::new() } else { format!("{}: ", self.name) };
            format!("{from}{complaint}")
        });
        let mut host = self.host.borrow_mut();
        host.leave(slot);
        match (host.sessions[slot].parent, complaint) {
            (Some(parent), complaint) => host.child_ended(parent, complaint, whole),
            (None, Some(complaint)) => host.report.error(&complaint),
            (None, None) => {}
        }
        Action::End
    }

    fn take_in(&self, reply: &Reply<'_>) -> (u16, Option<&'static str>, f64, u64) {
        let mut host = self.host.borrow_mut();
        let slot = host.slot;
        host.sessions[slot].call = None;
        if self.reads_responses {
            host.keep(reply);
        }
        (reply.status, reply.error, reply.response_time.as_secs_f64(), host.serial)
    }
}

impl Programs for Machine {
    fn begin(&mut self, now: Nanos, slot: usize, session: u64, turn: u32) -> Action {
        let stream = self.host.borrow().streams.substream(session, turn.into());
        self.host.borrow_mut().place(slot, Session::new(session, turn, stream));
        self.go_on(now, slot, |machine| machine.begin.call(slot))
    }

    fn begin_child(&mut self, now: Nanos, slot: usize, parent: usize) -> Action {
        let mut host = self.host.borrow_mut();
        let child = host.child_of(parent);
        host.place(slot, child);
        drop(host);
        self.go_on(now, slot, |machine| machine.begin_child.call((slot, parent)))
    }

    fn spawned(&mut self) -> Option<usize> {
        self.host.borrow_mut().spawned.pop_front()
    }

    fn end(&mut self, _now: Nanos, slot: usize) {
        self.end_early(slot);
    }

    fn resume(&mut self, now: Nanos, slot: usize, event: Event<'_>) -> Action {
        if self.host.borrow().ends_with_children(slot) {
            return self.end_early(slot);
        }
        let doomed = self.host.borrow_mut().sessions[slot].doomed.take();
        if doomed.is_some() {
            self.forget.call::<()>(slot).ok();
            return self.finish(slot, doomed, false);
        }
        self.go_on(now, slot, |machine| match event {
            Event::Waited => machine.step.call(slot),
            Event::Answered(reply) => {
                let (status, error, seconds, serial) = machine.take_in(&reply);
                machine.step.call((slot, status, error, seconds, serial))
            }
        })
    }

    fn transact(&mut self, now: Nanos, slot: usize, answer: Option<Reply<'_>>) -> TransactionStep {
        if self.host.borrow().sessions[slot].doomed.is_some() {
            return TransactionStep::Rollback;
        }
        self.transact_on(now, slot, answer)
    }

    fn woken(&mut self) -> Option<usize> {
        self.host.borrow_mut().woken.pop_front()
    }

    fn share_outside(&mut self) {
        self.host.borrow_mut().shared = Variables::Outside(VecDeque::new());
    }

    fn shared_request(&mut self) -> Option<SharedRequest> {
        match &mut self.host.borrow_mut().shared {
            Variables::Outside(wishes) => wishes.pop_front(),
            Variables::Here(_) => None,
        }
    }

    fn answer_shared(&mut self, slot: usize, answer: SharedAnswer) {
        self.host.borrow_mut().sessions[slot].shared_return = Some(answer);
    }

    fn call(&self, slot: usize) -> Option<Rc<Call>> {
        self.host.borrow().sessions.get(slot)?.call.clone()
    }

    fn reads_responses(&self) -> bool {
        self.reads_responses
    }

    fn gives_up(&self) -> bool {
        self.host.borrow().endless_turns >= ENDLESS_TURNS_MAX
    }

    fn report(&self) -> Report {
        self.host.borrow().report.clone()
    }
}
