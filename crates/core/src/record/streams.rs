//! Streamed responses: their events, and the requests that meet all objectives of times.

use serde::{Deserialize, Serialize};
use thinktime_file::time::Nanos;
use thinktime_file::workload::Figure;

use super::Row;
use crate::request::RequestKind;
use crate::statistics::Tally;
use crate::workload::{Objective, Workload};

/// The streamed responses of a run, by kind of request.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Streams {
    pub(super) by_kind: Vec<KindStreams>,
}

/// Those of one kind, or of several together.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct KindStreams {
    limits: Limits,
    /// Requests that are over.
    pub(super) requests: u64,
    /// Of these, the ones that succeeded within all limits.
    pub(super) good: u64,
    pub(super) events: u64,
    /// The tokens that responses reported, of prompts and of themselves.
    pub(super) prompt_tokens: u64,
    pub(super) output_tokens: u64,
    /// From the scheduled time, of requests that succeeded.
    pub(super) first_event: Tally,
    /// Between two events; and from the last one to a failure.
    pub(super) gaps: Tally,
}

/// The largest times of a request that meets all objectives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Limits {
    response: Nanos,
    first_event: Nanos,
    gap: Nanos,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { response: Nanos::MAX, first_event: Nanos::MAX, gap: Nanos::MAX }
    }
}

impl Limits {
    fn of(workload: &Workload, kind: &RequestKind) -> Limits {
        let own = || workload.slo.objectives.iter().filter(|one| one.of.covers(kind));
        // Of several percentiles the largest limit is one of every request; each scope has its own.
        let of_scope = |one: &Objective, is: fn(Figure) -> bool| {
            let alike = own().filter(|other| other.of == one.of && is(other.figure));
            alike.map(|one| one.limit).reduce(f64::max)
        };
        let least = |is: fn(Figure) -> bool| {
            let all = own().filter_map(|one| of_scope(one, is)).reduce(f64::min);
            all.map_or(Nanos::MAX, Nanos::from_secs_f64)
        };
        Limits {
            response: least(|one| matches!(one, Figure::Response(name) if name != "mean")),
            first_event: least(|one| matches!(one, Figure::FirstEvent(name) if name != "mean")),
            gap: least(|one| matches!(one, Figure::EventGap(name) if name != "mean")),
        }
    }

    fn hold(&self, row: &Row) -> bool {
        row.error.is_none()
            && row.done.since(row.attempt.request_scheduled) <= self.response
            && row.first_event().is_none_or(|first| first <= self.first_event)
            && row.event_gap().is_none_or(|gap| gap <= self.gap)
    }
}

impl Streams {
    /// `None` if no response is streamed.
    pub(super) fn of(workload: &Workload) -> Option<Box<Streams>> {
        let kinds = &workload.requests;
        let of =
            |kind| KindStreams { limits: Limits::of(workload, kind), ..KindStreams::default() };
        let streamed = kinds.iter().any(|kind| kind.stream.is_some());
        streamed.then(|| Box::new(Streams { by_kind: kinds.iter().map(of).collect() }))
    }

    /// A request is over.
    pub(super) fn add(&mut self, row: &Row) {
        let Some(own) = self.by_kind.get_mut(row.attempt.kind as usize) else { return };
        own.requests += 1;
        own.events += u64::from(row.events.count);
        let tokens = row.reported_tokens();
        own.prompt_tokens += u64::from(tokens.prompt);
        own.output_tokens += u64::from(tokens.output);
        own.good += u64::from(own.limits.hold(row));
        if let Some(first) = row.first_event().filter(|_| row.error.is_none()) {
            own.first_event.add(first);
        }
    }

    pub(super) fn merge(&mut self, other: &Streams) {
        self.by_kind.iter_mut().zip(&other.by_kind).for_each(|(mine, theirs)| mine.merge(theirs));
    }

    /// Those of the wanted kinds together.
    pub(super) fn of_kinds(&self, wanted: impl Fn(usize) -> bool) -> KindStreams {
        let own = self.by_kind.iter().enumerate().filter(|(place, _)| wanted(*place));
        own.fold(KindStreams::default(), |mut sum, (_, one)| {
            sum.merge(one);
            sum
        })
    }
}

impl KindStreams {
    fn merge(&mut self, other: &KindStreams) {
        self.requests += other.requests;
        self.good += other.good;
        self.events += other.events;
        self.prompt_tokens += other.prompt_tokens;
        self.output_tokens += other.output_tokens;
        self.first_event.merge(&other.first_event);
        self.gaps.merge(&other.gaps);
    }

    /// Whether its requests have a limit.
    pub(super) fn is_limited(&self) -> bool {
        self.limits != Limits::default()
    }

    /// The number of requests that missed an objective, and that of all.
    pub(super) fn missed(&self) -> (u64, u64) {
        (self.requests - self.good, self.requests)
    }
}
