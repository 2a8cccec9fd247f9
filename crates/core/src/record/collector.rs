//! The collected figures of all rows of a run, in memory that does not grow with its length.

use serde::{Deserialize, Serialize};
use thinktime_file::time::Nanos;

use super::failures::Failures;
use super::pages::Pages;
use super::populations::Populations;
use super::served_batch::ServedBatch;
use super::streams::Streams;
use super::{Row, Starvation, Timeline};
use crate::attempt::Fate;
use crate::failure::UNSENT;
use crate::limit::Limit;
use crate::program::Report;
use crate::statistics::{BatchMeans, Sections, Tally, TimeFigures};

/// Collects the rows of one run or replication.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Collector {
    pub(super) limit: Limit,
    /// Whether sending can be late, so that lateness and service times are worth keeping.
    real: bool,
    /// Requests that are in none of the figures below yet: see [`Collector::settle`].
    #[serde(skip)]
    pub(super) served: ServedBatch,
    /// By kind of request; empty if there is one kind.
    pub(super) by_kind: Vec<Tally>,
    pub(super) sections: Sections,
    pub(super) starved: Starvation,
    pub(super) service: Tally,
    pub(super) lateness: Tally,
    /// The server's own time, if it reports one.
    pub(super) server_time: Option<Tally>,
    /// How long requests waited for a place among those in flight, if their number is limited.
    pub(super) waiting: Option<Tally>,
    /// Of response times in nanoseconds.
    pub(super) batches: BatchMeans,
    pub(super) timeline: Timeline,
    pub(super) counts: Counts,
    pub(super) failures: Failures,
    pub(super) pages: Pages,
    pub(super) populations: Populations,
    /// Streamed responses, if there are any.
    pub(super) streams: Option<Box<Streams>>,
    /// The findings of programs, if sessions are programs.
    pub(super) programs: Option<Report>,
    /// By population, how long its sessions lasted; empty if that is not known.
    pub(super) session_times: Vec<Tally>,
}

/// Numbers of requests that count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Counts {
    /// Requests that are over.
    pub(super) requests: u64,
    /// Of these, the failed ones.
    pub(super) failed: u64,
    /// Of these, the ones that were never sent.
    pub(super) dropped: u64,
    /// Attempts that timed out.
    pub(super) timeouts: u64,
    /// Attempts after the first.
    pub(super) retries: u64,
    /// Successes in the measured time, whenever they were scheduled.
    pub(super) completed_in_window: u64,
    /// The bytes of the responses that succeeded.
    pub(super) bytes: u64,
}

/// When an attempt ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum EndPhase {
    /// While requests were still being begun.
    InWindow,
    /// Afterwards.
    AfterWindow,
    /// Reported later, by [`Collector::completed`] or [`Collector::unfinished`].
    ReportedLater,
}

/// The measured time of a run.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Window {
    /// Its beginning: the end of the warm-up.
    pub begin: Nanos,
    /// Its end: no request begins after it.
    pub end: Nanos,
}

impl Window {
    /// Its length in seconds.
    #[must_use]
    pub fn duration_s(&self) -> f64 {
        self.end.since(self.begin).as_secs_f64()
    }
}

impl Collector {
    /// For a workload with this many kinds of request. `real` says that the rows come from a real
    /// system, where sending can be late; `interval` is that of the timeline.
    #[must_use]
    pub fn new(kinds: usize, limit: Limit, real: bool, interval: Nanos) -> Collector {
        Collector {
            limit,
            real,
            served: ServedBatch::default(),
            by_kind: if kinds > 1 { vec![Tally::default(); kinds] } else { Vec::new() },
            sections: Sections::default(),
            starved: Starvation::default(),
            service: Tally::default(),
            lateness: Tally::default(),
            server_time: None,
            waiting: None,
            batches: BatchMeans::default(),
            timeline: Timeline::new(kinds, interval),
            counts: Counts::default(),
            failures: Failures::default(),
            pages: Pages::default(),
            populations: Populations::default(),
            streams: None,
            programs: None,
            session_times: Vec::new(),
        }
    }

    /// Adds a row.
    pub fn add(&mut self, row: &Row, phase: EndPhase) {
        if self.served.len() > 0 {
            self.settle(); // batches are of requests in the order of their ends
        }
        self.timeline.add(row);
        let success = row.error.is_none();
        if success && phase == EndPhase::InWindow {
            self.completed(row.done);
        }
        if !self.limit.counts(row.attempt.request_scheduled) {
            return;
        }
        if let Some(error) = row.error {
            self.counts.timeouts += u64::from(self.failures.attempt(row, error));
        }
        if row.fate == Fate::Retried {
            self.counts.retries += 1;
            return;
        }
        self.counts.requests += 1;
        if let Some(streams) = &mut self.streams {
            streams.add(row);
        }
        if success {
            self.succeeded(row);
            if phase == EndPhase::AfterWindow {
                self.starved.add(row.done.since(row.attempt.request_scheduled));
            }
        } else {
            self.counts.failed += 1;
            self.failures.request(row.attempt.kind);
            self.counts.dropped += u64::from(row.error == Some(UNSENT) && row.attempt.attempt == 1);
        }
    }

