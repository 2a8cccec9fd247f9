//! How each objective of a workload was met, as far as a result shows it.
//!
//! An objective is met, or not met, if the 95 % interval of its figure lies on one side of the
//! limit. Percentiles without an interval of their own get one from that of the mean, with the
//! order statistic of an exponential tail on top of it. If the memory of a run is longer than its
//! batches, the mean itself counts as known up to a factor only. A percentile is also judged by the
//! share of times beyond the limit, and shares by the interval of Wilson (1927).

use thinktime_file::workload::Figure;

use super::{Collector, ObjectiveFigures, Summary, Verdict};
use crate::statistics::{Tally, TimeFigures};
use crate::workload::{Objective, Of, Workload};
use interval::{NORMAL_975, by_number, memory_of, of_order, share};

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
    /// Whether the number of values beyond the limit alone decides the verdict.
    few_beyond: bool,
    many_beyond: bool,
}

impl Found {
    /// Compared with the largest allowed value.
    fn verdict(self, limit: f64) -> Verdict {
        let beyond = self.many_beyond || self.low.is_some_and(|low| low > limit);
        let within = self.few_beyond || self.high.is_some_and(|high| high <= limit);
        match (self.value, within, beyond) {
            (Some(_), true, false) => Verdict::Met,
            (Some(_), false, true) => Verdict::NotMet,
            _ => Verdict::CannotTell,
        }
    }

    fn interval(self) -> Option<[f64; 2]> {
        Some([self.low?, self.high?])
    }

    /// About how many times the requests would decide it: intervals narrow with the square root.
    fn more(self, limit: f64) -> Option<f64> {
        let (value, [low, high]) = (self.value?, self.interval()?);
        let half = if value > limit { value - low } else { high - value };
        let times = (half / (value - limit)).powi(2).ceil().max(2.0);
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
            self.leave_out_checks(workload);
        }
    }

    /// Leaves out objectives of checks of responses, which a simulation does not have, and reports
    /// them. Checks of scripts are counted there, too.
    fn leave_out_checks(&mut self, workload: &Workload) {
        let checks = || workload.requests.iter().flat_map(|one| &one.value_use.checks);
        let is_of_responses =
            |of: Option<&str>| checks().any(|one| of.is_none_or(|of| of == one.name));
        let is_out = |one: &ObjectiveFigures| {
            one.name == "checks" && one.value.is_none() && is_of_responses(one.of.as_deref())
        };
        let all = std::mem::take(&mut self.objectives);
        let (out, kept): (Vec<_>, Vec<_>) = all.into_iter().partition(is_out);
        self.objectives = kept;
        let named = |one: &ObjectiveFigures| {
            one.of.as_ref().map_or_else(|| "checks".to_owned(), |of| format!("check `{of}`"))
        };
        let names: Vec<_> = out.iter().map(named).collect();
        let note = format!(
            "a simulation has no responses to check: left out of the SLO: {}",
            names.join(", ")
        );
        if !names.is_empty() && !self.notes.contains(&note) {
            self.notes.push(note);
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
        let Some(value) = times.tally.figures(None).by_name(name) else { return Found::default() };
        let number = times.tally.count() as f64;
        let independent = number / times.memory.unwrap_or_else(|| self.memory());
        let half = times.ci95.or_else(|| times.tally.half_width_95(independent));
        let sure = self.is_sure() && half.is_some();
        let own = times.intervals.then(|| self.summary.response_time_ci95.get(name)).flatten();
        let of_mean = times.tally.mean_s().zip(half).map_or(UNKNOWN, |(mean, half)| {
            if mean > 0.0 { half / mean / NORMAL_975 } else { 0.0 }
        });
        let of_mean = if sure { of_mean } else { of_mean.max(UNKNOWN) };
        let around = |error: f64| [value * (-error).exp(), value * error.exp()];
        let share = TimeFigures::share_of(name);
        let [low, high] = match (own, share, half) {
            (Some(own), ..) => *own,
            (None, None, Some(half)) if sure => [value - half, value + half],
            (None, None, _) => around(NORMAL_975 * of_mean),
            (None, Some(share), _) => {
                around(NORMAL_975 * of_mean.hypot(of_order(number, 1.0 - share)))
            }
        };
        // Bounds that are out of all proportion are useless.
        let known = high.is_finite() && high <= BOUND_MAX * value;
        let bound = |at: f64| known.then_some(at.max(0.0));
        let found =
            Found { value: Some(value), low: bound(low), high: bound(high), ..Found::default() };
        share.map_or(found, |share| by_number(found, &times.tally, limit, share, sure, independent))
    }

    /// The factor by which the memory of all response times reduces their number.
    fn memory(&self) -> f64 {
        memory_of(&self.collector.all_responses(), self.summary.response_time_s.ci95)
    }

    /// Whether the interval of the mean is as wide as it has to be.
    fn is_sure(&self) -> bool {
        let replicated = self.summary.replication_means_s.len() > 1;
        replicated || self.collector.batches.interval_95().is_some_and(|one| !one.correlated)
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

/// Times, and the knowledge of their memory.
#[derive(Default)]
struct Times {
    tally: Tally,
    /// The half-width of the mean's 95 % interval.
    ci95: Option<f64>,
    /// The factor by which memory reduces their number; `None` if it is taken for that of all.
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

mod interval;
mod words;

#[cfg(test)]
mod tests;
