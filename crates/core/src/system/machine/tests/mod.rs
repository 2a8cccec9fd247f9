//! Schedules worked out by hand from the rules, and properties of all schedules.
//!
//! Requests are A, B, C, ... in the order of a list. Each has its own steps, in a notation of a
//! line: `30, sleep 20, (5 | db 5), take p, give p` runs 30 ms on the machine, sleeps for 20, then
//! runs 5 there beside 5 in the service `db`, and so on. All times are in milliseconds.

mod balancing;
mod bandwidth;
mod bandwidth_reference;
mod deadline;
mod fair;
mod linux_o1;
mod notation;
mod order;
mod placement;
mod properties;
mod refusals;
mod services;
mod windows;

use std::fmt::Write as _;

use notation::steps_of;
use thinktime_file::schema::Source;
use thinktime_file::time::Nanos;

use super::super::{
    Departure, DrawnDemands, Job, JobRef, NodeSummary, Program, System, SystemModel,
};
use super::{MachineSummary, Turn};
use crate::files::NoFiles;
use crate::random::Purpose;

/// A machine `m`, other tables, and the course of a list of requests.
#[derive(Clone, Debug)]
pub(super) struct Case {
    machine: String,
    /// Keys and values; the last one of a key counts.
    changes: Vec<(String, String)>,
    tables: String,
    seed: u64,
}

/// A request: its arrival, and its steps.
pub(super) type Request<'a> = (f64, &'a str);

/// The outcome.
#[derive(Debug, PartialEq)]
pub(super) struct Outcome {
    pub(super) turns: Vec<Turn>,
    /// By request.
    pub(super) left: Vec<Option<Departure>>,
    /// By machine.
    pub(super) summaries: Vec<MachineSummary>,
    pub(super) end: Nanos,
}

pub(super) fn ns(ms: f64) -> Nanos {
    Nanos((ms * 1e6).round() as u64)
}

pub(super) fn on(os: &str, cores: u32) -> Case {
    Case {
        machine: format!("[[machine]]\nname = 'm'\nos = '{os}'\ncores = {cores}\n"),
        changes: Vec::new(),
        tables: String::new(),
        seed: 1,
    }
}

impl Case {
    /// A line of the machine's own table.
    pub(super) fn machine(mut self, line: &str) -> Case {
        self.machine += &format!("{line}\n");
        self
    }

    /// These lines in place of the machine's last one, its cores.
    pub(super) fn limited(mut self, lines: &str) -> Case {
        let kept = self.machine.find("cores =").expect("a line of it");
        self.machine.truncate(kept);
        self.machine(lines)
    }

    /// A change of features.
    pub(super) fn with(mut self, change: &str) -> Case {
        let (key, value) = change.split_once('=').expect("key = value");
        let (key, value) = (key.trim().to_owned(), value.trim().to_owned());
        let within = format!("{key}.");
        self.changes.retain(|(other, _)| *other != key && !other.starts_with(&within));
        self.changes.push((key, value));
        self
    }

    /// Any other tables.
    pub(super) fn table(mut self, text: &str) -> Case {
        self.tables += &format!("{text}\n");
        self
    }

    /// A service on the machine.
    pub(super) fn service(self, name: &str, lines: &str) -> Case {
        self.table(&format!("[[service]]\nname = '{name}'\nmachine = 'm'\n{lines}"))
    }

    pub(super) fn seed(mut self, seed: u64) -> Case {
        self.seed = seed;
        self
    }

