//! Several event loops, each in a thread of its own with its share of the sessions.
//!
//! Loops share nothing while they run. About ten times a second each hands its rows on to the
//! calling thread, which keeps one book of them all, in the order of time.

use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Barrier, Mutex, OnceLock, PoisonError};
use std::thread;
use std::time::Duration;

use thinktime_core::client::Share;
use thinktime_core::error::Invalid;
use thinktime_core::program::{CheckCounts, Report};
use thinktime_core::record::{Collector, Ended, Row, RowSink, Window};
use thinktime_core::time::Nanos;
use thinktime_core::workload::{Population, Workload};

use super::connector::Connector;
use super::credentials::Credentials;
use super::engine::Engine;
use super::ledger::{Book, Ledger, Page, Relay};
use super::peer::Peer;
use super::plan::{Done, Plan, RunError, RunProgress};
use super::target::Target;
use crate::poller::Clock;

/// The most event loops.
const LOOPS_MAX: u32 = 1024;
/// The time between two reports of progress.
const LOOK: Duration = Duration::from_millis(100);

/// # Errors
/// When the workload cannot be divided among so many loops.
pub(super) fn check(workload: &Workload, plan: &Plan) -> Result<(), Invalid> {
    let loops = u64::from(plan.loops);
    let fail = |why: String| Err(Invalid::new(why));
    if !(1..=LOOPS_MAX).contains(&plan.loops) {
        return fail(format!("there can be 1 to {LOOPS_MAX} event loops, not {loops}"));
    }
    if loops > 1 && workload.has_programs() {
        return fail(
            "a workload with a script or a log runs in one event loop, because what its \
                     clients share lives there"
                .to_owned(),
        );
    }
    let most = |one: &Population| one.clients.concurrency.min(one.clients().unwrap_or(u64::MAX));
    let most = workload.populations.iter().map(most).min().unwrap_or(u64::MAX);
    if loops > most {
        return fail(format!("{most} clients cannot be divided among {loops} event loops"));
    }
    Ok(())
}

/// What loops and the keeper of the book share.
struct Common {
    built: Barrier,
    clock: OnceLock<Clock>,
    stop: AtomicBool,
    seen: Mutex<Vec<Option<RunProgress>>>,
}

/// Runs all loops to their end.
pub(super) fn run<S: RowSink>(
    workload: &Workload,
    target: &Target,
    peer: &Peer,
    plan: &Plan,
    credentials: Option<&Credentials>,
    book: Book<'_, S>,
    watch: &mut dyn FnMut(RunProgress) -> bool,
) -> Result<(Done, Collector), RunError> {
    let loops = plan.loops as usize;
    let common = Common {
        built: Barrier::new(loops),
        clock: OnceLock::new(),
        stop: AtomicBool::new(false),
        seen: Mutex::new(vec![None; loops]),
    };
    let (sender, pages) = channel();
    thread::scope(|scope| {
        let threads: Vec<_> = (0..loops)
            .map(|part| {
                let (relay, common) = (Relay::new(part, sender.clone()), &common);
                let credentials = credentials.cloned();
                scope.spawn(move || {
                    run_one(workload, target, peer, plan, credentials, relay, common)
                })
            })
            .collect();
        drop::<Sender<Page>>(sender);
        let collector = Keeper::new(book, loops).keep(&pages, &common, watch);
        let ends =
            threads.into_iter().map(|one| one.join().unwrap_or_else(|why| resume_unwind(why)));
        let all: Vec<Done> = ends.collect::<Result<_, RunError>>()?;
        Ok((all.into_iter().reduce(joined).expect("one loop at least"), collector))
    })
}

