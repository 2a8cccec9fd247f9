//! How each objective of a workload was met, as far as a result can tell.
//!
//! An objective is met, or not met, where the 95 % interval of its figure lies on one side of the
//! limit, and also where all values do: of 50 quick responses none says that a p99 is missed. Else
//! the result cannot tell. Percentiles without an interval of their own get that of order
//! statistics, shares that of Wilson (1927); both are of independent values, so the number of
//! values is made smaller by as much as the values' own memory widens the interval of their mean.

use serde::{Deserialize, Serialize};

use super::{Collector, Summary, Tally, TimeFigures};
use crate::workload::{Figure, Objective, Of, Workload};

/// Whether an objective is met.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// It is, as far as 95 % intervals go.
    Met,
    /// It is not.
    #[serde(rename = "not met")]
    NotMet,
    /// The figure is not known well enough.
    #[serde(rename = "cannot tell")]
    CannotTell,
}

/// An objective, what was found, and the verdict.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ObjectiveFigures {
    /// The figure's key in the file, as in `p99`, `page_p99`, `errors` or `checks`.
    pub name: String,
    /// The population, request or check that it is of; none where it is of all.
    pub of: Option<String>,
    /// The limit: the largest time in seconds or share that fails; the least share that passes.
    pub limit: f64,
    /// What was found, in the same unit; none where nothing was.
    pub value: Option<f64>,
    /// Its 95 % confidence interval; none where the data cannot bound it.
    pub interval: Option<[f64; 2]>,
    /// Whether it is met.
    pub verdict: Verdict,
    /// All of that in words.
    pub words: String,
}

/// The 0.975 quantile of the normal law.
const NORMAL_975: f64 = 1.959_964;
/// More than so many times the requests are not worth an advice.
const MORE_MAX: f64 = 1000.0;

/// What is known of a figure.
#[derive(Clone, Copy, Debug, Default)]
struct Found {
    value: Option<f64>,
    low: Option<f64>,
    high: Option<f64>,
    /// Whether not a single value is beyond the limit, or within.
    none_beyond: bool,
    none_within: bool,
}

impl Found {
    /// Against the largest value that is allowed.
    fn verdict(self, limit: f64) -> Verdict {
        let beyond = self.none_within || self.low.is_some_and(|low| low > limit);
        let within = self.none_beyond || self.high.is_some_and(|high| high <= limit);
        match (self.value, within, beyond) {
            (Some(_), true, _) => Verdict::Met,
            (Some(_), _, true) => Verdict::NotMet,
            _ => Verdict::CannotTell,
        }
    }

    fn interval(self) -> Option<[f64; 2]> {
        Some([self.low?, self.high?])
    }

    /// How many times the requests would tell, about: intervals narrow with the square root.
    fn more(self, limit: f64) -> Option<f64> {
        let (value, [low, high]) = (self.value?, self.interval()?);
        let half = if value > limit { value - low } else { high - value };
        let times = (half / (value - limit)).powi(2).ceil().max(2.0);
        (times <= MORE_MAX).then_some(times)
    }
}

impl Summary {
    /// Judges all objectives anew, by the figures as they are now.
    pub fn judge_objectives(&mut self, workload: &Workload, collector: &Collector) {
        let evidence = Evidence { summary: self, workload, collector };
        let all = workload.slo.objectives.iter();
        self.objectives = all.map(|one| evidence.judged(one)).collect();
    }
}