    fn text(&self, requests: &[Request<'_>]) -> String {
        let behaviour = |(at, (_, steps)): (usize, &Request<'_>)| {
            format!("[[behaviour]]\nrequest = 'r{at}'\nsteps = [{}]\n", steps_of(steps))
        };
        let behaviours: String = requests.iter().enumerate().map(behaviour).collect();
        let Case { machine, changes, tables, .. } = self;
        let changes = changes.iter().map(|(key, value)| format!("{key} = {value}\n"));
        let changes: String = changes.collect();
        format!("name = 's'\n{machine}[machine.scheduler]\n{changes}\n{tables}\n{behaviours}")
    }

    /// Why the system is refused.
    pub(super) fn refusal(&self) -> String {
        let text = self.text(&[(0.0, "1")]);
        match SystemModel::parse(Source { file: "s.toml", text: &text }, &NoFiles) {
            Ok(_) => "accepted".to_owned(),
            Err(error) => error.to_string(),
        }
    }

    pub(super) fn run(&self, requests: &[Request<'_>]) -> Outcome {
        self.run_with(requests, &[])
    }

    /// Runs until no event is left. `taken_back` are requests, the times of their withdrawal, and
    /// whether threads that work for them are included.
    pub(super) fn run_with(
        &self,
        requests: &[Request<'_>],
        taken_back: &[(usize, f64, bool)],
    ) -> Outcome {
        let text = self.text(requests);
        let model = SystemModel::parse(Source { file: "s.toml", text: &text }, &NoFiles)
            .unwrap_or_else(|error| panic!("{error}\n{text}"));
        let names: Vec<String> = (0..requests.len()).map(|at| format!("r{at}")).collect();
        let kinds: Vec<&str> = names.iter().map(String::as_str).collect();
        let program = Program::new(&model, &kinds);
        let demands = DrawnDemands::new(&program, self.seed, Purpose::Demand);
        drive(System::new(&model, &program, &kinds, demands, self.seed), requests, taken_back)
    }
}

/// A driver's next action.
enum Deed {
    Arrive(usize),
    TakeBack(usize, bool),
}

fn deeds(requests: &[Request<'_>], taken_back: &[(usize, f64, bool)]) -> Vec<(Nanos, Deed)> {
    let arrivals = requests.iter().enumerate();
    let mut deeds: Vec<(Nanos, Deed)> =
        arrivals.map(|(at, (when, _))| (ns(*when), Deed::Arrive(at))).collect();
    deeds.extend(taken_back.iter().map(|(who, at, even)| (ns(*at), Deed::TakeBack(*who, *even))));
    deeds.sort_by_key(|(at, _)| *at);
    deeds
}

/// A driver: due events come before arrivals of the same instant.
fn drive(
    mut system: System<DrawnDemands>,
    requests: &[Request<'_>],
    taken_back: &[(usize, f64, bool)],
) -> Outcome {
    let mut deeds = deeds(requests, taken_back).into_iter().peekable();
    let mut there: Vec<Option<JobRef>> = vec![None; requests.len()];
    let mut left = vec![None; requests.len()];
    let (mut end, mut events) = (Nanos::ZERO, 0);
    loop {
        let next = deeds.peek().map_or(Nanos::MAX, |(at, _)| *at);
        let due = system.next_event();
        if next.is_never() && (due.is_never() || system.in_system() == 0) {
            break;
        }
        events += 1;
        assert!(events < MOST_EVENTS, "no end: {} requests at {due}", system.in_system());
        assert!(due.min(next) >= end, "time goes back: {end} to {due}");
        end = due.min(next);
        if due <= next {
            note(&mut left, system.advance());
            continue;
        }
        match deeds.next().unwrap().1 {
            Deed::Arrive(at) => there[at] = Some(system.arrive(next, job(at as u64))),
            Deed::TakeBack(at, even) => {
                system.withdraw(next, there[at].expect("it came"), at as u64, even);
            }
        }
    }
    while let Some(departure) = system.leaving.pop_front() {
        note(&mut left, Some(departure));
    }
    let machine = |summary| match summary {
        Some(NodeSummary::Machine { machine, .. }) => Some(machine),
        _ => None,
    };
    let summaries = system.summaries(end).into_iter().filter_map(machine).collect();
    Outcome { turns: system.schedule().turns, left, summaries, end }
}

const MOST_EVENTS: u64 = 3_000_000;

/// Each request is of a kind of its own.
fn job(token: u64) -> Job {
    Job { token, session: token, serial: 0, kind: token as u32 }
}

fn note(left: &mut [Option<Departure>], departure: Option<Departure>) {
    if let Some(departure) = departure {
        let before = left[departure.job.token as usize].replace(departure);
        assert_eq!(before, None, "nobody leaves twice");
    }
}

impl Outcome {
    fn line(&self, core: u32, name: impl Fn(&Turn) -> u64) -> String {
        let mut spans: Vec<(u64, Nanos, Nanos)> = Vec::new();
        for turn in self.turns.iter().filter(|turn| turn.core == core && turn.machine == 0) {
            match spans.last_mut() {
                Some(last) if last.0 == name(turn) && last.2 == turn.from => last.2 = turn.until,
                _ => spans.push((name(turn), turn.from, turn.until)),
            }
        }
        let mut text = String::new();
        for (who, from, until) in spans {
            let letter = char::from(b'A' + who as u8);
            let (from, until) = (from.0 as f64 / 1e6, until.0 as f64 / 1e6);
            write!(text, "{letter} {from}-{until}  ").unwrap();
        }
        text.trim_end().to_owned()
    }

    /// The requests that a core worked for; spans that touch are one.
    pub(super) fn core(&self, core: u32) -> String {
        self.line(core, |turn| turn.session)
    }

    /// The tasks that a core ran, in the order in which they were made.
    pub(super) fn tasks(&self, core: u32) -> String {
        self.line(core, |turn| turn.task)
    }

    /// The last moment of each request in milliseconds, with the word if it was not served.
    pub(super) fn ends(&self) -> Vec<String> {
        let word = |one: &Option<Departure>| match one {
            None => "never".to_owned(),
            Some(Departure { at, error: None, .. }) => format!("{}", at.0 as f64 / 1e6),
            Some(Departure { at, error: Some(word), .. }) => {
                format!("{word} {}", at.0 as f64 / 1e6)
            }
        };
        self.left.iter().map(word).collect()
    }

    /// The running time of a request up to a time.
    pub(super) fn received(&self, request: u64, until: Nanos) -> Nanos {
        let mine = self.turns.iter().filter(|turn| turn.session == request && turn.from < until);
        Nanos(mine.map(|turn| turn.until.min(until).since(turn.from).0).sum())
    }
}

/// The reason why a file of features is refused.
pub(super) fn refused(os: &str, change: &str) -> String {
    on(os, 2).with(change).refusal()
}

/// The letters of the turns, for a schedule of tasks of 1 ms and more.
pub(super) fn letters(line: &str) -> String {
    line.chars().filter(char::is_ascii_uppercase).collect()
}