    /// A request was completed at this time, while others were still being begun.
    #[inline(always)]
    pub fn completed(&mut self, at: Nanos) {
        if self.limit.counts(at) && at < self.limit.until {
            self.counts.completed_in_window += 1;
        }
    }

    fn succeeded(&mut self, row: &Row) {
        let response = row.done.since(row.attempt.request_scheduled);
        self.counts.bytes += row.bytes_received;
        self.sections.add_all(&[response]);
        if let Some(tally) = self.by_kind.get_mut(row.attempt.kind as usize) {
            tally.add(response);
        }
        self.batches.add(response.0 as f64);
        self.populations.add(row.attempt.kind, response.0);
        if let Some(waiting) = &mut self.waiting
            && row.attempt.attempt == 1
        {
            waiting.add(row.attempt.due.since(row.attempt.request_scheduled));
        }
        if self.real {
            self.service.add(row.done.since(row.sent));
            self.lateness.add(row.sent.since(row.attempt.due));
            if !row.server_time.is_never() {
                self.server_time.get_or_insert_default().add(row.server_time);
            }
        }
    }

    /// Whether the rows come from a real system.
    #[must_use]
    pub fn is_real(&self) -> bool {
        self.real
    }

    /// Lateness; on a virtual clock nothing is ever late.
    pub(super) fn lateness_figures(&self, responses: &Tally) -> TimeFigures {
        if self.real {
            return self.lateness.figures(None);
        }
        let mut none = Tally::default();
        if responses.count() > 0 {
            none.add(Nanos::ZERO);
        }
        none.figures(None)
    }

    /// The response times of all kinds of request.
    #[must_use]
    pub fn all_responses(&self) -> Tally {
        debug_assert_eq!(self.served.len(), 0, "to be settled before it is asked");
        self.sections.all()
    }

    /// The response times by kind of request.
    #[must_use]
    pub fn responses(&self) -> Vec<Tally> {
        if self.by_kind.is_empty() { vec![self.all_responses()] } else { self.by_kind.clone() }
    }

    /// A request was in progress when the measured time ended; `time` is its age then, or its final
    /// duration.
    pub fn unfinished(&mut self, time: Nanos) {
        self.starved.add(time);
    }

    /// Those that were not finished when the measured time ended.
    #[must_use]
    pub fn starved(&self) -> &Starvation {
        &self.starved
    }

    /// Records the number in the modelled system; gives the time at which it needs the next.
    pub fn note_in_server(&mut self, now: Nanos, number: u64) -> Nanos {
        // Rows still to be entered may make intervals longer.
        self.settle();
        self.timeline.note_in_server(now, number)
    }

    /// The run over time, warm-up included.
    #[must_use]
    pub fn timeline(&self) -> &Timeline {
        debug_assert_eq!(self.served.len(), 0, "to be settled before it is asked");
        &self.timeline
    }

    /// Takes the findings of programs and, by population, the lengths of sessions, at the end.
    pub fn set_sessions(&mut self, report: Option<Report>, times: &[Tally]) {
        self.programs = report;
        self.session_times = times.to_vec();
    }

    /// The number of requests that count and are over.
    #[must_use]
    pub fn requests(&self) -> u64 {
        self.counts.requests + self.served.len() as u64
    }

    /// Adds another replication's collection of the same workload. Time averages over time and
    /// batches stay those of the first.
    pub fn merge(&mut self, other: &Collector) {
        for (mine, theirs) in self.by_kind.iter_mut().zip(&other.by_kind) {
            mine.merge(theirs);
        }
        self.sections.take_in(&other.all_responses());
        self.starved.merge(&other.starved);
        self.pages.merge(&other.pages);
        self.failures.merge(&other.failures);
        if let (Some(mine), Some(theirs)) = (&mut self.streams, &other.streams) {
            mine.merge(theirs);
        }
        self.service.merge(&other.service);
        self.lateness.merge(&other.lateness);
        if let Some(theirs) = &other.server_time {
            self.server_time.get_or_insert_default().merge(theirs);
        }
        if let (Some(mine), Some(theirs)) = (&mut self.waiting, &other.waiting) {
            mine.merge(theirs);
        }
        let counts = &mut self.counts;
        counts.requests += other.counts.requests;
        counts.failed += other.counts.failed;
        counts.dropped += other.counts.dropped;
        counts.timeouts += other.counts.timeouts;
        counts.retries += other.counts.retries;
        counts.completed_in_window += other.counts.completed_in_window;
        counts.bytes += other.counts.bytes;
        let sessions = self.session_times.iter_mut().zip(&other.session_times);
        sessions.for_each(|(mine, theirs)| mine.merge(theirs));
        if let (Some(mine), Some(theirs)) = (&mut self.programs, &other.programs) {
            mine.merge(theirs);
        }
    }
}
