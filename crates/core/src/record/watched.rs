//! Whether the objectives of one kind of thing, requests or pages, can still be met.

use std::collections::VecDeque;

use super::BatchMeans;
use crate::client::Limit;
use crate::time::Nanos;
use crate::words;

/// Before so many requests nothing is certain.
const REQUESTS_MIN: u64 = 1000;
/// A mean is certain to be beyond its limit by so many half-widths of its 95 % interval. It is
/// looked at again and again, which one half-width would not stand.
const HALF_WIDTHS: f64 = 2.0;
/// The time between two looks that are remembered, in seconds.
const LOOK_S: f64 = 0.5;
/// So many more requests may come than the time passed lets expect.
const MORE: f64 = 1.1;

/// Objectives that are watched as requests, or pages, end.
#[derive(Debug)]
pub(super) struct Watched {
    limit: Limit,
    count: u64,
    succeeded: u64,
    times: Vec<Objective>,
    errors: Option<Mean>,
    /// Earlier looks: the time in seconds, and the requests begun by then.
    looks: VecDeque<(f64, u64)>,
    /// Requests of the warm-up that may still be on their way.
    before: u64,
}

/// A response time's objective: the mean, or the share of times beyond the limit.
#[derive(Debug)]
struct Objective {
    name: &'static str,
    limit_s: f64,
    mean: Mean,
}

/// A mean that is to stay at or below its limit.
#[derive(Debug, Default)]
struct Mean {
    most: f64,
    sum: f64,
    batches: BatchMeans,
}

impl Mean {
    fn new(most: f64) -> Mean {
        Mean { most, ..Mean::default() }
    }

    fn add(&mut self, value: f64) {
        self.sum += value;
        self.batches.add(value);
    }

    /// Whether it will be above its limit: even if all further values of `whole` were 0, or by
    /// its interval.
    /// `coming` is what the values that are still to come add at least.
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

impl Watched {
    /// Limits of times, and of the share that fails, in a run that ends at `limit`.
    pub(super) fn new(
        times_s: &[(&'static str, f64)],
        errors: Option<f64>,
        limit: Limit,
    ) -> Watched {
        let objective = |(name, limit_s): &(&'static str, f64)| {
            let percentile: Option<f64> = name.strip_prefix('p').and_then(|p| p.parse().ok());
            let most = percentile.map_or(*limit_s, |percentile| 1.0 - percentile / 100.0);
            Objective { name, limit_s: *limit_s, mean: Mean::new(most) }
        };
        Watched {
            limit,
            count: 0,
            succeeded: 0,
            times: times_s.iter().map(objective).collect(),
            errors: errors.map(Mean::new),
            looks: VecDeque::new(),
            before: u64::MAX,
        }
    }

    /// A request is over, with this response time or without success.
    pub(super) fn take(&mut self, response: Option<Nanos>) {
        self.count += 1;
        if let Some(errors) = &mut self.errors {
            errors.add(f64::from(u8::from(response.is_none())));
        }
        let Some(response) = response else { return };
        self.succeeded += 1;
        let time_s = response.as_secs_f64();
        for one in &mut self.times {
            let beyond = f64::from(u8::from(time_s > one.limit_s));
            one.mean.add(if one.name == "mean" { time_s } else { beyond });
        }
    }

    /// The objective that can no longer be met, in words: after `time_s` seconds of the run, with
    /// so many requests on their way, all of which are among these, or else only some. To be asked
    /// about once a second.
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
        let errors = self.errors.as_ref();
        if let Some(errors) = errors.filter(|one| one.is_beyond(self.count, 0.0, whole)) {
            let share = errors.sum / self.count as f64;
            let (found, most) = words::percents_apart(share, errors.most);
            return Some(format!("{found} of requests failed, wanted {most} or less"));
        }
        let beyond = |one: &&Objective| {
            let overdue = if all { self.overdue(one.limit_s, time_s, in_flight) } else { 0 };
            let least = if one.name == "mean" { one.limit_s } else { 1.0 };
            one.mean.is_beyond(self.succeeded, least * overdue as f64, whole)
        };
        let found = self.times.iter().find(beyond).map(|one| (one.name, one.limit_s));
        self.forget(time_s);
        let (name, limit_s) = found?;
        Some(format!("{name} is beyond {} for certain", words::time(limit_s)))
    }

    /// At least so many requests have been on their way for longer than `limit_s`: those that
    /// cannot have been begun since. A server that answers nothing is known by them.
    fn overdue(&self, limit_s: f64, time_s: f64, in_flight: u64) -> u64 {
        let old = |look: &&(f64, u64)| look.0 + limit_s < time_s;
        let Some((_, begun)) = self.looks.iter().rev().find(old) else { return 0 };
        let since = (self.count + in_flight).saturating_sub(*begun);
        // The warm-up's own requests count neither as overdue nor as begun since.
        in_flight.saturating_sub(since).saturating_sub(self.before.saturating_mul(2))
    }

    /// Forgets looks that no limit reaches back to.
    fn forget(&mut self, time_s: f64) {
        let longest = self.times.iter().map(|one| one.limit_s).fold(0.0, f64::max);
        while self.looks.get(1).is_some_and(|look| look.0 + longest < time_s) {
            self.looks.pop_front();
        }
    }

    /// How many requests there will be at most, as far as that is known.
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

    fn objectives(requests: u64) -> Watched {
        let limit = Limit { requests, until: Nanos::MAX, warmup: Nanos(0) };
        Watched::new(&[("p99", 0.1), ("mean", 0.05)], Some(0.01), limit)
    }

    #[test]
    fn what_is_met_is_never_given_up() {
        let mut all = objectives(100_000);
        for n in 0..50_000_u64 {
            let late = n % 200 == 0;
            all.take((n % 300 != 0).then_some(Nanos(if late { 200_000_000 } else { 40_000_000 })));
            assert_eq!(all.out_of_reach(1.0, 10, true), None, "after {n}");
        }
    }

    #[test]
    fn each_objective_can_be_lost() {
        for (response, word) in
            [(Some(Nanos(60_000_000)), "mean"), (Some(Nanos(200_000_000)), "p99"), (None, "failed")]
        {
            let mut all = objectives(100_000);
            (0..999).for_each(|_| all.take(response));
            assert_eq!(all.out_of_reach(1.0, 0, true), None, "999 requests say nothing");
            (0..200).for_each(|_| all.take(response));
            assert!(
                all.out_of_reach(1.0, 0, true).is_some_and(|text| text.contains(word)),
                "{word}"
            );
        }
    }

    /// A server that answers nothing: 1,000 requests a second, none of them over.
    #[test]
    fn what_is_never_answered_is_lost_too() {
        let mut all = objectives(10_000);
        assert_eq!(all.out_of_reach(0.0, 0, true), None);
        assert_eq!(all.out_of_reach(1.0, 1000, true), None, "these may all be new");
        assert!(all.out_of_reach(2.0, 2000, true).is_some_and(|text| text.contains("p99")));
    }

    /// 1.25 % of the times are beyond, in two bursts, where 1 % may be.
    #[test]
    fn a_share_that_is_not_yet_told_from_its_limit_goes_on() {
        let mut all = objectives(u64::MAX);
        let time = |beyond: bool| Some(Nanos(if beyond { 110_000_000 } else { 1_000_000 }));
        (0..2000).for_each(|n| all.take(time(n < 20 || (1000..1005).contains(&n))));
        assert_eq!(all.out_of_reach(1.0, 0, true), None);
    }
}
