//! The client side of one event loop for a server of shared variables: a state machine without I/O.
//!
//! Wishes of sessions become calls of a script on the server ([`super::commands`]), one after
//! another over one connection, with answers in this order. If the connection breaks, or is silent
//! for too long, all unanswered calls are sent once more over the next one. Calls are numbered, so
//! that the server does none of them twice. Connections are numbered, so that it ignores late calls
//! over an old one. A wish without an answer in time fails, and is forgotten.

use std::collections::{BTreeMap, VecDeque};

use thinktime_core::program::{SharedAnswer, SharedFailure, SharedOperation, SharedRequest};
use thinktime_core::time::Nanos;

use super::commands::{self, ScriptReply};
use crate::protocol::resp::{self, Reply};

/// Its identity and its patience.
#[derive(Clone, Debug)]
pub(super) struct MemberSettings {
    /// The name of the run, under which the server keeps all its state.
    pub(super) run: String,
    /// The member's own name.
    pub(super) member: String,
    pub(super) wait: Nanos,
    pub(super) lease: Nanos,
    /// The error for sessions if nobody answers.
    pub(super) silent: String,
    /// The error for sessions if the server refuses, before its own words.
    pub(super) refuses: String,
}

#[derive(Debug)]
pub(super) struct Member {
    pub(super) settings: MemberSettings,
    /// The name of the script on the server, while it is ready.
    script: Option<Vec<u8>>,
    /// Calls that wait to be sent, and those that wait for their answers.
    unsent: VecDeque<Call>,
    sent: VecDeque<Call>,
    locks: BTreeMap<u64, Lock>,
    /// The locks that each session has or waits for.
    tickets: BTreeMap<usize, Vec<u64>>,
    /// The call that each session waits for.
    asking: BTreeMap<usize, u64>,
    answers: VecDeque<(usize, SharedAnswer)>,
    /// The name of the last call or ticket.
    last: u64,
    /// The number of the last call of the script, and the highest answered one.
    called: u64,
    done: u64,
    /// The number of the last connection.
    link: u64,
    next_beat: Nanos,
    next_look: Nanos,
    /// The time since which nobody answers, without a connection.
    down_since: Nanos,
    /// How often the server had lost its state.
    pub(super) forgotten: u64,
}

/// A call of the server.
#[derive(Clone, Debug)]
struct Call {
    /// Its name here; the server knows it by its number, if it is one of the script.
    id: u64,
    number: u64,
    purpose: Purpose,
    /// The operation and its arguments; for [`Purpose::Get`] a whole command.
    words: Vec<Vec<u8>>,
    asked: Nanos,
    sent: Nanos,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Purpose {
    Get(usize),
    Tell(usize),
    Lock(u64),
    Unlock(usize),
    /// Nobody waits for it.
    Silent,
}

#[derive(Debug)]
struct Lock {
    slot: usize,
    name: String,
    priority: f64,
    state: State,
    asked: Nanos,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum State {
    Asking,
    Waiting,
    Held,
}

/// The connection is no longer usable.
#[derive(Debug)]
pub(super) struct ConnectionLost;

impl Member {
    pub(super) fn new(settings: MemberSettings) -> Member {
        Member {
            settings,
            script: None,
            unsent: VecDeque::new(),
            sent: VecDeque::new(),
            locks: BTreeMap::new(),
            tickets: BTreeMap::new(),
            asking: BTreeMap::new(),
            answers: VecDeque::new(),
            last: 0,
            called: 0,
            done: 0,
            link: 0,
            next_beat: Nanos::ZERO,
            next_look: Nanos::ZERO,
            down_since: Nanos::ZERO,
            forgotten: 0,
        }
    }

    /// A session makes a wish.
    pub(super) fn ask(&mut self, now: Nanos, request: SharedRequest) {
        let SharedRequest { slot, operation } = request;
        match operation {
            SharedOperation::Get(name) => {
                let key = format!("{}:values", self.settings.run).into_bytes();
                let command = vec![b"HGET".to_vec(), key, name.into_bytes()];
                self.call(now, Purpose::Get(slot), command);
            }
            SharedOperation::Put(name, value) => {
                let words = vec![b"put".to_vec(), name.into(), commands::encoded(value.as_ref())];
                self.change(now, slot, words);
            }
            SharedOperation::Add(name, amount) => {
                let words = vec![b"add".to_vec(), name.into(), commands::digits(amount).into()];
                self.change(now, slot, words);
            }
            SharedOperation::Lock(name, priority) => self.lock(now, slot, name, priority),
            SharedOperation::Unlock(name) => match self.ticket(slot, &name) {
                Some(ticket) => {
                    self.forget(ticket);
                    let words = vec![b"unlock".to_vec(), name.into(), self.encoded(ticket)];
                    self.call(now, Purpose::Unlock(slot), words);
                }
                None => self.fail(slot, SharedFailure::NotHeld),
            },
            SharedOperation::Leave => self.leave(now, slot),
        }
    }

