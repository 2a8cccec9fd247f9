//! Sessions with children, and sessions that end when a request has failed: with programs that are
//! plain state machines.

use std::rc::Rc;
use std::sync::Arc;

use thinktime_file::error::Invalid;

use crate::workload::WorkloadFiles;

use super::*;
use crate::data::DataTable;
use crate::files::Files;
use crate::program::{Action, Event, ProgramSource, Programs, Report};
use crate::request::{Call, RequestKind};

/// Each session sends a request, has three children that send two requests each, and sends one
/// more; then it leaves.
#[derive(Debug, Default)]
struct Families {
    /// By slot: the parent of a child, the requests that it has sent, its live children.
    members: Vec<(Option<usize>, u32, u32)>,
    spawned: Vec<usize>,
    woken: Vec<usize>,
    /// The slots that were ended from outside.
    ended: Vec<usize>,
}

const CHILDREN: u32 = 3;

impl Families {
    fn place(&mut self, slot: usize, parent: Option<usize>) -> Action {
        self.members.resize(self.members.len().max(slot + 1), (None, 0, 0));
        self.members[slot] = (parent, 1, 0);
        Action::Request(0)
    }

    fn leave(&mut self, slot: usize) -> Action {
        if let (Some(parent), ..) = self.members[slot] {
            self.members[parent].2 -= 1;
            if self.members[parent].2 == 0 {
                self.woken.push(parent);
            }
        }
        Action::End
    }
}

impl crate::program::Programs for Families {
    fn begin(&mut self, _now: Nanos, slot: usize, _session: u64, _turn: u32) -> Action {
        self.place(slot, None)
    }

    fn begin_child(&mut self, _now: Nanos, slot: usize, parent: usize) -> Action {
        self.place(slot, Some(parent))
    }

    fn resume(&mut self, _now: Nanos, slot: usize, _event: Event<'_>) -> Action {
        let member = &mut self.members[slot];
        match (member.0, member.1) {
            (None, 1) => {
                (member.1, member.2) = (2, CHILDREN);
                self.spawned.extend([slot; CHILDREN as usize]);
                Action::Wait
            }
            (None, 2) | (Some(_), 1) => {
                member.1 += 1;
                Action::Request(0)
            }
            _ => self.leave(slot),
        }
    }

    fn woken(&mut self) -> Option<usize> {
        self.woken.pop()
    }

    fn spawned(&mut self) -> Option<usize> {
        self.spawned.pop()
    }

    fn end(&mut self, _now: Nanos, slot: usize) {
        self.ended.push(slot);
        self.leave(slot);
    }

    fn call(&self, _slot: usize) -> Option<Rc<Call>> {
        None
    }

    fn report(&self) -> Report {
        let mut report = Report::default();
        self.ended.iter().for_each(|slot| report.error(&slot.to_string()));
        report
    }
}

#[derive(Debug)]
struct Source;

impl ProgramSource for Source {
    fn programs(&self, _seed: u64, _data: &Arc<[DataTable]>) -> Box<dyn Programs> {
        Box::<Families>::default()
    }
}

struct Given;

impl Files for Given {
    fn read(&self, name: &str) -> Result<String, Invalid> {
        NoFiles.read(name)
    }
}

impl WorkloadFiles for Given {
    fn program(
        &self,
        _name: &str,
        _requests: &[RequestKind],
    ) -> Result<Arc<dyn ProgramSource>, Invalid> {
        Ok(Arc::new(Source))
    }
}

fn families(rest: &str, requests: u64, until_s: f64) -> Clients {
    let text = format!("name = 'a'\n{rest}\nscript = 'x'");
    let workload = Workload::parse(Text { file: "", text: &text }, &Given).unwrap();
    let limit = Limit { requests, until: Nanos::from_secs_f64(until_s), warmup: Nanos::ZERO };
    Clients::new(&workload, limit)
}

const PARTLY_OPEN: &str =
    "[arrivals]\nmodel = 'partly-open'\nrate = '1/s'\nprocess = 'even'\n[session]";
const CLOSED: &str = "[arrivals]\nmodel = 'closed'\nclients = 1\n[session]\nthink = '1s'";

