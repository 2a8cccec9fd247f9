//! The findings of a simulation, in words: notes, and warnings of what spoils or limits its result.

use thinktime_core::policy::scheduling::{Rank, Ties};
use thinktime_core::record::{Collapse, Collector, RateShortfall, Summary, Window, rate_shortfall};
use thinktime_core::system::{DemandLaw, StationModel, SystemModel};
use thinktime_core::words;
use thinktime_core::workload::{Beginning, Workload};

use crate::cluster_findings::ClusterFindings;
use crate::load::unlimited_load;
use crate::pilot::Warmup;
use crate::plan::Plan;

const NEVER_STEADY: &str = "the mean think time is infinite, so there is no steady state that \
                            sessions could begin in: the run began with nobody, and its figures \
                            depend on how long it was";

/// The input of findings.
pub(crate) struct Findings<'a> {
    pub(crate) workload: &'a Workload,
    pub(crate) system: &'a SystemModel,
    pub(crate) plan: &'a Plan,
    pub(crate) collector: &'a Collector,
    pub(crate) window: Window,
    pub(crate) warmup: Option<Warmup>,
    pub(crate) interrupted: bool,
    /// Whether a replication was given up before its end.
    pub(crate) given_up: bool,
}

impl Findings<'_> {
    pub(crate) fn notes(&self, summary: &Summary) -> Vec<String> {
        let mut notes = Vec::new();
        if let Some(Warmup::Ends(at)) = self.warmup {
            let long = words::time(at.as_secs_f64());
            notes.push(format!("the warm-up was found to last {long} (MSER-5 of pilot runs)"));
        }
        notes.extend(self.workload.ended_before(self.window.end));
        let until = self.plan.limit.until;
        if self.workload.mix_end() == Some(until) {
            let long = words::time(until.as_secs_f64());
            notes.push(format!(
                "it ends after {long} with the last arrivals, after which only closed populations \
                 would continue; --replications makes more of the same mix"
            ));
        }
        if let (Some(precision), Some((mean, half))) = (self.plan.precision, interval(summary))
            && half <= precision * mean
        {
            notes.push(format!(
                "the precision of {:.3} % took {} requests",
                precision * 100.0,
                summary.requests
            ));
        }
        notes.extend(self.of_clusters(summary).notes);
        notes
    }

    fn of_clusters(&self, summary: &Summary) -> ClusterFindings {
        ClusterFindings::new(self.system, summary, self.plan.load)
    }

    pub(crate) fn warnings(&self, summary: &Summary) -> Vec<String> {
        let mut warnings = Vec::new();
        if self.interrupted {
            warnings.push("interrupted: the figures are those up to then".to_owned());
        }
        if let Some(Warmup::TooLong(at, requests)) = self.warmup {
            let long = words::time(at.as_secs_f64());
            warnings.push(format!(
                "the warm-up lasts longer than {long}: {requests} requests were too few to find \
                 its end, so the figures may still depend on the start; simulate more requests"
            ));
        }
        warnings.extend(self.never_steady());
        warnings.extend(self.rate_shortfall(summary).map(|missed| missed.words));
        warnings.extend(self.overload());
        warnings.extend(self.infinite_mean());
        warnings.extend(self.imprecise(summary));
        let retries = summary.retries > 0;
        if let Some(collapse) = Collapse::find(self.collector.timeline(), self.window.end)
            && retries
        {
            warnings.push(collapse.words());
        }
        let mean = summary.response_time_s.mean.unwrap_or(0.0);
        warnings.extend(self.collector.starved().words(
            self.window.duration_s(),
            summary.requests - summary.errors, // those that have a response time
            mean,
            !(self.interrupted || self.given_up),
        ));
        if summary.errors > 0 {
            warnings.push(format!(
                "{} of {} requests failed; their times are in no distribution",
                summary.errors, summary.requests
            ));
        }
        warnings.extend(self.of_clusters(summary).warnings);
        warnings
    }

    /// Why the result is unreliable, if it is.
    pub(crate) fn spoils(&self, summary: &Summary) -> Option<String> {
        let missed = || self.rate_shortfall(summary).filter(|missed| missed.spoils);
        let nothing = || summary.nothing_happened().filter(|_| !self.interrupted);
        let spoilt = self.collector.scripts_failed().or_else(nothing);
        spoilt.or_else(|| missed().map(|missed| missed.words))
    }

    fn rate_shortfall(&self, summary: &Summary) -> Option<RateShortfall> {
        let whole = !(self.interrupted || self.given_up);
        if whole { rate_shortfall(self.workload, summary) } else { None }
    }

    fn never_steady(&self) -> Option<String> {
        (self.workload.beginning() == Beginning::NeverSteady).then(|| NEVER_STEADY.to_owned())
    }

    fn overload(&self) -> Option<String> {
        let load = unlimited_load(self.workload, self.system).filter(|load| *load >= 1.0)?;
        Some(format!(
            "the offered load is {}: the queue grows without bound, and all times depend on how \
             long the run was",
            words::plain(load)
        ))
    }

    /// Under policies that ignore the demand, one request of infinite second moment makes the
    /// others' mean wait infinite (Pollaczek-Khinchine).
    fn infinite_mean(&self) -> Option<String> {
        self.workload.request_rate()?;
        let station = self.system.all_stations().find(|one| has_infinite_mean(one))?;
        Some(format!(
            "the demand at `{}` has an infinite variance: with arrivals of their own and this \
             policy the mean response time is infinite, so the one shown only grows with the \
             length of the run; percentiles can be trusted",
            station.name
        ))
    }

    fn imprecise(&self, summary: &Summary) -> Option<String> {
        let precision = self.plan.precision.filter(|_| !self.interrupted)?;
        let (mean, half) = interval(summary)?;
        (half > precision * mean).then(|| {
            let needed = summary.requests as f64 * (half / (precision * mean)).powi(2);
            format!(
                "the precision of {:.3} % was not reached: after {} requests the half-width is \
                 {:.3} %; about {} requests would be needed if it shrinks as the square root, \
                 more if the times are heavy-tailed",
                precision * 100.0,
                words::count(summary.requests),
                half / mean * 100.0,
                words::count(needed.round() as u64)
            )
        })
    }
}

fn interval(summary: &Summary) -> Option<(f64, f64)> {
    Some((summary.response_time_s.mean?, summary.response_time_s.ci95?))
}

fn has_infinite_mean(station: &StationModel) -> bool {
    let blind = station.discipline.ties != Ties::Share
        && !station.discipline.preemptive
        && station.discipline.quanta.is_empty()
        && !matches!(station.discipline.rank, Rank::Attained);
    let infinite = |law: &DemandLaw| match law {
        DemandLaw::Drawn(law) => law.second_moment().is_infinite(),
        DemandLaw::Trace(_) => false,
        // There are as many sizes as targets, and mostly these are finitely many.
        DemandLaw::Sized(law) => {
            law.time.as_ref().is_some_and(|time| time.second_moment().is_infinite())
        }
    };
    blind && station.servers == 1 && station.laws().any(infinite)
}