    /// An operation that is forbidden after losing a lock.
    fn change(&mut self, now: Nanos, slot: usize, mut words: Vec<Vec<u8>>) {
        for ticket in self.tickets.get(&slot).into_iter().flatten() {
            words.push(self.locks[ticket].name.clone().into_bytes());
            words.push(self.encoded(*ticket));
        }
        self.call(now, Purpose::Tell(slot), words);
    }

    fn lock(&mut self, now: Nanos, slot: usize, name: String, priority: f64) {
        if self.ticket(slot, &name).is_some() {
            return self.fail(slot, SharedFailure::Held);
        }
        self.last += 1;
        let ticket = self.last;
        // A priority that is no number comes last.
        let priority = if priority.is_nan() { f64::INFINITY } else { priority };
        let lock = Lock { slot, name, priority, state: State::Asking, asked: now };
        self.locks.insert(ticket, lock);
        self.tickets.entry(slot).or_default().push(ticket);
        self.ask_for(now, ticket);
    }

    /// Requests a lock, perhaps once more; without a connection, as soon as there is one.
    fn ask_for(&mut self, now: Nanos, ticket: u64) {
        let written = self.encoded(ticket);
        let Some(lock) = self.locks.get_mut(&ticket).filter(|_| self.script.is_some()) else {
            return;
        };
        // A session that waits for other owners does not wait for the server.
        if lock.state == State::Waiting {
            lock.asked = now;
        }
        let (name, priority) = (lock.name.clone().into_bytes(), commands::digits(lock.priority));
        let words = vec![b"lock".to_vec(), name, priority.into_bytes(), written];
        self.call(now, Purpose::Lock(ticket), words);
    }

    /// The session has left: it waits for nothing, and owns nothing any more.
    fn leave(&mut self, now: Nanos, slot: usize) {
        self.asking.remove(&slot);
        self.answers.retain(|(told, _)| *told != slot);
        for ticket in self.tickets.get(&slot).cloned().unwrap_or_default() {
            self.withdraw(now, ticket);
        }
    }

    /// Gives up a ticket. Without a connection, the next `join` reports that by omitting it.
    fn withdraw(&mut self, now: Nanos, ticket: u64) {
        let written = self.encoded(ticket);
        let Some(name) = self.forget(ticket).filter(|_| self.script.is_some()) else { return };
        let words = vec![b"withdraw".to_vec(), name.into_bytes(), written];
        self.call(now, Purpose::Silent, words);
    }

    fn forget(&mut self, ticket: u64) -> Option<String> {
        let lock = self.locks.remove(&ticket)?;
        if let Some(all) = self.tickets.get_mut(&lock.slot) {
            all.retain(|one| *one != ticket);
            if all.is_empty() {
                self.tickets.remove(&lock.slot);
            }
        }
        Some(lock.name)
    }

    /// The session's ticket for this lock.
    fn ticket(&self, slot: usize, name: &str) -> Option<u64> {
        let all = self.tickets.get(&slot)?;
        all.iter().copied().find(|ticket| self.locks[ticket].name == name)
    }

    fn encoded(&self, ticket: u64) -> Vec<u8> {
        format!("{}/{ticket}", self.settings.member).into_bytes()
    }

    fn call(&mut self, now: Nanos, purpose: Purpose, words: Vec<Vec<u8>>) {
        self.last += 1;
        let id = self.last;
        if let Purpose::Get(slot) | Purpose::Tell(slot) | Purpose::Unlock(slot) = purpose {
            self.asking.insert(slot, id);
        }
        // The numbers that the server sees have no gaps: it checks them one by one.
        let number = match purpose {
            Purpose::Get(_) => 0,
            _ => {
                self.called += 1;
                self.called
            }
        };
        self.unsent.push_back(Call { id, number, purpose, words, asked: now, sent: now });
    }

    fn fail(&mut self, slot: usize, why: SharedFailure) {
        self.answers.push_back((slot, SharedAnswer::Failed(why)));
    }

    /// A session that receives an answer.
    pub(super) fn answer(&mut self) -> Option<(usize, SharedAnswer)> {
        self.answers.pop_front()
    }

    /// Whether any session waits for an answer, or for others to release a lock.
    pub(super) fn is_waited_for(&self) -> (bool, bool) {
        let waits = self.locks.values().any(|lock| lock.state != State::Held);
        (!self.asking.is_empty(), waits)
    }

    /// Announces to the server that the member leaves for good.
    pub(super) fn depart(&mut self, now: Nanos) {
        self.call(now, Purpose::Silent, vec![b"depart".to_vec()]);
    }
}

mod line;
mod time;

#[cfg(test)]
mod tests;