#[test]
fn children_act_at_the_same_time_within_their_session() {
    let mut machine = families(PARTLY_OPEN, u64::MAX, 2.5);
    let sent = drive(&mut machine, 0.1);
    assert_eq!(machine.sessions_begun(), 2);
    for session in 0..2 {
        let own = sent.iter().filter(|attempt| attempt.session == session);
        let (times, numbers): (Vec<u64>, Vec<u32>) =
            own.map(|attempt| (attempt.due.0 / 100_000_000, attempt.index)).unzip();
        let begin = 10 * (session + 1);
        let expected = [0, 1, 1, 1, 2, 2, 2, 3].map(|step| begin + step);
        assert_eq!((times, numbers), (expected.to_vec(), (0..8).collect()));
    }
    // The second session takes the slots that the first one's sessions have left.
    assert!(sent.iter().all(|attempt| attempt.ticket.slot() < 4));
}

#[test]
fn a_closed_session_begins_again_and_its_children_do_not() {
    let mut machine = families(CLOSED, u64::MAX, 4.0);
    let sent = drive(&mut machine, 0.1);
    assert_eq!(machine.sessions_begun(), 1);
    // At 1 s, 2.4 s and 3.8 s; the last one is cut short.
    let numbers: Vec<u32> = sent.iter().map(|attempt| attempt.index).collect();
    assert_eq!(numbers, (0..sent.len() as u32).collect::<Vec<_>>());
    assert_eq!(sent.len(), 8 + 8 + 4);
    assert!(machine.finished());
}

#[test]
fn owners_of_children_are_their_parents() {
    let mut machine = families(PARTLY_OPEN, 4, 10.0);
    let mut owners = Vec::new();
    while !machine.finished() {
        let now = machine.next_wake().min(Nanos::from_secs_f64(9.0));
        if let ClientAction::Send(attempt) = machine.wake() {
            owners.push((machine.owner(&attempt).slot, attempt.ticket.slot()));
            machine.answer(now, attempt.ticket, Reply::default());
        }
    }
    assert_eq!(owners[0], (0, 0));
    assert!(owners[1..].iter().all(|(owner, own)| *owner == 0 && *own > 0), "{owners:?}");
    assert_eq!(owners.len(), 4);
}

#[test]
fn a_failed_request_ends_its_session_if_it_is_to() {
    let error = Reply::of(Some("status"));
    for (rest, expected) in [
        ("think = '100ms'\nrequests = 3", 3),
        ("think = '100ms'\nrequests = 3\non_error = 'continue'", 3),
        ("think = '100ms'\nrequests = 3\non_error = 'end'", 1),
    ] {
        let arrivals = "model = 'partly-open'\nrate = '1/s'\nprocess = 'even'";
        let text = format!("name = 'a'\n[arrivals]\n{arrivals}\n[session]\n{rest}");
        let mut machine = clients(&text, u64::MAX, 1.9);
        let mut sent = 0;
        while !machine.finished() {
            let now = machine.next_wake();
            if let ClientAction::Send(attempt) = machine.wake() {
                sent += 1;
                machine.answer(now, attempt.ticket, error);
            }
        }
        assert_eq!(sent, expected, "{rest}");
    }
}

#[test]
fn programs_are_told_of_an_end_by_a_failure() {
    let mut machine = families(&format!("{PARTLY_OPEN}\non_error = 'end'"), u64::MAX, 1.5);
    let ClientAction::Idle = machine.wake() else { panic!("it begins") };
    let ClientAction::Send(attempt) = machine.wake() else { panic!("a request") };
    let at = attempt.due;
    machine.answer(at, attempt.ticket, Reply::of(Some("status")));
    assert_eq!(machine.report().unwrap().errors()["0"], 1);
    assert_eq!(machine.next_wake(), Nanos::from_secs_f64(2.0));
}

#[test]
fn a_closed_client_that_failed_thinks_and_begins_again() {
    let text = "name = 'a'\n[arrivals]\nmodel = 'closed'\nclients = 1\n\
                start = 'empty'\n[session]\nthink = '1s'\non_error = 'end'";
    let mut machine = clients(text, 3, 1e9);
    let mut seen = Vec::new();
    while !machine.finished() {
        let now = machine.next_wake();
        if let ClientAction::Send(attempt) = machine.wake() {
            seen.push((now.as_secs_f64(), machine.owner(&attempt).turn));
            machine.answer(now, attempt.ticket, Reply::of(Some("status")));
        }
    }
    assert_eq!(seen, [(1.0, 0), (2.0, 1), (3.0, 2)]);
}
