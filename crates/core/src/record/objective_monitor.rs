//! Whether an objective of requests or pages can still be met.

use std::collections::VecDeque;

use thinktime_file::time::Nanos;

use crate::limit::Limit;
use crate::statistics::{BatchMeans, TimeFigures};
use crate::words;

/// Below this number of requests nothing is certain.
const REQUESTS_MIN: u64 = 1000;
/// A mean is certain to be beyond its limit by this many half-widths of its 95 % interval. The
/// check is repeated often, and one half-width would be too little for that.
const HALF_WIDTHS: f64 = 2.0;
/// The time between two recorded looks, in seconds.
const LOOK_S: f64 = 0.5;
/// More requests than the elapsed time suggests may still come, up to this factor.
const MORE: f64 = 1.1;

/// An objective that is watched as requests, or pages, end.
#[derive(Debug)]
pub(super) struct ObjectiveMonitor {
    limit: Limit,
    count: u64,
    succeeded: u64,
    figure: Figure,
    mean: Mean,
    /// Earlier looks: the time in seconds, and the requests begun by then.
    looks: VecDeque<(f64, u64)>,
    /// Requests of the warm-up that may still be in progress.
    before: u64,
}

/// The figure that is limited.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Figure {
    /// The mean time.
    Mean,
    /// A percentile, by its name and limit: judged by the share of times beyond the limit.
    Percentile(&'static str, f64),
    /// The share of requests that fails.
    Errors,
    /// The share of checks that fails.
    Checks,
}

/// A mean that must stay at or below its limit.
#[derive(Debug, Default)]
struct Mean {
    most: f64,
    sum: f64,
    batches: BatchMeans,
}

impl Mean {
    fn add(&mut self, value: f64) {
        self.sum += value;
        self.batches.add(value);
    }

    /// Whether it will be above its limit: either its interval says so, or it would be even if all
    /// further values of `whole` were 0. `coming` is the least that the values still to come add.
    fn is_beyond(&self, count: u64, coming: f64, whole: Option<f64>) -> bool {
        let sum = self.sum + coming;
        if whole.is_some_and(|whole| sum > self.most * whole.max(count as f64)) {
            return true;
        }
        let mean = self.sum / count.max(1) as f64;
        let interval = self.batches.interval_95();
        interval.is_some_and(|one| mean - HALF_WIDTHS * one.half_width > self.most)
    }
}

impl ObjectiveMonitor {
    /// A limit of a mean or a percentile, by its name, in a run that ends at `limit`.
    pub(super) fn of_time(name: &'static str, limit_s: f64, limit: Limit) -> ObjectiveMonitor {
        match TimeFigures::share_of(name) {
            None => ObjectiveMonitor::new(Figure::Mean, limit_s, limit),
            Some(share) => {
                ObjectiveMonitor::new(Figure::Percentile(name, limit_s), 1.0 - share, limit)
            }
        }
    }

    /// A limit of the share that fails.
    pub(super) fn of_errors(most: f64, limit: Limit) -> ObjectiveMonitor {
        ObjectiveMonitor::new(Figure::Errors, most, limit)
    }

    /// A limit of the share of checks that fail. The number of checks in a request is not known,
    /// but a time bounds it.
    pub(super) fn of_checks(most: f64, limit: Limit) -> ObjectiveMonitor {
        ObjectiveMonitor::new(Figure::Checks, most, Limit { requests: u64::MAX, ..limit })
    }

    fn new(figure: Figure, most: f64, limit: Limit) -> ObjectiveMonitor {
        let mean = Mean { most, ..Mean::default() };
        let looks = VecDeque::new();
        ObjectiveMonitor { limit, count: 0, succeeded: 0, figure, mean, looks, before: u64::MAX }
    }

