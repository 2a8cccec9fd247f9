//! Requests that were served at their first attempt, until they are entered together.

use thinktime_file::time::Nanos;

use super::{Collector, Ended};
use crate::attempt::Attempt;

/// The number entered at a time: few enough for the nearest cache.
const NUMBER_MAX: usize = 64;

/// The requests served last. Nearly all requests are such, and a loop that does one thing with many
/// of them keeps sums in registers.
#[derive(Clone, Debug)]
pub(super) struct Recent {
    number: usize,
    scheduled: [Nanos; NUMBER_MAX],
    responses: [Nanos; NUMBER_MAX],
    kinds: [u32; NUMBER_MAX],
}

impl Default for Recent {
    fn default() -> Recent {
        let times = [Nanos::ZERO; NUMBER_MAX];
        Recent { number: 0, scheduled: times, responses: times, kinds: [0; NUMBER_MAX] }
    }
}

impl Recent {
    pub(super) fn len(&self) -> usize {
        self.number
    }

    pub(super) fn clear(&mut self) {
        self.number = 0;
    }

    /// Adds a request of this kind; says whether the buffer is full.
    #[inline(always)]
    pub(super) fn push(&mut self, kind: u32, scheduled: Nanos, response: Nanos) -> bool {
        let at = self.number % NUMBER_MAX;
        self.scheduled[at] = scheduled;
        self.responses[at] = response;
        self.kinds[at] = kind;
        self.number = at + 1;
        self.number == NUMBER_MAX
    }

    /// When each was scheduled.
    pub(super) fn scheduled(&self) -> &[Nanos] {
        &self.scheduled[..self.number]
    }

    /// The response time of each.
    pub(super) fn responses(&self) -> &[Nanos] {
        &self.responses[..self.number]
    }

    /// The kind of each request.
    pub(super) fn kinds(&self) -> &[u32] {
        &self.kinds[..self.number]
    }
}

impl Collector {
    /// Adds a request of a modelled system that was served at `done`, unless [`Collector::add`]
    /// needs a row for it: says whether it did. The collector's figures are right after
    /// [`Collector::settle`].
    #[inline(always)]
    pub fn add_served(&mut self, attempt: &Attempt, done: Nanos, ended: Ended) -> bool {
        let Attempt { attempt, kind, scheduled, request_scheduled, .. } = *attempt;
        let at_once = attempt == 1 && scheduled == request_scheduled;
        if !at_once || ended == Ended::AfterWindow || !self.limit.counts(scheduled) {
            return false;
        }
        if ended == Ended::InWindow {
            self.completed(done);
        }
        if self.recent.push(kind, scheduled, done.since(scheduled)) {
            self.settle();
        }
        true
    }

    /// Enters the requests of [`Collector::add_served`]: to be called before any figure is read.
    pub fn settle(&mut self) {
        self.timeline.add_served(&self.recent);
        let responses = self.recent.responses();
        self.sections.add_all(responses);
        self.batches.add_times(responses);
        if !self.by_kind.is_empty() {
            let all = responses.iter().zip(self.recent.kinds());
            all.for_each(|(time, kind)| self.by_kind[*kind as usize].add(*time));
        }
        if self.populations.any() {
            let all = responses.iter().zip(self.recent.kinds());
            all.for_each(|(time, kind)| self.populations.add(*kind, time.0));
        }
        if let Some(waiting) = &mut self.waiting {
            responses.iter().for_each(|_| waiting.add(Nanos::ZERO)); // they were sent at once
        }
        self.counts.requests += responses.len() as u64;
        self.recent.clear();
    }
}
