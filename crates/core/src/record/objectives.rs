//! Whether the objectives of a workload can still be met, judged by the measurements so far.

use thinktime_file::time::Nanos;
use thinktime_file::workload::{FIRST_EVENT, Figure, PAGE};

use super::Row;
use super::objective_monitor::ObjectiveMonitor;
use crate::attempt::{Fate, Page};
use crate::limit::Limit;
use crate::program::{CheckCount, CheckCounts};
use crate::request::RequestKind;
use crate::workload::{Objective, Scope, Workload};

/// Objectives that are watched during a run.
#[derive(Debug)]
pub struct Objectives {
    limit: Limit,
    objective_monitor: Vec<One>,
}

#[derive(Debug)]
struct One {
    /// Its place among the workload's objectives.
    place: usize,
    figure: Figure,
    /// By kind of request, whether the objective is about it.
    about: Vec<bool>,
    /// The check that it is about; `None` for all.
    check: Option<String>,
    /// Checks that were counted before.
    counted: CheckCount,
    /// The words before it in the message.
    prefix: String,
    objective_monitor: ObjectiveMonitor,
}

impl One {
    fn is_about(&self, kind: u32) -> bool {
        self.about.get(kind as usize).is_some_and(|about| *about)
    }
}

/// Whether the figure is known before the end of a run.
fn is_watched(figure: Figure) -> bool {
    !matches!(figure, Figure::EventGap(_) | Figure::Goodput)
}

/// An objective that can no longer be met.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObjectiveOutOfReach {
    /// Its place among the workload's objectives.
    pub place: usize,
    /// The objective and its limit, in words.
    pub words: String,
}

impl Objectives {
    /// The objectives for which a run that ends at `limit` may end early: `all`, or those that the
    /// workload marks so. `None` if there are no such objectives.
    #[must_use]
    pub fn new(workload: &Workload, limit: Limit, all: bool) -> Option<Objectives> {
        let objectives = workload.slo.objectives.iter().enumerate();
        let wanted = objectives
            .filter(|(_, one)| (all || one.abort) && is_watched(one.figure))
            .map(|(place, one)| objective_monitor(workload, limit, place, one));
        let objective_monitor: Vec<One> = wanted.collect();
        (!objective_monitor.is_empty()).then_some(Objectives { limit, objective_monitor })
    }

    /// When checks are first looked up: never if no objective that [`Objectives::new`] watches is
    /// about checks.
    #[must_use]
    pub fn first_look_at_checks(workload: &Workload, all: bool) -> Nanos {
        let mut objectives = workload.slo.objectives.iter();
        match objectives.any(|one| one.figure == Figure::Checks && (all || one.abort)) {
            true => Nanos::ZERO,
            false => Nanos::MAX,
        }
    }

    /// An attempt has ended. Retried ones and those of the warm-up do not count.
    pub fn add(&mut self, row: &Row) {
        if row.fate == Fate::Over && self.limit.counts(row.attempt.request_scheduled) {
            let response = row.done.since(row.attempt.request_scheduled);
            let response = row.error.is_none().then_some(response);
            let first_event = row.first_event().filter(|_| row.error.is_none());
            let kind = row.attempt.kind;
            let own = |one: &&mut One| one.is_of_requests() && one.is_about(kind);
            self.objective_monitor.iter_mut().filter(own).for_each(|one| {
                let first = matches!(one.figure, Figure::FirstEvent(_));
                one.objective_monitor.take(if first { first_event } else { response });
            });
        }
    }

    /// A page has ended.
    pub fn add_page(&mut self, page: &Page) {
        if self.limit.counts(page.scheduled) {
            let response = (!page.failed).then(|| page.done.since(page.scheduled));
            let own = |one: &&mut One| one.is_of_pages() && one.is_about(page.kind);
            self.objective_monitor
                .iter_mut()
                .filter(own)
                .for_each(|one| one.objective_monitor.take(response));
        }
    }

    /// The numbers of checks that have held, and that have failed, so far.
    pub fn checks(&mut self, so_far: &CheckCounts) {
        for one in self.objective_monitor.iter_mut().filter(|one| one.figure == Figure::Checks) {
            let own =
                so_far.iter().filter(|(name, _)| one.check.as_ref().is_none_or(|it| it == *name));
            let count = own.fold(CheckCount::default(), |sum, (_, count)| CheckCount {
                passed: sum.passed + count.passed,
                failed: sum.failed + count.failed,
            });
            one.take_checks(count);
        }
    }

