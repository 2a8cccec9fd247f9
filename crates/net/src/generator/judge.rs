//! Whether a run's result can be trusted: what the generator itself could not do.

use thinktime_core::record::{GeneratorFigures, Summary};

/// Lateness beyond this share of the mean response time is worth a warning.
const LATENESS_NOTED: f64 = 0.02;
/// Lateness beyond this share spoils the result, if its p99 is beyond [`LATENESS_SPOILS_S`].
const LATENESS_SPOILS: f64 = 0.10;
const LATENESS_SPOILS_S: f64 = 1e-3;
/// A generator that uses more than this share of its core is near its limit.
const CPU_NOTED: f64 = 0.80;
/// Beyond this share it is the bottleneck, and not the server.
const CPU_SPOILS: f64 = 0.95;
/// A generator that waited for a core for more than this share of the time shared it with others.
const WITHOUT_CORE_NOTED: f64 = 0.05;
/// Beyond this share of what it can carry, the network interface is the bottleneck.
const INTERFACE_SPOILS: f64 = 0.90;
/// More failures than this share of all requests, for want of ports or descriptors, spoil a result.
const OWN_FAILURES_SPOIL: f64 = 0.001;
/// The words of failures that are the generator's own machine's.
const OWN_FAILURES: [&str; 2] = ["no_free_port", "no_free_descriptor"];

/// Adds warnings, and says why the result is not to be trusted, if so.
pub(super) fn judge(summary: &mut Summary, interrupted: bool, in_flight: u64) -> Option<String> {
    let mut verdict = Verdict { warnings: Vec::new(), untrusted: None };
    if interrupted {
        verdict.warn(format!(
            "interrupted: the figures are those up to then; {in_flight} requests were on their way"
        ));
    }
    verdict.failures(summary);
    verdict.lateness(summary);
    // A run without a request is over at once, and its share of CPU time is that of the start.
    if let Some(generator) = summary.generator.filter(|_| summary.requests > 0) {
        verdict.limits(&generator);
    }
    summary.warnings.append(&mut verdict.warnings);
    verdict.untrusted
}

struct Verdict {
    warnings: Vec<String>,
    untrusted: Option<String>,
}

impl Verdict {
    fn warn(&mut self, text: String) {
        self.warnings.push(text);
    }

    /// The first reason stands: it is mostly the cause of the others.
    fn spoil(&mut self, text: String) {
        self.untrusted.get_or_insert(text);
    }

    fn failures(&mut self, summary: &Summary) {
        let requests = summary.requests;
        if summary.errors > 0 {
            let kinds: Vec<String> =
                summary.errors_by_kind.iter().map(|(kind, n)| format!("{kind} {n}")).collect();
            let kinds = kinds.join(", ");
            self.warn(format!(
                "{} of {requests} requests failed ({kinds}); their times are in no distribution",
                summary.errors
            ));
        }
        if summary.dropped > 0 {
            self.warn(format!(
                "{} of {requests} requests were dropped and never sent, because as many were in \
                 flight and waiting as `clients` allows",
                summary.dropped
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
                own(kind)
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

    fn lateness(&mut self, summary: &Summary) {
        let (late, mean) = (&summary.lateness_s, summary.response_time_s.mean);
        let (Some(late), Some(late_p99), Some(mean)) = (late.mean, late.p99, mean) else { return };
        let share = late / mean;
        let text = format!(
            "the generator itself was late by {:.0} us on average (p99 {:.0} us), {:.1} % of the \
             mean response time",
            late * 1e6,
            late_p99 * 1e6,
            share * 100.0
        );
        if share > LATENESS_SPOILS && late_p99 > LATENESS_SPOILS_S {
            self.spoil(text.clone());
        }
        if share > LATENESS_NOTED {
            self.warn(text);
        }
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
                "the generator waited for a core for {:.0} % of the time, because others used it",
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
