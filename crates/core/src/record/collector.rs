//! What is kept of all rows of a run, in memory that does not grow with its length.

use std::collections::BTreeMap;

use super::{BatchMeans, Row, Tally, TimeFigures, Timeline};
use crate::client::{Fate, Limit};
use crate::time::Nanos;

/// Collects the rows of one run or replication.
#[derive(Clone, Debug)]
pub struct Collector {
    limit: Limit,
    /// Whether sending can be late, so that lateness and service times are worth keeping.
    real: bool,
    pub(super) response: Vec<Tally>,
    pub(super) service: Tally,
    pub(super) lateness: Tally,
    pub(super) batches: BatchMeans,
    pub(super) timeline: Timeline,
    pub(super) counts: Counts,
    pub(super) errors: BTreeMap<&'static str, u64>,
}

/// Numbers of requests that count.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Counts {
    /// Requests that are over.
    pub(super) requests: u64,
    /// Of these, the failed ones.
    pub(super) failed: u64,
    /// Attempts that timed out.
    pub(super) timeouts: u64,
    /// Attempts after the first.
    pub(super) retries: u64,
    /// Successes in the measured time, whenever they were scheduled.
    pub(super) completed_in_window: u64,
}

/// The measured time of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Window {
    /// Its begin: the end of the warm-up.
    pub begin: Nanos,
    /// Its end: no request is begun after it.
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
    /// For a workload with so many kinds of request. `real` says that the rows come from a real
    /// system, where sending can be late.
    #[must_use]
    pub fn new(kinds: usize, limit: Limit, real: bool) -> Collector {
        Collector {
            limit,
            real,
            response: vec![Tally::default(); kinds],
            service: Tally::default(),
            lateness: Tally::default(),
            batches: BatchMeans::default(),
            timeline: Timeline::new(kinds),
            counts: Counts::default(),
            errors: BTreeMap::new(),
        }
    }

    /// Adds a row. `in_window` says whether requests were still being begun when it ended.
    #[inline]
    pub fn add(&mut self, row: &Row, in_window: bool) {
        self.timeline.add(row);
        let success = row.error.is_none();
        if success && in_window && self.limit.counts(row.done) && row.done < self.limit.until {
            self.counts.completed_in_window += 1;
        }
        if !self.limit.counts(row.attempt.request_scheduled) {
            return;
        }
        if let Some(error) = row.error {
            *self.errors.entry(error).or_default() += 1;
            self.counts.timeouts += u64::from(error == TIMEOUT);
        }
        if row.fate == Fate::Retried {
            self.counts.retries += 1;
            return;
        }
        self.counts.requests += 1;
        if success {
            self.succeeded(row);
        } else {
            self.counts.failed += 1;
        }
    }

    #[inline]
    fn succeeded(&mut self, row: &Row) {
        let response = row.done.since(row.attempt.request_scheduled);
        self.response[row.attempt.kind as usize].add(response);
        self.batches.add(response.as_secs_f64());
        if self.real {
            self.service.add(row.done.since(row.sent));
            self.lateness.add(row.sent.since(row.attempt.scheduled));
        }
    }

    /// Failed attempts by what went wrong.
    pub(super) fn errors_by_kind(&self) -> BTreeMap<String, u64> {
        self.errors.iter().map(|(kind, count)| ((*kind).to_owned(), *count)).collect()
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
        let mut all = Tally::default();
        for tally in &self.response {
            all.merge(tally);
        }
        all
    }

    /// The response times by kind of request.
    #[must_use]
    pub fn responses(&self) -> &[Tally] {
        &self.response
    }

    /// The run over time, warm-up included.
    #[must_use]
    pub fn timeline(&self) -> &Timeline {
        &self.timeline
    }

    /// The number of requests that count and are over.
    #[must_use]
    pub fn requests(&self) -> u64 {
        self.counts.requests
    }

    /// The mean response time in seconds and the half-width of its 95 % confidence interval.
    #[must_use]
    pub fn mean_and_half_width(&self) -> Option<(f64, f64)> {
        Some((self.all_responses().mean_s()?, self.batches.half_width_95()?))
    }

    /// Adds what another replication of the same workload collected. Time averages over time and
    /// batches stay those of the first.
    pub fn merge(&mut self, other: &Collector) {
        for (mine, theirs) in self.response.iter_mut().zip(&other.response) {
            mine.merge(theirs);
        }
        self.service.merge(&other.service);
        self.lateness.merge(&other.lateness);
        let counts = &mut self.counts;
        counts.requests += other.counts.requests;
        counts.failed += other.counts.failed;
        counts.timeouts += other.counts.timeouts;
        counts.retries += other.counts.retries;
        counts.completed_in_window += other.counts.completed_in_window;
        for (error, count) in &other.errors {
            *self.errors.entry(error).or_default() += count;
        }
    }
}

/// The word for an attempt that the client gave up.
pub const TIMEOUT: &str = "timeout";