    /// A request is over, with this response time or without success.
    pub(super) fn take(&mut self, response: Option<Nanos>) {
        let one = |is: bool| f64::from(u8::from(is));
        self.count += 1;
        self.succeeded += u64::from(response.is_some());
        match (self.figure, response.map(Nanos::as_secs_f64)) {
            (Figure::Errors | Figure::Checks, response) => self.mean.add(one(response.is_none())),
            (Figure::Mean, Some(time_s)) => self.mean.add(time_s),
            (Figure::Percentile(_, limit_s), Some(time_s)) => self.mean.add(one(time_s > limit_s)),
            // It is later than any limit.
            (Figure::Percentile(..), None) => self.mean.add(1.0),
            (Figure::Mean, None) => {}
        }
    }

    /// The objective that can no longer be met, in words, after `time_s` seconds of the run. Given
    /// is the number of requests in progress, which either all belong to this objective or only in
    /// part. To be called about once a second.
    pub(super) fn out_of_reach(
        &mut self,
        time_s: f64,
        in_flight: u64,
        all: bool,
    ) -> Option<String> {
        if time_s < self.limit.warmup.as_secs_f64() {
            return None;
        }
        self.before = self.before.min(in_flight);
        let begun = self.count + in_flight;
        if self.looks.back().is_none_or(|look| look.0 + LOOK_S <= time_s) {
            self.looks.push_back((time_s, begun));
        }
        if begun < REQUESTS_MIN {
            return None;
        }
        let whole = self.whole(time_s, in_flight);
        let lost = match self.figure {
            Figure::Errors | Figure::Checks => self.mean.is_beyond(self.count, 0.0, whole),
            Figure::Mean | Figure::Percentile(..) => {
                let overdue = if all { self.overdue(time_s, in_flight) } else { 0 };
                let coming = self.least_s() * overdue as f64;
                let count = if self.figure == Figure::Mean { self.succeeded } else { self.count };
                self.mean.is_beyond(count, coming, whole)
            }
        };
        self.forget(time_s);
        lost.then(|| self.in_words())
    }

    fn in_words(&self) -> String {
        let failed = |what: &str| {
            let share = self.mean.sum / self.count as f64;
            let (found, most) = words::percents_apart(share, self.mean.most);
            format!("{found} of {what} failed, wanted {most} or less")
        };
        let (name, limit_s) = match self.figure {
            Figure::Errors => return failed("requests"),
            Figure::Checks => return failed("checks"),
            Figure::Mean => ("mean", self.mean.most),
            Figure::Percentile(name, limit_s) => (name, limit_s),
        };
        format!("{name} is beyond {} for certain", words::time(limit_s))
    }

    /// The time beyond which a request is overdue, in seconds.
    fn limit_s(&self) -> f64 {
        match self.figure {
            Figure::Errors | Figure::Checks => 0.0,
            Figure::Mean => self.mean.most,
            Figure::Percentile(_, limit_s) => limit_s,
        }
    }

    /// What a request that is overdue adds at least.
    fn least_s(&self) -> f64 {
        if self.figure == Figure::Mean { self.mean.most } else { 1.0 }
    }

    /// At least this many requests have been in progress for longer than the limit: those that
    /// cannot have begun since. They reveal a server that never answers.
    fn overdue(&self, time_s: f64, in_flight: u64) -> u64 {
        let limit_s = self.limit_s();
        let old = |look: &&(f64, u64)| look.0 + limit_s < time_s;
        let Some((_, begun)) = self.looks.iter().rev().find(old) else { return 0 };
        let since = (self.count + in_flight).saturating_sub(*begun);
        // The warm-up's own requests count neither as overdue nor as begun since.
        in_flight.saturating_sub(since).saturating_sub(self.before.saturating_mul(2))
    }

    /// Forgets looks older than any limit.
    fn forget(&mut self, time_s: f64) {
        let longest = self.limit_s();
        while self.looks.get(1).is_some_and(|look| look.0 + longest < time_s) {
            self.looks.pop_front();
        }
    }