    /// The objective that can no longer be met, after `time_s` seconds of the run with this many
    /// requests in progress. To be called about once a second.
    #[must_use]
    pub fn out_of_reach(&mut self, time_s: f64, in_flight: u64) -> Option<ObjectiveOutOfReach> {
        self.objective_monitor.iter_mut().find_map(|one| {
            let all = one.about.iter().all(|about| *about) && !one.is_of_pages();
            // Requests in progress are not checks.
            let in_flight = if one.figure == Figure::Checks { 0 } else { in_flight };
            let found = one.objective_monitor.out_of_reach(time_s, in_flight, all)?;
            let figure = match one.figure {
                Figure::Page(_) => PAGE,
                Figure::FirstEvent(_) => FIRST_EVENT,
                _ => "",
            };
            let words = format!("{}{figure}{found}", one.prefix);
            Some(ObjectiveOutOfReach { place: one.place, words })
        })
    }
}

impl One {
    /// Takes the new checks since the last call, in an order that spreads the failed ones evenly,
    /// since their true order is not known.
    fn take_checks(&mut self, count: CheckCount) {
        let failed = count.failed - self.counted.failed;
        let new = failed + (count.passed - self.counted.passed);
        for at in 0..new {
            let fails = (at + 1) * failed / new > at * failed / new;
            self.objective_monitor.take((!fails).then_some(Nanos::ZERO));
        }
        self.counted = count;
    }

    fn is_of_requests(&self) -> bool {
        matches!(self.figure, Figure::Response(_) | Figure::FirstEvent(_) | Figure::Errors)
    }

    fn is_of_pages(&self) -> bool {
        matches!(self.figure, Figure::Page(_))
    }
}

fn objective_monitor(
    workload: &Workload,
    limit: Limit,
    place: usize,
    objective: &Objective,
) -> One {
    let Objective { figure, of, limit: most, .. } = objective;
    let fits = |kind: &RequestKind| kind.stream.is_some() || !figure.is_of_streams();
    let about = workload.requests.iter().map(|kind| of.covers(kind) && fits(kind));
    let objective_monitor = match figure {
        Figure::Response(name)
        | Figure::Page(name)
        | Figure::FirstEvent(name)
        | Figure::EventGap(name) => ObjectiveMonitor::of_time(name, *most, limit),
        Figure::Errors => ObjectiveMonitor::of_errors(*most, limit),
        Figure::Checks | Figure::Goodput => ObjectiveMonitor::of_checks(1.0 - most, limit),
    };
    let check = match of {
        Scope::Check(name) => Some(name.clone()),
        _ => None,
    };
    One {
        check,
        counted: CheckCount::default(),
        place,
        figure: *figure,
        about: about.collect(),
        prefix: of.name().map_or(String::new(), |name| format!("{name}: ")),
        objective_monitor,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::NoFiles;
    use thinktime_file::schema::Source;

    fn objectives(slo: &str, until_s: u64) -> Objectives {
        let text = format!(
            "name = 'w'\n[arrivals]\nmodel = 'open'\nrate = '9/s'\n\
             [[request]]\nname = 'a'\nget = '/'\n[slo]\n{slo}"
        );
        let workload = Workload::parse(Source { file: "", text: &text }, &NoFiles).unwrap();
        assert_eq!(Objectives::first_look_at_checks(&workload, false), Nanos::ZERO);
        let limit =
            Limit { requests: 50, until: Nanos(until_s * 1_000_000_000), warmup: Nanos::ZERO };
        Objectives::new(&workload, limit, false).unwrap()
    }

    fn counts(all: &[(&str, u64, u64)]) -> CheckCounts {
        let one = |&(name, passed, failed): &(&str, u64, u64)| {
            (name.to_owned(), CheckCount { passed, failed })
        };
        all.iter().map(one).collect()
    }

    #[test]
    fn an_objective_of_checks_is_lost_when_too_many_have_failed() {
        let mut all = objectives("checks = { limit = '99%', abort = true }", 100);
        all.checks(&counts(&[("a", 900, 1), ("b", 900, 2)]));
        assert_eq!(all.out_of_reach(10.0, 7), None);
        // 200 of the 18,000 or so that 100 s make: 1.1 %, whatever follows.
        all.checks(&counts(&[("a", 900, 101), ("b", 900, 102)]));
        let lost = all.out_of_reach(11.0, 7).unwrap();
        assert!(lost.words.contains("of checks failed, wanted 1"), "{}", lost.words);
    }

    #[test]
    fn an_objective_of_a_check_looks_at_no_other() {
        let mut one = objectives("check.a = { limit = '99%', abort = true }", 100);
        one.checks(&counts(&[("a", 5_000, 0), ("b", 0, 5_000)]));
        assert_eq!(one.out_of_reach(10.0, 0), None);
        one.checks(&counts(&[("a", 5_000, 1_000), ("b", 0, 5_000)]));
        assert!(one.out_of_reach(12.0, 0).unwrap().words.starts_with("a: "));
    }
}
