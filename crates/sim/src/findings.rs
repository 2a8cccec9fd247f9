//! The findings of a simulation, in words: notes, and warnings of what spoils or limits its result.

use std::collections::BTreeMap;

use thinktime_core::policy::scheduling::Rank;
use thinktime_core::record::{
    Collapse, Collector, RateShortfall, StationFigures, Summary, Window, rate_shortfall,
};
use thinktime_core::system::{KindVisit, OfferedLoad, StationModel, SystemModel};
use thinktime_core::time::Nanos;
use thinktime_core::words;
use thinktime_core::workload::{InitialState, Workload};

use crate::cluster_findings::ClusterFindings;
use crate::heavy_tail::HeavyTail;
use crate::load::{offered_overload, unlimited_load};
use crate::overload::Overload;
use crate::pilot::Warmup;
use crate::plan::Plan;

const NEVER_STEADY: &str = "the mean think time is infinite, so there is no steady state that \
                            sessions could begin in: the run began with nobody, and its figures \
                            depend on how long it was";

/// The input of findings.
pub(crate) struct Findings<'a> {
    pub(crate) workload: &'a Workload,
    pub(crate) system: &'a SystemModel,
    pub(crate) visits: &'a [KindVisit<'a>],
    pub(crate) heavy_tail: Option<&'a HeavyTail>,
    /// An overload that the figures show.
    pub(crate) overload: Option<&'a Overload>,
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
        if self.workload.mix_end() == Some(until) && self.window.end >= until {
            let long = words::time(until.as_secs_f64());
            notes.push(format!(
                "it ends after {long} with the arrivals of the largest population that ends, as \
                 the others alone are another mix; --replications makes more of the same one"
            ));
        }
        notes.extend(self.plan.precision.and_then(|precision| summary.found_to(precision).ok()));
        notes.extend(self.single_classes());
        notes.extend(self.of_clusters(summary).notes);
        notes.extend(scales(summary));
        notes
    }

    /// The stations whose policy goes by kinds of request, and to which all kinds are alike.
    fn single_classes(&self) -> Vec<String> {
        let mut visits: BTreeMap<&str, Vec<&KindVisit<'_>>> = BTreeMap::new();
        for visit in self.visits {
            // A delay has no name, and no station has an empty one.
            visits.entry(visit.at.unwrap_or_default()).or_default().push(visit);
        }
        let alike = self.system.all_stations().filter(|station| {
            let of = visits.get(station.name.as_str()).into_iter().flatten();
            let mut ranks = of.map(|visit| {
                let kind = &self.workload.requests[visit.kind];
                match &station.discipline.rank {
                    Rank::Expected(_, None) => Some(visit.law.mean(kind.size.as_ref()).to_bits()),
                    Rank::Class if station.discipline.quanta.is_empty() => {
                        Some(station.class_of(&kind.name))
                    }
                    Rank::Deadline => Some(station.deadline_of(&kind.name).0),
                    _ => None,
                }
            });
            ranks.next().flatten().is_some_and(|first| ranks.all(|one| one == Some(first)))
        });
        let words = |station: &StationModel| {
            format!(
                "the policy of `{}` prefers some kinds of request to others, and to it all are \
                 alike: they are served first come, first served",
                station.name
            )
        };
        alike.map(words).collect()
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
            warnings.push(endless_warmup(at, requests));
        }
        warnings.extend(self.never_steady());
        warnings.extend(self.rate_shortfall(summary).map(|missed| missed.words));
        let seen = || self.overload.map(ToString::to_string);
        warnings.extend(self.offered_overload().or_else(seen).or_else(|| self.offered_elsewhere()));
        warnings.extend(self.heavy_tail.map(ToString::to_string));
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
            let [failed, all] = [summary.errors, summary.requests].map(words::count);
            warnings.push(format!(
                "{failed} of {all} requests failed; their times are in no distribution"
            ));
        }
        warnings.extend(self.of_clusters(summary).warnings);
        warnings
    }

    /// Why the result is unreliable, if it is.
    pub(crate) fn spoils(&self, summary: &Summary) -> Option<String> {
        let missed = || self.rate_shortfall(summary).filter(|missed| missed.spoils);
        let nothing = || summary.nothing_happened().filter(|_| !self.interrupted);
        // Only who gives a duration asks for the figures of a time, and not for a steady state.
        let steady = self.plan.limit.until.is_never();
        let seen = || self.overload.map(ToString::to_string).or_else(|| self.offered_elsewhere());
        let overload = || if steady { seen() } else { None };
        let spoilt = self.collector.scripts_failed().or_else(nothing).or_else(overload);
        spoilt.or_else(|| missed().map(|missed| missed.words))
    }

    fn rate_shortfall(&self, summary: &Summary) -> Option<RateShortfall> {
        let whole = !(self.interrupted || self.given_up);
        if whole { rate_shortfall(self.workload, summary) } else { None }
    }

    fn never_steady(&self) -> Option<String> {
        (self.workload.beginning() == InitialState::NeverSteady).then(|| NEVER_STEADY.to_owned())
    }

    fn offered_overload(&self) -> Option<String> {
        let load = unlimited_load(self.workload, self.system).filter(|load| *load >= 1.0)?;
        Some(format!(
            "the offered load is {}: the queue grows without bound, and all times depend on how \
             long the run was",
            words::plain(load)
        ))
    }

    /// An overload of a pool, of a CPU limit, of one server of a cluster, or of a link.
    fn offered_elsewhere(&self) -> Option<String> {
        let OfferedLoad { name, load } = offered_overload(self.workload, self.system)?;
        Some(format!(
            "the offered load of `{name}` is {}: ever more requests wait for it, and all times \
             depend on how long the run was",
            words::plain(load)
        ))
    }

    fn imprecise(&self, summary: &Summary) -> Option<String> {
        let precision = self.plan.precision.filter(|_| !self.interrupted)?;
        summary.found_to(precision).err()
    }
}

/// That no end of the warm-up was found before this time, in pilots of this many requests.
fn endless_warmup(at: Nanos, requests: u64) -> String {
    let (many, were) = (words::count(requests), if requests == 1 { "was" } else { "were" });
    let some = if requests == 1 { "request" } else { "requests" };
    if at == Nanos::ZERO {
        return format!("the end of the warm-up is not known: of {many} {some} none succeeded");
    }
    let long = words::time(at.as_secs_f64());
    format!(
        "the warm-up lasts longer than {long}: {many} {some} {were} too few to find its end, so \
         the figures may still depend on the start; simulate more requests"
    )
}

/// The servers of the stations whose number of servers changes.
fn scales(summary: &Summary) -> Vec<String> {
    let words = |(name, station): (&String, &StationFigures)| {
        let scale = station.scale?;
        Some(format!(
            "`{name}` had {} servers on average, and {} that started: {} came, and {} went",
            words::plain(scale.servers_mean),
            words::plain(scale.setups_mean),
            words::count(scale.additions),
            words::count(scale.removals)
        ))
    };
    summary.stations.iter().filter_map(words).collect()
}