    /// The largest number of requests that there will be, if it is known.
    fn whole(&self, time_s: f64, in_flight: u64) -> Option<f64> {
        let begun = (self.count + in_flight) as f64;
        if self.limit.requests < u64::MAX {
            return Some(begun.max(self.limit.requests as f64));
        }
        let warmup_s = self.limit.warmup.as_secs_f64();
        let known = !self.limit.until.is_never() && time_s > warmup_s;
        let length_s = self.limit.until.as_secs_f64() - warmup_s;
        known.then(|| begun.max(MORE * begun * length_s / (time_s - warmup_s)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 1 % of errors, a p99 of 100 ms, and a mean of 50 ms.
    fn objectives(requests: u64) -> [ObjectiveMonitor; 3] {
        let limit = Limit { requests, until: Nanos::MAX, warmup: Nanos(0) };
        [
            ObjectiveMonitor::of_errors(0.01, limit),
            ObjectiveMonitor::of_time("p99", 0.1, limit),
            ObjectiveMonitor::of_time("mean", 0.05, limit),
        ]
    }

    fn take(all: &mut [ObjectiveMonitor], response: Option<Nanos>) {
        all.iter_mut().for_each(|one| one.take(response));
    }

    fn lost(all: &mut [ObjectiveMonitor], time_s: f64, in_flight: u64) -> Option<String> {
        all.iter_mut().find_map(|one| one.out_of_reach(time_s, in_flight, true))
    }

    #[test]
    fn what_is_met_is_never_given_up() {
        let mut all = objectives(100_000);
        for n in 0..50_000_u64 {
            let late = n % 200 == 0;
            let time = Nanos(if late { 200_000_000 } else { 40_000_000 });
            take(&mut all, (n % 500 != 0).then_some(time));
            assert_eq!(lost(&mut all, 1.0, 10), None, "after {n}");
        }
    }

    #[test]
    fn each_objective_can_be_lost() {
        for (response, word) in
            [(Some(Nanos(60_000_000)), "mean"), (Some(Nanos(200_000_000)), "p99"), (None, "failed")]
        {
            let mut all = objectives(100_000);
            (0..999).for_each(|_| take(&mut all, response));
            assert_eq!(lost(&mut all, 1.0, 0), None, "999 requests say nothing");
            (0..200).for_each(|_| take(&mut all, response));
            assert!(lost(&mut all, 1.0, 0).is_some_and(|text| text.contains(word)), "{word}");
        }
    }

    #[test]
    fn failed_requests_are_beyond_the_limit_of_a_percentile() {
        let limit = Limit { requests: 100_000, until: Nanos::MAX, warmup: Nanos(0) };
        let mut all = [ObjectiveMonitor::of_time("p90", 0.1, limit)];
        (0..20_000_u64).for_each(|n| take(&mut all, (n % 2 == 0).then_some(Nanos(1_000_000))));
        assert_eq!(lost(&mut all, 1.0, 0).as_deref(), Some("p90 is beyond 100 ms for certain"));
    }

    /// A server that never answers: 1,000 requests a second, none of them over.
    #[test]
    fn what_is_never_answered_is_lost_too() {
        let mut all = objectives(10_000);
        assert_eq!(lost(&mut all, 0.0, 0), None);
        assert_eq!(lost(&mut all, 1.0, 1000), None, "these may all be new");
        assert!(lost(&mut all, 2.0, 2000).is_some_and(|text| text.contains("p99")));
    }

    /// 1.25 % of the times are beyond the limit, in two bursts; 1 % may be.
    #[test]
    fn a_share_that_is_not_yet_told_from_its_limit_goes_on() {
        let mut all = objectives(u64::MAX);
        let time = |beyond: bool| Some(Nanos(if beyond { 110_000_000 } else { 1_000_000 }));
        (0..2000).for_each(|n| take(&mut all, time(n < 20 || (1000..1005).contains(&n))));
        assert_eq!(lost(&mut all, 1.0, 0), None);
    }
}
