//! `Population`.

use pyo3::prelude::*;
use thinktime_core::file::ArrivalsTable;
use thinktime_core::request::RequestKind;
use thinktime_core::schema::resolved;
use thinktime_core::workload::{self, ClientLimits};

use crate::distribution::Distribution;
use crate::python_values::plain;

/// Users of one kind: their sessions, and the actions of these.
#[pyclass(frozen, module = "thinktime")]
pub(crate) struct Population {
    inner: workload::Population,
    /// The names of its kinds of request.
    names: Vec<String>,
    patient: bool,
}

impl Population {
    pub(crate) fn all_of(workload: &workload::Workload) -> Vec<Population> {
        let of = |one: &workload::Population| {
            let kinds = &workload.requests[one.kinds.clone()];
            let patient = |kind: &RequestKind| {
                kind.timeout.is_never() && kind.retry.attempts == 1 && kind.hedge.is_none()
            };
            Population {
                inner: one.clone(),
                names: kinds.iter().map(|kind| kind.name.clone()).collect(),
                patient: kinds.iter().all(patient),
            }
        };
        workload.populations.iter().map(of).collect()
    }
}

#[pymethods]
impl Population {
    /// Its name; empty if the workload names no populations.
    #[getter]
    fn name(&self) -> &str {
        &self.inner.name
    }

    /// `open`, `closed` or `partly-open`.
    #[getter]
    fn model(&self) -> String {
        self.inner.model().to_string()
    }

    /// The number of sessions of a closed one; else None.
    #[getter]
    fn clients(&self) -> Option<u64> {
        self.inner.clients()
    }

    /// Sessions a second in the long run; None for a closed one.
    #[getter]
    fn session_rate(&self) -> Option<f64> {
        Some(self.inner.arrivals()?.mean_rate())
    }

    /// Requests a second in the long run, objects included; None for a closed one, and if unknown
    /// beforehand.
    #[getter]
    fn request_rate(&self) -> Option<f64> {
        self.inner.request_rate()
    }

    /// Whether sessions arrive as a Poisson process of constant rate.
    #[getter]
    fn poisson(&self) -> bool {
        self.inner.arrivals().is_some_and(|arrivals| arrivals.is_poisson())
    }

    /// The limit of the variance of the number of arrivals over its mean: 1 for a Poisson process,
    /// C² of independent gaps. None for a closed one, or times of a file.
    #[getter]
    fn dispersion(&self) -> Option<f64> {
        self.inner.arrivals()?.dispersion()
    }

    /// The think time of its sessions; None for an open one.
    #[getter]
    fn think(&self) -> Option<Distribution> {
        self.inner.think().map(Into::into)
    }

    /// The think time after each kind of request with its own, in the order of `request_names`;
    /// else None.
    #[getter]
    fn thinks_after(&self) -> Vec<Option<Distribution>> {
        self.inner.thinks.iter().map(|own| own.as_ref().map(Into::into)).collect()
    }

    /// The names of its kinds of request.
    #[getter]
    fn request_names(&self) -> Vec<String> {
        self.names.clone()
    }

    /// The long-run share of each kind among its requests, objects included, in the order of
    /// `request_names`.
    #[getter]
    fn mix(&self) -> Vec<f64> {
        self.inner.mix.clone()
    }

    /// The mean number of requests of each kind in a session that ends, objects included; None if
    /// unknown beforehand.
    #[getter]
    fn visits(&self) -> Option<Vec<f64>> {
        self.inner.visits.clone()
    }

    /// How often a session comes to each kind, objects not counted: mean numbers, or shares if
    /// sessions do not end by themselves.
    #[getter]
    fn steps(&self) -> Vec<f64> {
        self.inner.steps.clone()
    }

    /// Its tables with all their keys, as in `Workload.tables`.
    #[getter]
    fn table<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        plain(py, &resolved(&self.inner.table))
    }

    /// Whether no request has a timeout or is retried or hedged, clients share no limits, the rate
    /// does not change over time, and sessions are neither scripts nor those of a log.
    #[getter]
    pub(crate) fn plain(&self) -> bool {
        let profile = self.inner.table.arrivals.profile.as_deref();
        self.patient
            && self.inner.clients == ClientLimits::NONE
            && self.inner.programs.is_none()
            && profile.is_none_or(|profile| profile == ArrivalsTable::PROFILE)
    }

    fn __repr__(&self) -> String {
        format!("<Population {} ({})>", self.inner.name, self.inner.model())
    }
}
