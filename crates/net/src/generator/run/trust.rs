//! Whether a run's result can be trusted: the failures of the generator itself.

use thinktime_core::file::Figure;
use thinktime_core::record::{
    Attainment, GeneratorFigures, ObjectiveFigures, Summary, rate_shortfall,
};
use thinktime_core::words;
use thinktime_core::workload::{Objective, Scope, Slo, Workload};

use crate::generator::plan::Ending;

/// Lateness beyond this share of the mean response time causes a warning.
const LATENESS_NOTED: f64 = 0.02;
/// The figures that decide whether a result is valid.
const JUDGED: [&str; 3] = ["mean", "p50", "p99"];
/// Lateness spoils a result if it raises one of these figures by more than this share.
const LATENESS_SPOILS: f64 = 0.10;
/// A kernel takes some tens of microseconds to wake a core from its sleep and a thread by a timer:
/// no figure is finer than this, in seconds, with any generator.
const RESOLUTION_S: f64 = 100e-6;
/// A generator that uses more than this share of its core is near its limit.
const CPU_NOTED: f64 = 0.80;
/// Beyond this share the generator is the bottleneck, and not the server.
const CPU_SPOILS: f64 = 0.95;
/// A generator that waited for a core for more than this share of the time shared it with others.
const WITHOUT_CORE_NOTED: f64 = 0.05;
/// Beyond this share of its capacity, the network interface is the bottleneck.
const INTERFACE_SPOILS: f64 = 0.90;
/// More failures than this share of all requests, for lack of ports or descriptors, spoil a result.
const OWN_FAILURES_SPOIL: f64 = 0.001;
/// The words of failures that the generator's own machine causes.
const OWN_FAILURES: [&str; 2] = ["no_free_port", "no_free_descriptor"];

/// Adds warnings, and says why the result is not to be trusted, if so.
pub(crate) fn judge(
    summary: &mut Summary,
    slo: &Slo,
    ending: &Ending,
    in_flight: u64,
) -> Option<String> {
    let mut doubts = Doubts { warnings: Vec::new(), untrusted: None };
    doubts.ending(summary, ending, in_flight);
    if let (Ending::Planned, Some(why)) = (ending, summary.nothing_happened()) {
        doubts.spoil(why);
    }
    doubts.failures(summary);
    doubts.lateness(summary, slo);
    // A run without a request ends at once, and its share of CPU time is that of the start.
    if let Some(generator) = summary.generator.filter(|_| summary.requests > 0) {
        doubts.limits(&generator);
    }
    summary.warnings.append(&mut doubts.warnings);
    doubts.untrusted
}

/// Adds a warning if fewer requests were begun than the workload asks for; says why the result is
/// not to be trusted, if that is the reason.
pub(crate) fn judge_rate(
    summary: &mut Summary,
    workload: &Workload,
    ending: &Ending,
) -> Option<String> {
    let missed = rate_shortfall(workload, summary).filter(|_| *ending == Ending::Planned)?;
    summary.warnings.push(missed.words.clone());
    missed.spoils.then_some(missed.words)
}

struct Doubts {
    warnings: Vec<String>,
    untrusted: Option<String>,
}

impl Doubts {
    /// Says how the run ended, if not as planned.
    fn ending(&mut self, summary: &mut Summary, ending: &Ending, in_flight: u64) {
        match ending {
            Ending::Planned => {}
            Ending::Interrupted => self.warn(format!(
                "interrupted: the figures are those up to then; {} requests were on their way",
                words::count(in_flight)
            )),
            Ending::LoadLost(why) => {
                self.spoil(why.clone());
                if in_flight > 0 {
                    self.warn(format!(
                        "requests of the other generators that were on their way when the run was \
                         ended are not counted: {}",
                        words::count(in_flight)
                    ));
                }
            }
            Ending::OutOfReach(lost) => {
                self.warn(format!(
                    "ended early, because the SLO could no longer be met: {}; {} requests on their \
                     way then are not counted",
                    lost.words,
                    words::count(in_flight)
                ));
                // Completed requests may not show it: a server that answers nothing has no times.
                if let Some(one) = summary.objectives.get_mut(lost.place)
                    && one.verdict != Attainment::NotMet
                {
                    one.verdict = Attainment::NotMet;
                    one.words.clone_from(&lost.words);
                }
            }
        }
    }

    fn warn(&mut self, text: String) {
        self.warnings.push(text);
    }

    /// The first reason stands: it mostly causes the others.
    fn spoil(&mut self, text: String) {
        self.untrusted.get_or_insert(text);
    }

    fn failures(&mut self, summary: &Summary) {
        let requests = summary.requests;
        if summary.errors > 0 {
            self.warn(format!(
                "{} of {} requests failed ({}); their times are in no distribution",
                words::count(summary.errors),
                words::count(requests),
                summary.errors_in_words()
            ));
        }
        if summary.dropped > 0 {
            self.warn(format!(
                "{} of {} requests were dropped and never sent, because `clients` allows no more \
                 in flight and waiting",
                words::count(summary.dropped),
                words::count(requests)
            ));
        }
        let own = |kind: &&str| summary.errors_by_kind.get(*kind).copied().unwrap_or(0);
        for kind in OWN_FAILURES.iter().filter(|kind| own(kind) > 0) {
            let text = format!(
                "the generator ran out of {}: {} attempts could not be sent",
                if *kind == "no_free_port" {
                    "ports; give it more source addresses"
                } else {
                    "file descriptors; raise the limit (ulimit -n)"
                },
                words::count(own(kind))
            );
            if own(kind) as f64 > OWN_FAILURES_SPOIL * requests as f64 {
                self.spoil(text);
            } else {
                self.warn(text);
            }
        }
        if requests > 0 && summary.errors == requests {
            self.spoil("every request failed".to_owned());
        }
    }