/// Where the figures of objectives are found.
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
            Figure::Errors => self.errors(&objective.of),
            Figure::Checks => self.checks(&objective.of),
        };
        let verdict = match objective.figure {
            // The least share that passes is the largest that fails.
            Figure::Checks => found.verdict(1.0 - limit),
            _ => found.verdict(limit),
        };
        let found = if objective.figure == Figure::Checks { found.turned() } else { found };
        ObjectiveFigures {
            name: objective.figure.key(),
            of: objective.of.name().map(str::to_owned),
            limit,
            value: found.value,
            interval: found.interval(),
            verdict,
            words: words::in_words(objective, found, verdict),
        }
    }

    /// A mean or a percentile of these times.
    fn time(&self, name: &str, limit: f64, times: &Times) -> Found {
        let figures = times.tally.figures(times.ci95);
        let memory = times.memory.unwrap_or_else(|| self.memory());
        let number = times.tally.count() as f64 / memory;
        let own = times.intervals.then(|| self.summary.response_time_ci95.get(name)).flatten();
        let (low, high) = match (own, TimeFigures::share_of(name)) {
            (Some([low, high]), _) => (Some(*low), Some(*high)),
            (None, Some(share)) => order_statistics(&times.tally, share, number),
            (None, None) => {
                let half = times.ci95.or_else(|| times.tally.half_width_95(number));
                figures.mean.zip(half).map(|(mean, half)| (mean - half, mean + half)).unzip()
            }
        };
        Found {
            value: figures.by_name(name),
            low,
            high,
            none_beyond: figures.max.is_some_and(|max| max <= limit),
            none_within: figures.min.is_some_and(|min| min > limit),
        }
    }

    /// By how much the memory of all response times makes their number smaller.
    fn memory(&self) -> f64 {
        memory_of(&self.collector.all_responses(), self.summary.response_time_s.ci95)
    }

    fn responses(&self, of: &Of) -> Times {
        let kinds = |wanted: &dyn Fn(usize) -> bool| {
            let mut tally = Tally::default();
            let all = self.collector.responses();
            all.iter().enumerate().filter(|one| wanted(one.0)).for_each(|one| tally.merge(one.1));
            tally
        };
        let requests = &self.workload.requests;
        match of {
            Of::Population(name, place) => {
                let own = self.workload.populations[*place].kinds.clone();
                let figures = self.summary.by_population.get(name);
                let ci95 = figures.and_then(|one| one.response_time_s.ci95);
                Times::of(kinds(&|kind| own.contains(&kind)), ci95)
            }
            Of::Request(name) => Times {
                tally: kinds(&|kind| requests.get(kind).is_some_and(|one| one.name == *name)),
                ..Times::default()
            },
            Of::All | Of::Check(_) => {
                let ci95 = self.summary.response_time_s.ci95;
                let tally = self.collector.all_responses();
                Times { intervals: true, ..Times::of(tally, ci95) }
            }
        }
    }

    fn pages(&self, of: &Of) -> Times {
        let (kinds, figures) = match of {
            Of::Population(name, place) => {
                let figures = self.summary.by_population.get(name);
                let kinds = self.workload.populations[*place].kinds.clone();
                (kinds, figures.and_then(|one| one.page_response_time_s))
            }
            _ => (0..self.workload.requests.len(), self.summary.page_response_time_s),
        };
        Times::of(self.collector.pages.times(kinds), figures.and_then(|one| one.ci95))
    }

    fn errors(&self, of: &Of) -> Found {
        let (requests, failed) = match of {
            Of::Population(name, _) => {
                let one = self.summary.by_population.get(name);
                one.map_or((0, 0), |one| (one.requests, one.errors))
            }
            Of::Request(name) => {
                let one = self.summary.by_request.get(name);
                one.map_or((0, 0), |one| (one.requests + one.errors, one.errors))
            }
            Of::All | Of::Check(_) => (self.summary.requests, self.summary.errors),
        };
        share(failed, requests)
    }

    /// The share of checks that failed.
    fn checks(&self, of: &Of) -> Found {
        let checks = self.summary.checks.iter();
        let own = checks.filter(|(name, _)| of.name().is_none_or(|wanted| wanted == *name));
        let (passed, failed) = own
            .fold((0, 0), |(passed, failed), (_, one)| (passed + one.passed, failed + one.failed));
        share(failed, passed + failed)
    }
}

/// Times, and what is known of their memory.
#[derive(Default)]
struct Times {
    tally: Tally,
    /// The half-width of the mean's 95 % interval.
    ci95: Option<f64>,
    /// By how much memory makes their number smaller; none where it is taken for that of all.
    memory: Option<f64>,
    /// Whether the summary has intervals of their percentiles.
    intervals: bool,
}

impl Times {
    fn of(tally: Tally, ci95: Option<f64>) -> Times {
        let memory = ci95.map(|_| memory_of(&tally, ci95));
        Times { tally, ci95, memory, intervals: false }
    }
}

fn memory_of(tally: &Tally, ci95: Option<f64>) -> f64 {
    let independent = tally.half_width_95(tally.count() as f64);
    let ratio = ci95.zip(independent).map(|(found, least)| (found / least).powi(2));
    ratio.filter(|ratio| ratio.is_finite()).map_or(1.0, |ratio| ratio.max(1.0))
}

/// The interval of a percentile: those of the values between which it lies by chance. A bound that
/// lies outside of all values is not known.
fn order_statistics(tally: &Tally, at: f64, number: f64) -> (Option<f64>, Option<f64>) {
    let half = NORMAL_975 * (at * (1.0 - at) / number.max(1.0)).sqrt();
    let inside = |share: f64| (share > 0.0 && share < 1.0).then(|| tally.quantile_s(share))?;
    (inside(at - half), inside(at + half))
}

/// A share of so many, with Wilson's interval.
fn share(failed: u64, all: u64) -> Found {
    if all == 0 {
        return Found::default();
    }
    let (n, p) = (all as f64, failed as f64 / all as f64);
    let square = NORMAL_975 * NORMAL_975 / n;
    let centre = (p + square / 2.0) / (1.0 + square);
    let half = (square * (p * (1.0 - p) + square / 4.0)).sqrt() / (1.0 + square);
    Found {
        value: Some(p),
        low: Some(if failed == 0 { 0.0 } else { centre - half }),
        high: Some(if failed == all { 1.0 } else { centre + half }),
        none_beyond: failed == 0,
        none_within: false,
    }
}

impl Found {
    /// The share that passed, from the one that failed.
    fn turned(self) -> Found {
        let turn = |share: Option<f64>| share.map(|share| 1.0 - share);
        Found { value: turn(self.value), low: turn(self.high), high: turn(self.low), ..self }
    }
}

mod words;

#[cfg(test)]
mod tests;
