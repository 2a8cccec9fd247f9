//! The live view of a run: its times so far.

use std::cell::RefCell;
use std::collections::BTreeMap;

use thinktime_core::file::Figure;
use thinktime_core::record::{Row, RowSink};
use thinktime_core::request::RequestKind;
use thinktime_core::statistics::{Tally, TimeFigures};
use thinktime_core::time::Nanos;
use thinktime_core::workload::{Objective, Scope, Workload};
use thinktime_core::{attempt::Fate, limit::Limit};
use thinktime_net::generator::RunProgress;

pub(crate) use self::moment::MomentFigures;
use self::moment::{Figures, ObjectiveSeen, StreamsSeen};
use crate::traces::Spans;

mod moment;

/// Looks at the rows of a run on their way to the writer.
#[derive(Debug)]
pub(crate) struct Monitor {
    limit: Limit,
    all: Requests,
    /// The measured response times.
    buckets: Buckets,
    /// Streamed responses, if the workload has any; their times are those to first events.
    streams: Option<Streams>,
    lateness: Tally,
    errors: BTreeMap<&'static str, u64>,
    /// The populations by name, if there are several.
    populations: Vec<(String, Requests)>,
    /// The index of the population of each kind of request.
    of_kind: Vec<u32>,
    objectives: Vec<Wanted>,
    /// Chooses requests whose traces are exported, if requests name their traces.
    pub(crate) traced: Option<Spans>,
}

/// The number of times in each bucket of a factor of 2^(1/16).
type Buckets = BTreeMap<i32, u64>;

/// The streamed responses that have ended.
#[derive(Debug)]
struct Streams {
    /// By kind of request, whether its responses are streamed.
    kinds: Vec<bool>,
    own: Requests,
    buckets: Buckets,
    events: u64,
}

impl Streams {
    /// None if no response is streamed.
    fn of(workload: &Workload) -> Option<Streams> {
        let kinds: Vec<bool> = workload.requests.iter().map(|kind| kind.stream.is_some()).collect();
        let (own, buckets) = (Requests::default(), Buckets::new());
        kinds.contains(&true).then_some(Streams { kinds, own, buckets, events: 0 })
    }

    fn take(&mut self, row: &Row, first_event: Option<Nanos>, counts: bool) {
        if self.kinds[row.attempt.kind as usize] {
            self.own.take(first_event, counts);
            self.events += u64::from(row.events.count);
            if let Some(first) = first_event.filter(|_| counts) {
                *self.buckets.entry(bucket_of(first)).or_default() += 1;
            }
        }
    }

    fn seen(&self) -> StreamsSeen {
        StreamsSeen {
            own: self.own.figures(),
            events: self.events,
            sum_s: self.own.sum_s(),
            buckets: listed(&self.buckets),
        }
    }
}

/// An objective of requests during a run.
#[derive(Debug)]
struct Wanted {
    objective: Objective,
    /// By kind of request, whether the objective covers it; none if it covers all.
    about: Option<Vec<bool>>,
    own: Requests,
}

impl Wanted {
    /// None for pages, checks and gaps between events, which rows do not report.
    fn of(objective: &Objective, workload: &Workload) -> Option<Wanted> {
        let about = |wanted: &dyn Fn(&RequestKind) -> bool| {
            Some(workload.requests.iter().map(wanted).collect())
        };
        let streams = matches!(objective.figure, Figure::FirstEvent(_));
        let covers = |kind: &RequestKind| !streams || kind.stream.is_some();
        let about = match &objective.of {
            Scope::All if streams => about(&covers),
            Scope::All => None,
            Scope::Population(_, place) => {
                about(&|kind| kind.population as usize == *place && covers(kind))
            }
            Scope::Request(name) => about(&|kind| kind.name == *name && covers(kind)),
            Scope::Check(_) => return None,
        };
        let of_rows = streams || matches!(objective.figure, Figure::Response(_) | Figure::Errors);
        let objective = objective.clone();
        of_rows.then(|| Wanted { objective, about, own: Requests::default() })
    }

    fn seen(&self, all: &Requests) -> ObjectiveSeen {
        let requests = if self.about.is_some() { &self.own } else { all };
        ObjectiveSeen {
            name: self.objective.figure.key(),
            of: self.objective.of.name().map(str::to_owned),
            limit: self.objective.limit,
            value: requests.value(self.objective.figure),
        }
    }
}

/// Requests that have ended.
#[derive(Debug, Default)]
struct Requests {
    over: u64,
    succeeded: u64,
    /// The measured ones.
    measured: u64,
    /// The times of measured successes: of their responses, or to their first events.
    times: Tally,
}

impl Requests {
    /// `time` is that of a success.
    fn take(&mut self, time: Option<Nanos>, counts: bool) {
        self.over += 1;
        self.succeeded += u64::from(time.is_some());
        self.measured += u64::from(counts);
        if let Some(time) = time.filter(|_| counts) {
            self.times.add(time);
        }
    }

