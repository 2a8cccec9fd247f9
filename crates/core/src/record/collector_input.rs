//! What a collector takes besides rows: its workload, pages, and requests that were served at their
//! first attempt.

use thinktime_file::time::Nanos;

use super::populations::Populations;
use super::streams::Streams;
use super::{Collector, EndPhase};
use crate::attempt::{Attempt, Page};
use crate::limit::Limit;
use crate::statistics::Tally;
use crate::workload::Workload;

impl Collector {
    /// As [`Collector::new`], for a workload, whose populations are kept apart.
    #[must_use]
    pub fn of(workload: &Workload, limit: Limit, real: bool, interval: Nanos) -> Collector {
        let populations = Populations::new(workload);
        let kinds = workload.requests.len();
        let mut collector = Collector::new(kinds, limit, real, interval);
        collector.populations = populations;
        collector.streams = Streams::of(workload).filter(|_| real);
        let limited = workload.populations.iter().any(|one| one.clients.concurrency < u64::MAX);
        collector.waiting = limited.then(Tally::default);
        collector
    }

    /// The same, if a modelled system gives the events of streamed responses of this workload.
    #[must_use]
    pub fn with_events(mut self, workload: &Workload) -> Collector {
        self.streams = Streams::of(workload);
        self
    }

    /// Whether it takes the events of streamed responses.
    #[must_use]
    pub fn takes_events(&self) -> bool {
        self.streams.is_some()
    }

    /// Adds a page that has ended.
    pub fn add_page(&mut self, page: &Page) {
        if self.limit.counts(page.scheduled) {
            self.pages.add(page);
        }
    }

    /// Adds a request of a modelled system that was served at `done`, unless [`Collector::add`]
    /// needs a row for it: says whether it did. The collector's figures are right after
    /// [`Collector::settle`].
    #[inline(always)]
    pub fn add_served(&mut self, attempt: &Attempt, done: Nanos, phase: EndPhase) -> bool {
        let Attempt { attempt, kind, due, request_scheduled: scheduled, .. } = *attempt;
        let at_once = attempt == 1 && due == scheduled;
        if !at_once || phase == EndPhase::AfterWindow || !self.limit.counts(scheduled) {
            return false;
        }
        if phase == EndPhase::InWindow {
            self.completed(done);
        }
        if self.served.push(kind, scheduled, done.since(scheduled)) {
            self.settle();
        }
        true
    }

    /// The response to a request that was scheduled at this time succeeded, and had this many
    /// bytes, which its row does not say.
    #[inline]
    pub fn received(&mut self, bytes: u64, scheduled: Nanos) {
        if self.limit.counts(scheduled) {
            self.counts.bytes += bytes;
        }
    }

    /// Enters the requests of [`Collector::add_served`]: to be called before any figure is read.
    pub fn settle(&mut self) {
        self.timeline.add_served(&self.served);
        let responses = self.served.responses();
        self.sections.add_all(responses);
        self.batches.add_times(responses);
        if !self.by_kind.is_empty() {
            let all = responses.iter().zip(self.served.kinds());
            all.for_each(|(time, kind)| self.by_kind[*kind as usize].add(*time));
        }
        if self.populations.any() {
            let all = responses.iter().zip(self.served.kinds());
            all.for_each(|(time, kind)| self.populations.add(*kind, time.0));
        }
        if let Some(waiting) = &mut self.waiting {
            responses.iter().for_each(|_| waiting.add(Nanos::ZERO)); // they were sent at once
        }
        self.counts.requests += responses.len() as u64;
        self.served.clear();
    }
}