/// One loop, in its own thread.
fn run_one(
    workload: &Workload,
    target: &Target,
    peer: &Peer,
    plan: &Plan,
    credentials: Option<Credentials>,
    relay: Relay,
    common: &Common,
) -> Result<Done, RunError> {
    let (part, share) = (relay.part, Share { part: relay.part as u64, of: plan.loops.into() });
    let peer = peer.clone().beginning_with(part);
    let engine =
        Connector::new(target, peer, workload).map_err(RunError::from).and_then(|connector| {
            Ok(Engine::new(workload, target, plan, connector, credentials, share, relay)?)
        });
    common.built.wait();
    let clock = *common.clock.get_or_init(Clock::start);
    let mut watch = |progress| {
        common.seen.lock().unwrap_or_else(PoisonError::into_inner)[part] = Some(progress);
        !common.stop.load(Ordering::Relaxed)
    };
    let done = engine.and_then(|engine| Ok(engine.run(clock, &mut watch)?.0));
    if done.is_err() {
        common.stop.store(true, Ordering::Relaxed);
    }
    done
}

/// The ends of two loops as one.
fn joined(one: Done, other: Done) -> Done {
    let (a, b) = (one.window, other.window);
    Done {
        report: Report::joined(one.report, other.report),
        window: Window { begin: a.begin.min(b.begin), end: a.end.max(b.end) },
        sessions: one.sessions + other.sessions,
        interrupted: one.interrupted || other.interrupted,
        in_flight: one.in_flight + other.in_flight,
        bodies_cut: one.bodies_cut + other.bodies_cut,
        generator: one.generator.joined(other.generator),
    }
}

/// The checks of all loops together.
fn joined_counts(parts: &[CheckCounts]) -> CheckCounts {
    let mut all = CheckCounts::new();
    for (name, count) in parts.iter().flatten() {
        let sum = all.entry(name.clone()).or_default();
        sum.passed += count.passed;
        sum.failed += count.failed;
    }
    all
}

/// Keeps the book: rows go into it when no loop has an earlier one any more.
struct Keeper<'a, S> {
    book: Book<'a, S>,
    rows: Vec<(Row, Ended)>,
    complete_up_to: Vec<Nanos>,
    /// By loop, how often its checks have held so far.
    checks: Vec<CheckCounts>,
}

impl<'a, S: RowSink> Keeper<'a, S> {
    fn new(book: Book<'a, S>, loops: usize) -> Keeper<'a, S> {
        let checks = vec![CheckCounts::new(); loops];
        Keeper { book, rows: Vec::new(), complete_up_to: vec![Nanos::ZERO; loops], checks }
    }

    fn keep(
        mut self,
        pages: &Receiver<Page>,
        common: &Common,
        watch: &mut dyn FnMut(RunProgress) -> bool,
    ) -> Collector {
        let clock = Clock::start();
        let look = Nanos::from_secs_f64(LOOK.as_secs_f64());
        let mut next_look = look;
        loop {
            match pages.recv_timeout(LOOK) {
                Ok(page) => {
                    self.complete_up_to[page.part] = page.complete_up_to;
                    self.rows.extend(page.rows);
                    page.ended.iter().for_each(|ended| self.book.page(ended));
                    if let Some(checks) = page.checks {
                        self.checks[page.part] = checks;
                        self.book.checks(joined_counts(&self.checks));
                    }
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
            if clock.now() >= next_look {
                next_look = clock.now() + look;
                self.write(self.complete_up_to.iter().copied().min().unwrap_or(Nanos::MAX));
                let seen = common.seen.lock().unwrap_or_else(PoisonError::into_inner).clone();
                if !watch(self.progress(&seen)) {
                    common.stop.store(true, Ordering::Relaxed);
                }
            }
        }
        self.write(Nanos::MAX);
        self.book.collector
    }

    /// Writes down what ended before this time.
    fn write(&mut self, until: Nanos) {
        self.rows.sort_by_key(|(row, _)| row.done);
        let ready = self.rows.partition_point(|(row, _)| row.done < until);
        for (row, ended) in self.rows.drain(..ready) {
            self.book.add(&row, ended);
        }
        self.book.complete_up_to(until);
    }

    fn progress(&self, seen: &[Option<RunProgress>]) -> RunProgress {
        let mut all = RunProgress { requests: self.book.requests(), ..RunProgress::default() };
        for one in seen.iter().flatten() {
            all.time_s = all.time_s.max(one.time_s);
            all.in_flight += one.in_flight;
            all.failures += one.failures;
        }
        all
    }
}
