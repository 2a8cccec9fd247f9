//! A station's time averages.

use thinktime_file::time::Nanos;

use super::by_kind::{ByKind, Left};
use super::summary::{Demands, StationSummary};
use crate::system::node::Detail;

/// Keeps the integrals over time.
///
/// One list gives them all: the time with more than n jobs, for each n. The integral of the number
/// of jobs is their sum, that of busy servers the sum of as many as there are servers, and
/// neighbours differ by the time with exactly that number. An arrival or a departure passes one n,
/// and so changes one place of the list.
#[derive(Debug)]
pub(in crate::system) struct Monitor {
    servers: u64,
    number: u64,
    began: Nanos,
    /// The number present then.
    number_before: u64,
    /// By n, the nanoseconds with more than n jobs; less the present time for each n that is
    /// exceeded now, so that no product with the time since the last change is needed. Differences
    /// are right modulo 2^64.
    above: Vec<u64>,
    demands: Demands,
    by_kind: ByKind,
}

impl Monitor {
    /// Of this many servers, for this many kinds of request; those of a single kind, or of none,
    /// are not kept apart.
    pub(in crate::system) fn new(servers: u32, kinds: usize) -> Monitor {
        Monitor {
            servers: servers.into(),
            number: 0,
            began: Nanos::ZERO,
            number_before: 0,
            above: Vec::new(),
            demands: Demands::default(),
            by_kind: ByKind::new(kinds),
        }
    }

    /// Forgets the past, but not the present jobs.
    pub(in crate::system) fn begin(&mut self, now: Nanos) {
        (self.began, self.number_before) = (now, self.number);
        self.above.clear();
        self.above.resize(self.number as usize, 0_u64.wrapping_sub(now.0));
        self.demands = Demands::default();
        self.by_kind.begin(now);
    }

    #[inline(always)]
    pub(in crate::system) fn number(&self) -> u64 {
        self.number
    }

    /// A job arrives with its demand; `kind` is asked only if kinds are kept apart.
    #[inline(always)]
    pub(in crate::system) fn arrive(
        &mut self,
        now: Nanos,
        demand: Nanos,
        kind: impl FnOnce() -> u32,
    ) {
        match self.above.get_mut(self.number as usize) {
            Some(time) => *time = time.wrapping_sub(now.0),
            None => self.rise(now),
        }
        self.number += 1;
        self.demands.add(demand);
        if self.by_kind.any() {
            self.by_kind.arrive(now, demand, kind());
        }
    }

    /// More are present than ever before.
    #[cold]
    fn rise(&mut self, now: Nanos) {
        self.above.push(0_u64.wrapping_sub(now.0));
    }

    /// A job leaves; `left` is asked only if kinds are kept apart.
    #[inline(always)]
    pub(in crate::system) fn depart(&mut self, now: Nanos, left: impl FnOnce() -> Left) {
        self.number -= 1;
        let time = &mut self.above[self.number as usize];
        *time = time.wrapping_add(now.0);
        if self.by_kind.any() {
            self.by_kind.depart(now, left());
        }
    }

    /// The averages so far.
    pub(in crate::system) fn summary(&self, now: Nanos, detail: Detail) -> StationSummary {
        let span = now.since(self.began);
        let average = |time: u128| if span.0 > 0 { time as f64 / span.0 as f64 } else { 0.0 };
        let exceeded =
            |(n, time): (u64, &u64)| time.wrapping_add(if n < self.number { now.0 } else { 0 });
        let above = || (0..).zip(&self.above).map(exceeded);
        let sum = |number| above().take(number).map(u128::from).sum();
        StationSummary {
            duration_s: span.0 as f64 * 1e-9,
            load: average(sum(self.servers as usize)) / self.servers as f64,
            queue_length_mean: average(sum(usize::MAX)),
            queue_length_max: self.above.len() as u64,
            above: match detail {
                Detail::Whole => above().map(|time| average(time.into())).collect(),
                Detail::Averages => Vec::new(),
            },
            growth: self.number as i64 - self.number_before as i64,
            demands: self.demands,
            by_kind: self.by_kind.summary(now, span),
            scale: None,
        }
    }
}
