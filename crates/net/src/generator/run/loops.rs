//! Several event loops, each in a thread of its own with its share of the sessions.
//!
//! Loops share nothing while they run. About ten times a second each sends its rows to a merger
//! ([`crate::generator::record::merger`]), which records all of them in the order of time.

use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Barrier, OnceLock};
use std::{io, thread};

use thinktime_core::error::Invalid;
use thinktime_core::record::Collector;
use thinktime_core::share::Share;
use thinktime_core::workload::{Population, Workload};

use super::preparation::Prepared;
use crate::generator::connect::connector::Connector;
use crate::generator::engine::Engine;
use crate::generator::plan::{LoopOutcome, Plan, RunError, RunProgress};
use crate::generator::record::merger::{RowMerger, combine};
use crate::generator::record::recorder::{CommonEnd, LoopMessage, Relay, ResultRecorder};
use crate::generator::target::Target;
use crate::poller::Clock;

/// The most event loops.
const LOOPS_MAX: u32 = 1024;

/// # Errors
/// If the workload cannot be divided among this many loops.
pub(crate) fn check(workload: &Workload, plan: &Plan) -> Result<(), Invalid> {
    let loops = u64::from(plan.loops);
    if !(1..=LOOPS_MAX).contains(&plan.loops) {
        let why = format!("there can be 1 to {LOOPS_MAX} event loops, not {loops}");
        return Err(Invalid::new(why));
    }
    if loops > 1 && workload.is_scripted() && workload.shared.is_none() {
        return Err(Invalid::new(
            "a workload with a script runs in one event loop, because its clients share variables \
             there; `shared` names a server that keeps them for several",
        ));
    }
    check_shares(workload, loops, "event loops")
}

/// The most generators of one run.
const GENERATORS_MAX: u64 = 10_000;

/// The number of shares of the sessions, if each generator has the plan's number of event loops.
///
/// # Errors
/// If the workload cannot be divided among this many.
pub fn shares_of(workload: &Workload, plan: &Plan, generators: u64) -> Result<u64, Invalid> {
    if !(1..=GENERATORS_MAX).contains(&generators) {
        return Err(Invalid::new(format!(
            "generators: there can be 1 to {GENERATORS_MAX}, not {generators}: there must be one \
             at least, and each is a process"
        )));
    }
    check(workload, plan)?;
    let shares = generators * u64::from(plan.loops);
    check_shares(workload, shares, "event loops of all generators")?;
    Ok(shares)
}

/// # Errors
/// If there are more shares than clients.
fn check_shares(workload: &Workload, shares: u64, whose: &str) -> Result<(), Invalid> {
    let most = |one: &Population| one.clients.concurrency.min(one.clients().unwrap_or(u64::MAX));
    let most = workload.populations.iter().map(most).min().unwrap_or(u64::MAX);
    match shares > most {
        true => {
            Err(Invalid::new(format!("{most} clients cannot be divided among {shares} {whose}")))
        }
        false => Ok(()),
    }
}

/// Event loops that go together, one for each of some shares of the sessions.
pub(crate) struct Loops<'a> {
    pub(crate) prepared: &'a Prepared,
    pub(crate) target: &'a Target,
    pub(crate) plan: &'a Plan,
    pub(crate) shares: &'a [Share],
    /// Ends them all.
    pub(crate) stop: &'a AtomicBool,
    /// Ends their requests.
    pub(crate) end: &'a CommonEnd,
}

/// The common start of the loops.
struct Start<'a> {
    built: Barrier,
    clock: OnceLock<Clock>,
    start: &'a (dyn Fn() -> Clock + Sync),
}

impl Loops<'_> {
    /// Runs all loops to their end. Once all of them are ready, one calls `start`, which waits for
    /// the begin of the run.
    pub(crate) fn run(
        &self,
        messages: &Sender<LoopMessage>,
        start: &(dyn Fn() -> Clock + Sync),
    ) -> Result<LoopOutcome, RunError> {
        let start = Start { built: Barrier::new(self.shares.len()), clock: OnceLock::new(), start };
        thread::scope(|scope| {
            let start = &start;
            let one = |(at, share): (usize, &Share)| {
                let (share, messages) = (*share, messages.clone());
                scope.spawn(move || self.run_one(at, share, messages, start))
            };
            let threads: Vec<_> = self.shares.iter().enumerate().map(one).collect();
            let ends =
                threads.into_iter().map(|one| one.join().unwrap_or_else(|why| resume_unwind(why)));
            let all: Vec<LoopOutcome> = ends.collect::<Result<_, RunError>>()?;
            Ok(all.into_iter().reduce(combine).expect("one loop at least"))
        })
    }

    /// One loop, in its own thread.
    fn run_one(
        &self,
        at: usize,
        share: Share,
        messages: Sender<LoopMessage>,
        start: &Start<'_>,
    ) -> Result<LoopOutcome, RunError> {
        let Prepared { workload, peer, credentials, shared, known, .. } = self.prepared;
        let part = share.part as usize;
        let relay = Relay::new(part, messages.clone(), self.end);
        let peer = peer.clone().starting_at(at);
        let engine = Connector::new(self.target, peer, workload).map_err(RunError::from).and_then(
            |connector| {
                let credentials = credentials.clone();
                let plan = self.plan;
                let engine =
                    Engine::new(workload, self.target, plan, connector, credentials, share, relay)?;
                Ok(engine.with_secrets(known).with_shared_variables(shared.as_ref()))
            },
        );
        start.built.wait();
        let clock = *start.clock.get_or_init(start.start);
        let mut watch = |_: RunProgress| !self.stop.load(Ordering::Relaxed);
        let done = match self.stop.load(Ordering::Relaxed) {
            true => Err(io::Error::other("it was ended before it began").into()),
            false => engine.and_then(|engine| Ok(engine.run(clock, &mut watch)?.0)),
        };
        if done.is_err() {
            self.stop.store(true, Ordering::Relaxed);
        }
        messages.send(LoopMessage::End(part)).ok();
        done
    }
}

/// Runs the loops of this process, and records their rows.
pub(crate) fn run(
    prepared: &Prepared,
    target: &Target,
    plan: &Plan,
    results: ResultRecorder<'_>,
    watch: &mut dyn FnMut(RunProgress) -> bool,
) -> Result<(LoopOutcome, Collector), RunError> {
    let of = plan.loops.into();
    let shares: Vec<Share> = (0..of).map(|part| Share::new(part, of)).collect();
    let (stop, end) = (AtomicBool::new(false), CommonEnd::new());
    let loops = Loops { prepared, target, plan, shares: &shares, stop: &stop, end: &end };
    let (sender, messages) = channel();
    thread::scope(|scope| {
        let loops = scope.spawn(move || loops.run(&sender, &Clock::start));
        let collector = RowMerger::new(results, shares.len()).merge(&messages, &stop, &end, watch);
        let done = loops.join().unwrap_or_else(|why| resume_unwind(why))?;
        Ok((done, collector))
    })
}
