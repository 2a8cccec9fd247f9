//! How each objective of a workload was met, as far as a result shows it.
//!
//! An objective is met, or not met, if the 95 % interval of its figure lies on one side of the
//! limit. A percentile is one of all requests, and those that failed are later than any limit. It
//! has an interval if it is known (`Summary::independent_requests`), and is also judged by the
//! share of requests beyond the limit. If the memory of a run is longer than its batches, the mean
//! counts as known up to a factor only. Shares have the interval of Wilson (1927).

use thinktime_file::workload::Figure;

use super::{Attainment, Collector, ObjectiveFigures, Summary};
use crate::statistics::{NORMAL_975, Tally, TimeFigures, independent_needed};
use crate::workload::{Objective, Scope, Workload};
use interval::{by_number, share};

/// Beyond this multiple of the requests, advice is useless.
const MORE_MAX: f64 = 1000.0;
/// The standard error of the logarithm of an unknown mean.
const UNKNOWN: f64 = 0.5;

/// An interval of a time that extends beyond this multiple of its value is useless.
const BOUND_MAX: f64 = 1000.0;

/// The knowledge of a figure.
#[derive(Clone, Copy, Debug, Default)]
struct Found {
    value: Option<f64>,
    low: Option<f64>,
    high: Option<f64>,
    /// The requests that failed, which count as later than any limit.
    failed: u64,
    /// How many times the requests would bound a percentile that is not known.
    short: Option<f64>,
    /// Whether the number of values beyond the limit alone decides the attainment.
    few_beyond: bool,
    many_beyond: bool,
}

impl Found {
    /// Compared with the largest allowed value.
    fn attainment(self, limit: f64) -> Attainment {
        let beyond = self.many_beyond || self.low.is_some_and(|low| low > limit);
        let within = self.few_beyond || self.high.is_some_and(|high| high <= limit);
        match (self.value, within, beyond) {
            (Some(_), true, false) => Attainment::Met,
            (Some(_), false, true) => Attainment::NotMet,
            _ => Attainment::CannotTell,
        }
    }

    fn interval(self) -> Option<[f64; 2]> {
        Some([self.low?, self.high?]).filter(|ends| ends.iter().all(|end| end.is_finite()))
    }

    /// About how many times the requests would decide it: intervals narrow with the square root.
    fn more(self, limit: f64) -> Option<f64> {
        let (value, [low, high]) = (self.value?, self.interval()?);
        let half = if value > limit { value - low } else { high - value };
        // The upper end for a share of which nothing was found falls with the number itself.
        let power = if value > 0.0 { 2 } else { 1 };
        let times = (half / (value - limit).abs()).powi(power).ceil().max(2.0);
        (times <= MORE_MAX).then_some(times)
    }

    /// The share that passed, from the one that failed.
    fn turned(self) -> Found {
        let turn = |share: Option<f64>| share.map(|share| 1.0 - share);
        Found { value: turn(self.value), low: turn(self.high), high: turn(self.low), ..self }
    }
}

impl Summary {
    /// Judges all objectives again, by the current figures.
    pub fn judge_objectives(&mut self, workload: &Workload, collector: &Collector) {
        let evidence = Evidence { summary: self, workload, collector };
        let all = workload.slo.objectives.iter();
        self.objectives = all.map(|one| evidence.judged(one)).collect();
        if self.kind == "simulate" {
            self.leave_out_unknown(workload);
        }
    }
}

/// The places where the figures of objectives are found.
struct Evidence<'a> {
    summary: &'a Summary,
    workload: &'a Workload,
    collector: &'a Collector,
}

