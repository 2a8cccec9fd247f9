//! The figures of each kind of request.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::event_figures::EventFigures;
use super::{Collector, RequestFigures};
use crate::statistics::{Tally, student_half_width_95};
use crate::workload::Workload;

/// The response times of the requests of one name, the number that failed, and the causes.
type Found<'a> = (Cow<'a, Tally>, u64, BTreeMap<String, u64>);

/// The figures of each kind of request, by name. `all` holds the response times of all kinds, which
/// are also those of a single kind.
pub(super) fn request_figures(
    workload: &Workload,
    collector: &Collector,
    all: &Tally,
) -> BTreeMap<String, RequestFigures> {
    // Requests of the same name, which several populations may have, are merged.
    let mut by_name: BTreeMap<String, Found<'_>> = BTreeMap::new();
    for (kind, place) in workload.requests.iter().zip(0..) {
        let times = collector.by_kind.get(place as usize).unwrap_or(all);
        let (_, errors, causes) = by_name
            .entry(kind.name.clone())
            .and_modify(|(tally, ..)| tally.to_mut().merge(times))
            .or_insert_with(|| (Cow::Borrowed(times), 0, BTreeMap::new()));
        *errors += collector.failures.of(|one| one == place);
        for (cause, count) in collector.failures.causes(place) {
            *causes.entry(cause).or_default() += count;
        }
    }
    let named = |(name, found): (String, Found<'_>)| {
        let figures = figures(workload, collector, &name, found);
        (name, figures)
    };
    by_name.into_iter().map(named).collect()
}

fn figures(
    workload: &Workload,
    collector: &Collector,
    name: &str,
    (tally, errors, causes): Found<'_>,
) -> RequestFigures {
    let bodies = collector.programs.iter().flat_map(|report| report.failed_bodies(name));
    let bodies = bodies.map(|(cause, body)| (cause.to_owned(), body.to_owned())).collect();
    let EventFigures { events, prompt_tokens, output_tokens, first_event_s, event_gap_s } =
        collector.event_figures(workload, |kind| kind.name == name);
    RequestFigures {
        requests: tally.count(),
        errors,
        causes,
        bodies,
        response_time_s: tally.figures(None),
        events,
        prompt_tokens,
        output_tokens,
        first_event_s,
        event_gap_s,
    }
}

/// Sets the intervals of the mean response times by request name, from the number of requests of
/// each kind and their mean in seconds, of each replication.
pub fn pool_requests(
    by_name: &mut BTreeMap<String, RequestFigures>,
    workload: &Workload,
    replications: &[Vec<(u64, f64)>],
) {
    for (name, figures) in by_name {
        let alike = |kind: &usize| workload.requests[*kind].name == *name;
        let kinds: Vec<usize> = (0..workload.requests.len()).filter(alike).collect();
        let mean = |one: &Vec<(u64, f64)>| {
            let of = || kinds.iter().filter_map(|kind| one.get(*kind));
            let count: u64 = of().map(|(count, _)| count).sum();
            let sum: f64 = of().map(|(count, mean)| *count as f64 * mean).sum();
            (count > 0).then(|| sum / count as f64)
        };
        let means: Option<Vec<f64>> = replications.iter().map(mean).collect();
        figures.response_time_s.ci95 = means.and_then(|means| student_half_width_95(&means));
    }
}
