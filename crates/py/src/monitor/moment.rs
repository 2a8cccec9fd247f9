//! A run at one moment, as Python receives it.

use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::traces::Span;

/// A run at one moment.
#[derive(Clone, Debug)]
pub(crate) struct MomentFigures {
    pub(super) time_s: f64,
    pub(super) in_flight: u64,
    pub(super) all: Figures,
    pub(super) sum_s: f64,
    pub(super) buckets: Vec<(i32, u64)>,
    pub(super) streams: Option<StreamsSeen>,
    pub(super) lateness_p99_s: Option<f64>,
    pub(super) errors: Vec<(&'static str, u64)>,
    pub(super) populations: Vec<(String, Figures)>,
    pub(super) objectives: Vec<ObjectiveSeen>,
    /// Requests that were chosen since the last moment.
    pub(super) spans: Vec<Span>,
}

/// An objective and its figure so far.
#[derive(Clone, Debug)]
pub(super) struct ObjectiveSeen {
    pub(super) name: String,
    pub(super) of: Option<String>,
    pub(super) limit: f64,
    pub(super) value: Option<f64>,
}

/// The streamed responses so far.
#[derive(Clone, Debug)]
pub(super) struct StreamsSeen {
    pub(super) own: Figures,
    pub(super) events: u64,
    pub(super) sum_s: f64,
    pub(super) buckets: Vec<(i32, u64)>,
}

impl StreamsSeen {
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        dict.set_item("requests", self.own.over)?;
        dict.set_item("succeeded", self.own.succeeded)?;
        dict.set_item("events", self.events)?;
        dict.set_item("first_event_p50_s", self.own.p50_s)?;
        dict.set_item("first_event_p99_s", self.own.p99_s)?;
        dict.set_item("first_event_sum_s", self.sum_s)?;
        dict.set_item("first_event_buckets", &self.buckets)?;
        Ok(dict)
    }
}

/// The figures of requests.
#[derive(Clone, Debug)]
pub(super) struct Figures {
    pub(super) over: u64,
    pub(super) succeeded: u64,
    pub(super) p50_s: Option<f64>,
    pub(super) p99_s: Option<f64>,
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
        dict.set_item("streams", self.streams.as_ref().map(|own| own.to_dict(py)).transpose()?)?;
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