impl Evidence<'_> {
    fn judged(&self, objective: &Objective) -> ObjectiveFigures {
        let limit = objective.limit;
        let found = match objective.figure {
            Figure::Response(name) => self.time(name, limit, &self.responses(&objective.of)),
            Figure::Page(name) => self.time(name, limit, &self.pages(&objective.of)),
            Figure::FirstEvent(name) => self.time(name, limit, &self.first_events(&objective.of)),
            Figure::EventGap(name) => self.time(name, limit, &self.gaps(&objective.of)),
            Figure::Goodput => self.goodput(&objective.of, 1.0 - limit),
            Figure::Errors => self.errors(&objective.of, limit),
            Figure::Checks => self.checks(&objective.of, 1.0 - limit),
        };
        let least = objective.figure.has_least();
        // The least share that passes is the largest that fails.
        let verdict = found.attainment(if least { 1.0 - limit } else { limit });
        let found = if least { found.turned() } else { found };
        ObjectiveFigures {
            name: objective.figure.key(),
            of: objective.of.name().map(str::to_owned),
            limit,
            value: found.value.filter(|value| value.is_finite()),
            interval: found.interval(),
            verdict,
            words: words::in_words(objective, found, verdict),
        }
    }

    /// A mean or a percentile of these times.
    fn time(&self, name: &str, limit: f64, times: &Times) -> Found {
        match TimeFigures::share_of(name) {
            Some(share) => self.percentile(name, share, limit, times),
            None => self.mean(times),
        }
    }

    /// The mean of the requests that succeeded.
    fn mean(&self, times: &Times) -> Found {
        let Some(value) = times.tally.mean_s() else { return Found::default() };
        let count = times.tally.count();
        let independent = self.independent(times, count).unwrap_or(count as f64);
        let half = times.ci95.or_else(|| times.tally.half_width_95(independent));
        let [low, high] = match half.filter(|_| self.is_sure()) {
            Some(half) => [value - half, value + half],
            None => {
                let least = half.filter(|_| value > 0.0).map_or(0.0, |half| half / value);
                let error = least.max(NORMAL_975 * UNKNOWN);
                [value * (-error).exp(), value * error.exp()]
            }
        };
        // Bounds that are out of all proportion are useless.
        let known = high.is_finite() && high <= BOUND_MAX * value;
        let bound = |at: f64| known.then_some(at.max(0.0));
        Found { value: Some(value), low: bound(low), high: bound(high), ..Found::default() }
    }

    /// A percentile of all requests, of which those that failed are the latest.
    fn percentile(&self, name: &str, share: f64, limit: f64, times: &Times) -> Found {
        let Times { tally, failed, .. } = times;
        let value = tally.percentile_s(share, *failed);
        let all = tally.count() + failed;
        let independent = self.independent(times, all);
        let own = (times.is_all && *failed == 0).then_some(&self.summary.response_time_ci95);
        let interval = match own {
            Some(all) => all.get(name).copied(),
            None => independent.and_then(|one| tally.percentile_interval_95(share, *failed, one)),
        };
        let [low, high] = interval.map_or([None; 2], |ends| ends.map(Some));
        let found = Found { value, low, high, failed: *failed, ..Found::default() };
        let within = (1.0 - tally.share_beyond(limit)) * tally.count() as f64;
        let found = by_number(found, 1.0 - within / all.max(1) as f64, 1.0 - share, independent);
        let short = independent.map(|one| (independent_needed(share) / one).ceil());
        let short = short.filter(|times| (2.0..=MORE_MAX).contains(times));
        Found { few_beyond: found.few_beyond && interval.is_some(), short, ..found }
    }

    /// The number of independent requests that `all` of these are worth; `None` if it is not known.
    fn independent(&self, times: &Times, all: u64) -> Option<f64> {
        // What comes from one request is not independent.
        let all = times.requests.unwrap_or(all);
        let ci95 = times.ci95.filter(|_| !times.is_all);
        let of_own = times.tally.independent(ci95).map(|one| (one, times.tally.count()));
        let of_all = || {
            let responses = self.collector.all_responses().count();
            self.summary.independent_requests.map(|one| (one, responses))
        };
        let (worth, count) = of_own.or_else(of_all)?;
        Some(worth / count as f64 * all as f64)
    }

    /// Whether the interval of the mean is as wide as it has to be.
    fn is_sure(&self) -> bool {
        let replicated = self.summary.replication_means_s.len() > 1;
        replicated || self.collector.batches.interval_95().is_some_and(|one| !one.correlated)
    }

    fn responses(&self, of: &Scope) -> Times {
        let requests = &self.workload.requests;
        let times = |wanted: &dyn Fn(usize) -> bool, ci95: Option<f64>| {
            let mut tally = Tally::default();
            let all = self.collector.responses();
            all.iter().enumerate().filter(|one| wanted(one.0)).for_each(|one| tally.merge(one.1));
            let failed = self.collector.failures.of(|kind| wanted(kind as usize));
            Times { tally, failed, ci95, is_all: false, requests: None }
        };
        match of {
            Scope::Population(name, place) => {
                let own = self.workload.populations[*place].kinds.clone();
                let figures = self.summary.by_population.get(name);
                let ci95 = figures.and_then(|one| one.response_time_s.ci95);
                times(&|kind| own.contains(&kind), ci95)
            }
            Scope::Request(name) => {
                times(&|kind| requests.get(kind).is_some_and(|one| one.name == *name), None)
            }
            Scope::All | Scope::Check(_) => {
                let ci95 = self.summary.response_time_s.ci95;
                let (tally, failed) = (self.collector.all_responses(), self.summary.errors);
                Times { tally, failed, ci95, is_all: true, requests: None }
            }
        }
    }

    fn pages(&self, of: &Scope) -> Times {
        let (kinds, figures) = match of {
            Scope::Population(name, place) => {
                let figures = self.summary.by_population.get(name);
                let kinds = self.workload.populations[*place].kinds.clone();
                (kinds, figures.and_then(|one| one.page_response_time_s))
            }
            _ => (0..self.workload.requests.len(), self.summary.page_response_time_s),
        };
        let failed = self.collector.pages.figures(kinds.clone()).map_or(0, |pages| pages.failed);
        let ci95 = figures.and_then(|one| one.ci95);
        let tally = self.collector.pages.times(kinds);
        Times { tally, failed, ci95, is_all: false, requests: None }
    }

    fn errors(&self, of: &Scope, most: f64) -> Found {
        let (requests, failed) = match of {
            Scope::Population(name, _) => {
                let one = self.summary.by_population.get(name);
                one.map_or((0, 0), |one| (one.requests, one.errors))
            }
            Scope::Request(name) => {
                let one = self.summary.by_request.get(name);
                one.map_or((0, 0), |one| (one.requests + one.errors, one.errors))
            }
            Scope::All | Scope::Check(_) => (self.summary.requests, self.summary.errors),
        };
        share(failed, requests, most)
    }

    /// The share of checks that failed.
    fn checks(&self, of: &Scope, most: f64) -> Found {
        let checks = self.summary.checks.iter();
        let own = checks.filter(|(name, _)| of.name().is_none_or(|wanted| wanted == *name));
        let (passed, failed) = own
            .fold((0, 0), |(passed, failed), (_, one)| (passed + one.passed, failed + one.failed));
        share(failed, passed + failed, most)
    }
}

/// The times of requests or pages.
struct Times {
    /// Of those that succeeded.
    tally: Tally,
    /// The number of the others.
    failed: u64,
    /// The half-width of the mean's 95 % interval; `None` if their memory is that of all requests.
    ci95: Option<f64>,
    /// Whether they are those of all requests, of which the summary has intervals.
    is_all: bool,
    /// The number of requests that brought them, if one brings several.
    requests: Option<u64>,
}

mod interval;
mod streams;
mod unknown;
mod words;

#[cfg(test)]
mod tests;
