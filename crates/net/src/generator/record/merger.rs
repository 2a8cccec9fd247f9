//! Who keeps the book of several event loops, whether they run beside it or on other machines.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Duration;

use thinktime_core::program::{CheckCounts, Report};
use thinktime_core::record::{Collector, Ended, Row, RowSink, Window};
use thinktime_core::time::Nanos;

use super::recorder::{Book, Ledger, Told};
use crate::generator::plan::{Done, RunProgress};
use crate::poller::Clock;

/// The time between two reports of progress.
const LOOK: Duration = Duration::from_millis(100);

/// The ends of two loops as one.
pub(crate) fn joined(one: Done, other: Done) -> Done {
    let (a, b) = (one.window, other.window);
    Done {
        report: Report::joined(one.report, other.report),
        window: Window { begin: a.begin.min(b.begin), end: a.end.max(b.end) },
        sessions: one.sessions + other.sessions,
        interrupted: one.interrupted || other.interrupted,
        load_lost: one.load_lost.or(other.load_lost),
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
pub(crate) struct Keeper<'a, S> {
    book: Book<'a, S>,
    rows: Vec<(Row, Ended)>,
    complete_up_to: Vec<Nanos>,
    /// By loop, how far it is, as far as it has told.
    seen: Vec<Option<RunProgress>>,
    /// By loop, how often its checks have held so far.
    checks: Vec<CheckCounts>,
}

impl<'a, S: RowSink> Keeper<'a, S> {
    pub(crate) fn new(book: Book<'a, S>, loops: usize) -> Keeper<'a, S> {
        let checks = vec![CheckCounts::new(); loops];
        let complete_up_to = vec![Nanos::ZERO; loops];
        Keeper { book, rows: Vec::new(), complete_up_to, seen: vec![None; loops], checks }
    }

    /// Keeps it until nobody tells anything more. `stop` is set when `watch` says so.
    pub(crate) fn keep(
        mut self,
        told: &Receiver<Told>,
        stop: &AtomicBool,
        watch: &mut dyn FnMut(RunProgress) -> bool,
    ) -> Collector {
        let clock = Clock::start();
        let look = Nanos::from_secs_f64(LOOK.as_secs_f64());
        let mut next_look = look;
        loop {
            match told.recv_timeout(LOOK) {
                Ok(told) if told.part() < self.seen.len() => self.hear(told),
                Ok(_) | Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
            if clock.now() >= next_look {
                next_look = clock.now() + look;
                self.write(self.complete_up_to.iter().copied().min().unwrap_or(Nanos::MAX));
                if !watch(self.progress()) {
                    stop.store(true, Ordering::Relaxed);
                }
            }
        }
        self.write(Nanos::MAX);
        self.book.collector
    }

    fn hear(&mut self, told: Told) {
        match told {
            Told::Page(page) => {
                self.complete_up_to[page.part] = page.complete_up_to;
                self.rows.extend(page.rows);
                page.ended.iter().for_each(|ended| self.book.page(ended));
                if let Some(checks) = page.checks {
                    self.checks[page.part] = checks;
                    self.book.checks(joined_counts(&self.checks));
                }
            }
            Told::Progress(part, progress) => self.seen[part] = Some(progress),
            Told::Gone(part) => self.complete_up_to[part] = Nanos::MAX,
        }
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

    fn progress(&self) -> RunProgress {
        let mut all = RunProgress { requests: self.book.requests(), ..RunProgress::default() };
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