    fn lateness(&mut self, summary: &Summary, slo: &Slo) {
        let (late, mean) = (&summary.lateness_s, summary.response_time_s.mean);
        let (Some(late), Some(late_p99), Some(mean)) = (late.mean, late.p99, mean) else { return };
        let text = format!(
            "the generator itself was late by {} on average (p99 {}), {} of the mean response time",
            words::time(late),
            words::time(late_p99),
            words::percent(late / mean)
        );
        let changed: Vec<String> = JUDGED.iter().filter_map(|name| change(summary, name)).collect();
        if changed.is_empty() {
            if late / mean > LATENESS_NOTED {
                self.warn(text);
            }
            return;
        }
        let text = format!("{text}; without it {}", changed.join(", and "));
        match could_change(summary, slo, late_p99) {
            // A missed SLO is the server's doing, and stands.
            Change::Lost => return self.warn(format!("{text}; the SLO is not met either way")),
            Change::None => {
                return self.warn(format!("{text}; the objectives are met by far more than that"));
            }
            Change::ToMet => self.spoil(format!("{text}, and the SLO would be met")),
            Change::Unknown => self.spoil(text.clone()),
        }
        self.warn(text);
    }

    fn limits(&mut self, used: &GeneratorFigures) {
        let text = format!(
            "the generator used {:.0} % of {}: it, and not the server, sets the pace",
            used.cpu_share * 100.0,
            if used.loops == 1 { "its core" } else { "the core of its busiest event loop" }
        );
        if used.cpu_share > CPU_SPOILS {
            self.spoil(text.clone());
        }
        if used.cpu_share > CPU_NOTED {
            self.warn(text);
        }
        if used.without_core_share > WITHOUT_CORE_NOTED {
            self.warn(format!(
                "{} waited for a core for {:.0} % of the time, because others used it",
                if used.loops == 1 { "the generator" } else { "an event loop of the generator" },
                used.without_core_share * 100.0
            ));
        }
        if let Some(share) = used.interface_share.filter(|share| *share > INTERFACE_SPOILS) {
            self.spoil(format!(
                "the network interface carried {:.0} % of what it can: it sets the pace",
                share * 100.0
            ));
        }
    }
}

/// How a figure would differ without lateness, in words, if that matters: by more than a share of
/// itself, and by more than its precision.
fn change(summary: &Summary, name: &str) -> Option<String> {
    let with = summary.response_time_s.by_name(name)?;
    let without = punctual(summary, name)?;
    let known_to = half_width(summary, name)?.max(LATENESS_SPOILS * with).max(RESOLUTION_S);
    (with - without > known_to).then(|| {
        format!("{name} would be {} instead of {}", words::time(without), words::time(with))
    })
}

/// A figure of the response time without lateness. For a request sent once, response time is
/// lateness and service time. For one sent again, the service time is that of the last attempt
/// alone, and only the lateness is known.
fn punctual(summary: &Summary, name: &str) -> Option<f64> {
    let with = summary.response_time_s.by_name(name)?;
    let late = summary.lateness_s.by_name(name)?;
    let service = summary.service_time_s.by_name(name)?;
    Some(service.max(with - late))
}

/// Half the width of a figure's 95 % interval. A p99 without one has none, and is not known to any
/// precision: a few delays of the machine, its server's too, determine it.
fn half_width(summary: &Summary, name: &str) -> Option<f64> {
    if name == "mean" {
        return summary.response_time_s.ci95;
    }
    match summary.response_time_ci95.get(name) {
        Some([low, high]) => Some((high - low) / 2.0),
        None => (name == "p50").then_some(0.0),
    }
}

/// The possible effect of lateness on the objectives.
enum Change {
    /// None: an objective is not met, and would not be met without lateness.
    Lost,
    /// None: all are met, with margins far larger than the lateness.
    None,
    /// An unmet objective would be met.
    ToMet,
    /// Unknown.
    Unknown,
}

/// Lateness beyond this share of an objective's margin could cost it: late requests are sent closer
/// together, which can lengthen a queue by about as much again as the lateness.
const OF_MARGIN: f64 = 0.5;

fn could_change(summary: &Summary, slo: &Slo, late_p99: f64) -> Change {
    let all = || slo.objectives.iter().zip(&summary.objectives);
    let mut lost = all().filter(|(_, found)| found.verdict == Attainment::NotMet).peekable();
    if lost.peek().is_some() {
        let stands = |one: &Objective| !is_met_without(summary, one);
        return if lost.any(|(one, _)| stands(one)) { Change::Lost } else { Change::ToMet };
    }
    let margin = |(one, found): (&Objective, &ObjectiveFigures)| {
        let time = one.figure.is_time() && !matches!(one.figure, Figure::EventGap(_));
        time.then_some(one.limit - found.value?)
    };
    let smallest = all().filter_map(margin).reduce(f64::min);
    let met = all().all(|(_, found)| found.verdict == Attainment::Met);
    match smallest {
        Some(margin) if met && late_p99 <= OF_MARGIN * margin => Change::None,
        _ => Change::Unknown,
    }
}

/// Whether an unmet objective would be met without lateness. The effect of lateness on response
/// times is known for all requests only.
fn is_met_without(summary: &Summary, objective: &Objective) -> bool {
    match (objective.figure, &objective.of) {
        (Figure::Response(name), Scope::All) => {
            punctual(summary, name).is_some_and(|without| without <= objective.limit)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests;