    /// The figure of an objective so far.
    fn value(&self, figure: Figure) -> Option<f64> {
        match figure {
            Figure::Response(name) | Figure::FirstEvent(name) => {
                match TimeFigures::share_of(name) {
                    Some(share) => self.times.quantile_s(share),
                    None => self.times.mean_s(),
                }
            }
            _ if self.measured == 0 => None,
            _ => Some(1.0 - self.times.count() as f64 / self.measured as f64),
        }
    }

    /// The sum of the measured times.
    fn sum_s(&self) -> f64 {
        self.times.mean_s().unwrap_or(0.0) * self.times.count() as f64
    }

    fn figures(&self) -> Figures {
        Figures {
            over: self.over,
            succeeded: self.succeeded,
            p50_s: self.times.quantile_s(0.5),
            p99_s: self.times.quantile_s(0.99),
        }
    }
}

impl Monitor {
    pub(crate) fn new(limit: Limit, workload: &Workload) -> Monitor {
        let named = workload.populations.iter().filter(|_| workload.populations.len() > 1);
        Monitor {
            limit,
            all: Requests::default(),
            buckets: Buckets::new(),
            streams: Streams::of(workload),
            lateness: Tally::default(),
            errors: BTreeMap::new(),
            populations: named.map(|one| (one.name.clone(), Requests::default())).collect(),
            objectives: (workload.slo.objectives.iter())
                .filter_map(|one| Wanted::of(one, workload))
                .collect(),
            traced: Spans::of(workload),
            of_kind: workload.requests.iter().map(|kind| kind.population).collect(),
        }
    }

    fn take(&mut self, row: &Row) {
        if let Some(error) = row.error {
            *self.errors.entry(error).or_default() += 1;
        }
        if row.fate == Fate::Retried {
            return;
        }
        if let Some(traced) = &mut self.traced {
            traced.take(row);
        }
        let counts = self.limit.counts(row.attempt.request_scheduled);
        let response = row.error.is_none().then(|| row.done.since(row.attempt.request_scheduled));
        self.all.take(response, counts);
        if let Some(response) = response.filter(|_| counts) {
            *self.buckets.entry(bucket_of(response)).or_default() += 1;
        }
        let first_event = response.and_then(|_| row.first_event());
        if let Some(streams) = &mut self.streams {
            streams.take(row, first_event, counts);
        }
        let population = self.of_kind[row.attempt.kind as usize] as usize;
        if let Some((_, own)) = self.populations.get_mut(population) {
            own.take(response, counts);
        }
        let kind = row.attempt.kind as usize;
        for one in &mut self.objectives {
            if one.about.as_ref().is_some_and(|about| about[kind]) {
                let is_first = matches!(one.objective.figure, Figure::FirstEvent(_));
                one.own.take(if is_first { first_event } else { response }, counts);
            }
        }
        if counts && response.is_some() {
            self.lateness.add(row.sent.since(row.attempt.due));
        }
    }

    /// The next moment to show, after those already shown; `last` says that nothing follows.
    pub(crate) fn seen(
        &mut self,
        progress: &RunProgress,
        unshown: Option<MomentFigures>,
        last: bool,
    ) -> MomentFigures {
        let mut spans = unshown.map_or(Vec::new(), |unshown| unshown.spans);
        if let Some(traced) = &mut self.traced {
            traced.end_period(Nanos::from_secs_f64(progress.time_s), last, &mut spans);
        }
        let populations = self.populations.iter();
        MomentFigures {
            time_s: progress.time_s,
            in_flight: progress.in_flight,
            all: self.all.figures(),
            sum_s: self.all.sum_s(),
            buckets: listed(&self.buckets),
            streams: self.streams.as_ref().map(Streams::seen),
            lateness_p99_s: self.lateness.quantile_s(0.99),
            errors: self.errors.iter().map(|(kind, count)| (*kind, *count)).collect(),
            populations: populations.map(|(name, own)| (name.clone(), own.figures())).collect(),
            objectives: self.objectives.iter().map(|one| one.seen(&self.all)).collect(),
            spans,
        }
    }
}

/// The bucket of a time: number `n` holds those above 2^((n - 1) / 16) s and up to 2^(n / 16) s.
fn bucket_of(time: Nanos) -> i32 {
    ((time.0.max(1) as f64 * 1e-9).log2() * 16.0).ceil() as i32
}

fn listed(buckets: &Buckets) -> Vec<(i32, u64)> {
    buckets.iter().map(|(place, count)| (*place, *count)).collect()
}

/// Rows that a monitor sees on their way.
pub(crate) struct Watched<'a> {
    pub(crate) sink: &'a mut dyn RowSink,
    pub(crate) monitor: &'a RefCell<Monitor>,
    /// Whether anybody receives the moments.
    pub(crate) wanted: bool,
}

impl RowSink for Watched<'_> {
    #[inline]
    fn row(&mut self, row: &Row) {
        if self.wanted {
            self.monitor.borrow_mut().take(row);
        }
        self.sink.row(row);
    }

    fn flush(&mut self) {
        self.sink.flush();
    }
}
