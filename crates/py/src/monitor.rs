//! The live view of a run: its times so far.

use std::cell::RefCell;
use std::collections::BTreeMap;

use pyo3::prelude::*;
use pyo3::types::PyDict;
use thinktime_core::file::Figure;
use thinktime_core::record::{Row, RowSink};
use thinktime_core::request::RequestKind;
use thinktime_core::statistics::{Tally, TimeFigures};
use thinktime_core::time::Nanos;
use thinktime_core::workload::{Objective, Scope, Workload};
use thinktime_core::{attempt::Fate, limit::Limit};
use thinktime_net::generator::RunProgress;

use crate::traces::{Span, Spans};

/// Looks at the rows of a run on their way to the writer.
#[derive(Debug)]
pub(crate) struct Monitor {
    limit: Limit,
    all: Requests,
    /// The number of measured response times in each bucket of a factor of 2^(1/16).
    buckets: BTreeMap<i32, u64>,
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

/// An objective of requests during a run.
#[derive(Debug)]
struct Wanted {
    objective: Objective,
    /// By kind of request, whether the objective covers it; none if it covers all.
    about: Option<Vec<bool>>,
    own: Requests,
}

impl Wanted {
    /// None for pages and checks, which rows do not report.
    fn of(objective: &Objective, workload: &Workload) -> Option<Wanted> {
        let about = |wanted: &dyn Fn(&RequestKind) -> bool| {
            Some(workload.requests.iter().map(wanted).collect())
        };
        let about = match &objective.of {
            Scope::All => None,
            Scope::Population(_, place) => about(&|kind| kind.population as usize == *place),
            Scope::Request(name) => about(&|kind| kind.name == *name),
            Scope::Check(_) => return None,
        };
        let of_rows = matches!(objective.figure, Figure::Response(_) | Figure::Errors);
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
    /// The response times of measured successes.
    responses: Tally,
}

impl Requests {
    fn take(&mut self, response: Option<Nanos>, counts: bool) {
        self.over += 1;
        self.succeeded += u64::from(response.is_some());
        self.measured += u64::from(counts);
        if let Some(response) = response.filter(|_| counts) {
            self.responses.add(response);
        }
    }

    /// The figure of an objective so far.
    fn value(&self, figure: Figure) -> Option<f64> {
        match figure {
            Figure::Response(name) => match TimeFigures::share_of(name) {
                Some(share) => self.responses.quantile_s(share),
                None => self.responses.mean_s(),
            },
            _ if self.measured == 0 => None,
            _ => Some(1.0 - self.responses.count() as f64 / self.measured as f64),
        }
    }

    /// The sum of the measured response times.
    fn sum_s(&self) -> f64 {
        self.responses.mean_s().unwrap_or(0.0) * self.responses.count() as f64
    }

    fn figures(&self) -> Figures {
        Figures {
            over: self.over,
            succeeded: self.succeeded,
            p50_s: self.responses.quantile_s(0.5),
            p99_s: self.responses.quantile_s(0.99),
        }
    }
}

impl Monitor {
    pub(crate) fn new(limit: Limit, workload: &Workload) -> Monitor {
        let named = workload.populations.iter().filter(|_| workload.populations.len() > 1);
        Monitor {
            limit,
            all: Requests::default(),
            buckets: BTreeMap::new(),
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
        let population = self.of_kind[row.attempt.kind as usize] as usize;
        if let Some((_, own)) = self.populations.get_mut(population) {
            own.take(response, counts);
        }
        let kind = row.attempt.kind as usize;
        for one in &mut self.objectives {
            if one.about.as_ref().is_some_and(|about| about[kind]) {
                one.own.take(response, counts);
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
            buckets: self.buckets.iter().map(|(place, count)| (*place, *count)).collect(),
            lateness_p99_s: self.lateness.quantile_s(0.99),
            errors: self.errors.iter().map(|(kind, count)| (*kind, *count)).collect(),
            populations: populations.map(|(name, own)| (name.clone(), own.figures())).collect(),
            objectives: self.objectives.iter().map(|one| one.seen(&self.all)).collect(),
            spans,
        }
    }
}

/// A run at one moment.
#[derive(Clone, Debug)]
pub(crate) struct MomentFigures {
    time_s: f64,
    in_flight: u64,
    all: Figures,
    sum_s: f64,
    buckets: Vec<(i32, u64)>,
    lateness_p99_s: Option<f64>,
    errors: Vec<(&'static str, u64)>,
    populations: Vec<(String, Figures)>,
    objectives: Vec<ObjectiveSeen>,
    /// Requests that were chosen since the last moment.
    spans: Vec<Span>,
}

/// An objective and its figure so far.
#[derive(Clone, Debug)]
struct ObjectiveSeen {
    name: String,
    of: Option<String>,
    limit: f64,
    value: Option<f64>,
}

/// The figures of requests.
#[derive(Clone, Debug)]
struct Figures {
    over: u64,
    succeeded: u64,
    p50_s: Option<f64>,
    p99_s: Option<f64>,
}

impl Figures {
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        dict.set_item("requests", self.over)?;
        dict.set_item("succeeded", self.succeeded)?;
        dict.set_item("response_p50_s", self.p50_s)?;
        dict.set_item("response_p99_s", self.p99_s)?;
        Ok(dict)
    }
}

impl MomentFigures {
    /// As the keyword arguments of `thinktime.Moment`.
    pub(crate) fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = self.all.to_dict(py)?;
        dict.set_item("time_s", self.time_s)?;
        dict.set_item("in_flight", self.in_flight)?;
        dict.set_item("response_sum_s", self.sum_s)?;
        dict.set_item("response_buckets", &self.buckets)?;
        dict.set_item("lateness_p99_s", self.lateness_p99_s)?;
        let errors = PyDict::new(py);
        self.errors.iter().try_for_each(|(kind, count)| errors.set_item(kind, count))?;
        dict.set_item("errors", errors)?;
        let populations = PyDict::new(py);
        for (name, own) in &self.populations {
            populations.set_item(name, own.to_dict(py)?)?;
        }
        dict.set_item("populations", populations)?;
        let objectives = self.objectives.iter().map(|one| {
            let dict = PyDict::new(py);
            dict.set_item("name", &one.name)?;
            dict.set_item("of", &one.of)?;
            dict.set_item("limit", one.limit)?;
            dict.set_item("value", one.value)?;
            Ok(dict)
        });
        dict.set_item("objectives", objectives.collect::<PyResult<Vec<_>>>()?)?;
        let spans = self.spans.iter().map(|span| span.to_dict(py));
        dict.set_item("spans", spans.collect::<PyResult<Vec<_>>>()?)?;
        Ok(dict)
    }
}

/// The bucket of a time: number `n` holds those above 2^((n - 1) / 16) s and up to 2^(n / 16) s.
fn bucket_of(time: Nanos) -> i32 {
    ((time.0.max(1) as f64 * 1e-9).log2() * 16.0).ceil() as i32
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
