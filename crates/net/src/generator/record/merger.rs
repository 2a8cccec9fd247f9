//! Merges the rows of several event loops, of this process or of others, in the order of time.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Duration;

use thinktime_core::program::{CheckCounts, Report};
use thinktime_core::record::{Collector, EndPhase, Row, Window};
use thinktime_core::statistics::Tally;
use thinktime_core::time::Nanos;

use super::recorder::{CommonEnd, LoopMessage, Recorder, ResultRecorder};
use crate::generator::plan::{ConnectionCounts, LoopOutcome, RunProgress};
use crate::poller::Clock;

/// The time between two reports of progress.
const LOOK: Duration = Duration::from_millis(100);
/// The notice of the end: each loop asks about ten times a second for it, and reports its time as
/// often.
const NOTICE: Nanos = Nanos(400_000_000);

/// The outcomes of two loops as one.
pub(crate) fn combine(one: LoopOutcome, other: LoopOutcome) -> LoopOutcome {
    let (a, b) = (one.window, other.window);
    LoopOutcome {
        report: Report::joined(one.report, other.report),
        window: Window { begin: a.begin.min(b.begin), end: a.end.max(b.end) },
        sessions: one.sessions + other.sessions,
        interrupted: one.interrupted || other.interrupted,
        load_lost: one.load_lost.or(other.load_lost),
        in_flight: one.in_flight + other.in_flight,
        bodies_cut: one.bodies_cut + other.bodies_cut,
        session_times: both(one.session_times, other.session_times),
        event_gaps: both(one.event_gaps, other.event_gaps),
        tries: sum_of(one.tries, other.tries),
        generator: one.generator.joined(other.generator),
    }
}

/// The times of both, by population or kind of request.
fn both(mut one: Vec<Tally>, other: Vec<Tally>) -> Vec<Tally> {
    one.resize(one.len().max(other.len()), Tally::default());
    one.iter_mut().zip(&other).for_each(|(mine, theirs)| mine.merge(theirs));
    one
}

/// The connections of both, by address.
fn sum_of(
    mut one: BTreeMap<SocketAddr, ConnectionCounts>,
    other: BTreeMap<SocketAddr, ConnectionCounts>,
) -> BTreeMap<SocketAddr, ConnectionCounts> {
    for (address, tries) in other {
        let sum = one.entry(address).or_default();
        sum.answered += tries.answered;
        sum.failed += tries.failed;
    }
    one
}

/// The checks of all loops together.
fn combine_counts(parts: &[CheckCounts]) -> CheckCounts {
    let mut all = CheckCounts::new();
    for (name, count) in parts.iter().flatten() {
        let sum = all.entry(name.clone()).or_default();
        sum.passed += count.passed;
        sum.failed += count.failed;
    }
    all
}

/// Merges rows: one is recorded once no loop can have an earlier one any more.
pub(crate) struct RowMerger<'a> {
    results: ResultRecorder<'a>,
    rows: Vec<(Row, EndPhase)>,
    complete_up_to: Vec<Nanos>,
    /// By loop, the progress that it reported last.
    seen: Vec<Option<RunProgress>>,
    /// By loop, how often its checks have held so far.
    checks: Vec<CheckCounts>,
}

impl<'a> RowMerger<'a> {
    pub(crate) fn new(results: ResultRecorder<'a>, loops: usize) -> RowMerger<'a> {
        let checks = vec![CheckCounts::new(); loops];
        let complete_up_to = vec![Nanos::ZERO; loops];
        RowMerger { results, rows: Vec::new(), complete_up_to, seen: vec![None; loops], checks }
    }

    /// Merges until all senders are gone. `stop` is set when `watch` returns `false`, and `end`
    /// once enough is known.
    pub(crate) fn merge(
        mut self,
        messages: &Receiver<LoopMessage>,
        stop: &AtomicBool,
        end: &CommonEnd,
        watch: &mut dyn FnMut(RunProgress) -> bool,
    ) -> Collector {
        let clock = Clock::start();
        let look = Nanos::from_secs_f64(LOOK.as_secs_f64());
        let mut next_look = look;
        loop {
            match messages.recv_timeout(LOOK) {
                Ok(message) if message.part() < self.seen.len() => self.take(message),
                Ok(_) | Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
            if clock.now() >= next_look {
                next_look = clock.now() + look;
                self.write(self.complete_up_to.iter().copied().min().unwrap_or(Nanos::MAX));
                let progress = self.progress();
                if !watch(progress) {
                    stop.store(true, Ordering::Relaxed);
                }
                let now = Nanos::from_secs_f64(progress.time_s);
                if self.results.end_of_requests(now).is_some() {
                    end.set(now + NOTICE);
                }
            }
        }
        self.write(Nanos::MAX);
        self.results.collector
    }

    fn take(&mut self, message: LoopMessage) {
        match message {
            LoopMessage::Rows(batch) => {
                self.complete_up_to[batch.part] = batch.complete_up_to;
                self.seen[batch.part] = Some(batch.progress);
                self.rows.extend(batch.rows);
                batch.ended.iter().for_each(|ended| self.results.page(ended));
                if let Some(checks) = batch.checks {
                    self.checks[batch.part] = checks;
                    self.results.checks(combine_counts(&self.checks));
                }
            }
            LoopMessage::End(part) => self.complete_up_to[part] = Nanos::MAX,
        }
    }

    /// Records rows that ended before this time.
    fn write(&mut self, until: Nanos) {
        self.rows.sort_by_key(|(row, _)| row.done);
        let ready = self.rows.partition_point(|(row, _)| row.done < until);
        for (row, ended) in self.rows.drain(..ready) {
            self.results.add(&row, ended);
        }
        self.results.flush();
    }

    fn progress(&self) -> RunProgress {
        let mut all = RunProgress { requests: self.results.requests(), ..RunProgress::default() };
        for one in self.seen.iter().flatten() {
            all.time_s = all.time_s.max(one.time_s);
            all.in_flight += one.in_flight;
            all.failures += one.failures;
            all.sessions += one.sessions;
            all.begun += one.begun;
        }
        all
    }
}
