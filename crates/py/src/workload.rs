//! `Workload`.

use std::collections::BTreeMap;
use std::path::PathBuf;

use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use thinktime_core::change::with_value;
use thinktime_core::file::{SessionTable, WorkloadFile};
use thinktime_core::schema::{Source, resolved};
use thinktime_core::workload::{self, Sessions};

use crate::disk_files::{DiskFiles, read};
use crate::distribution::Distribution;
use crate::errors::{invalid, of_value, schema, simulation};
use crate::parameters::seed_of;
use crate::population::Population;
use crate::python_values::plain;
use crate::supervise::supervise;
use crate::system::System;

/// A workload: which sessions arrive, and what they do.
#[pyclass(frozen, module = "thinktime")]
pub(crate) struct Workload {
    pub(crate) inner: workload::Workload,
    pub(crate) files: DiskFiles,
}

impl Workload {
    pub(crate) fn wrap(&self, inner: workload::Workload) -> Workload {
        Workload { inner, files: self.files.clone() }
    }
}

#[pymethods]
impl Workload {
    /// Parses the text of a workload file; `file` is its name in messages, and the place of the
    /// files that it names, except those in `files`.
    #[new]
    #[pyo3(signature = (text, file = "", files = BTreeMap::new()))]
    fn new(text: &str, file: &str, files: BTreeMap<String, PathBuf>) -> PyResult<Workload> {
        let files = DiskFiles::beside(file).with_elsewhere(files);
        workload::Workload::parse(Source { file, text }, &files)
            .map(|inner| Workload { inner, files })
            .map_err(|error| schema(&error))
    }

    /// Reads a workload file.
    #[staticmethod]
    fn load(path: PathBuf) -> PyResult<Workload> {
        let name = path.display().to_string();
        Workload::new(&read(&path)?, &name, BTreeMap::new())
    }

    #[getter]
    fn name(&self) -> &str {
        &self.inner.name
    }

    #[getter]
    fn seed(&self) -> u64 {
        self.inner.seed
    }

    /// `open`, `closed` or `partly-open`; `mixed` if populations have different ones.
    #[getter]
    fn model(&self) -> String {
        self.inner.model_word()
    }

    /// The number of sessions of a closed model; else None.
    #[getter]
    fn clients(&self) -> Option<u64> {
        self.inner.only()?.clients()
    }

    /// Sessions a second in the long run; None for a closed model.
    #[getter]
    fn session_rate(&self) -> Option<f64> {
        Some(self.inner.only()?.arrivals()?.mean_rate())
    }

    /// Requests a second in the long run; None for a closed model.
    #[getter]
    fn request_rate(&self) -> Option<f64> {
        self.inner.request_rate()
    }

    /// The mean number of requests a session; infinite for a closed model.
    #[getter]
    fn requests_per_session(&self) -> f64 {
        self.inner.requests_per_session()
    }

    /// The limit of the variance of the number of arrivals over its mean, the largest of all
    /// populations; None if it is known of none.
    #[getter]
    fn dispersion(&self) -> Option<f64> {
        self.inner.dispersion()
    }

    /// Whether sessions arrive as a Poisson process of constant rate.
    #[getter]
    fn poisson(&self) -> bool {
        let arrivals = self.inner.only().and_then(|only| only.arrivals());
        arrivals.is_some_and(|arrivals| arrivals.is_poisson())
    }

    /// Whether no request has a timeout or is retried, clients share no limits, the rate does not
    /// change over time, and sessions are neither scripts nor those of a log.
    #[getter]
    fn plain(&self) -> bool {
        Population::all_of(&self.inner).iter().all(Population::plain)
    }

    /// For each population whose sessions never end, a sentence on the steps that they leave behind
    /// for good, if any.
    #[getter]
    fn abandoned_steps(&self) -> Vec<String> {
        self.inner.abandoned_steps()
    }

    /// The populations: one without a name if the file names none.
    #[getter]
    fn populations(&self) -> Vec<Population> {
        Population::all_of(&self.inner)
    }

    /// The think time; None for an open model.
    #[getter]
    fn think(&self) -> Option<Distribution> {
        self.inner.only()?.think().map(Into::into)
    }

    /// The number of requests of a session; None unless partly open.
    #[getter]
    fn session_length(&self) -> Option<Distribution> {
        match &self.inner.only()?.sessions {
            Sessions::PartlyOpen { requests, .. } => requests.as_ref().map(Into::into),
            _ => None,
        }
    }

    /// The file of the script that sessions run; None without a script.
    #[getter]
    fn script(&self) -> Option<String> {
        self.inner.only()?.table.session.script.clone()
    }

    /// Whether any population replays a log.
    #[getter]
    fn replays(&self) -> bool {
        self.inner.replays()
    }

    /// The number of all requests, if the workload ends by itself, as a log does. Else None.
    #[getter]
    fn replayed_requests(&self) -> Option<u64> {
        self.inner.extent().map(|extent| extent.requests)
    }

    /// The seconds after the start from which no population begins another session; None if one
    /// has no end.
    #[getter]
    fn arrivals_end_s(&self) -> Option<f64> {
        self.inner.arrivals_end().map(|end| end.as_secs_f64())
    }

    /// The seconds after the start from which only closed populations and smaller ones than the
    /// largest one that ends continue; None if the arrivals of no population end, or if a larger
    /// open one continues.
    #[getter]
    fn mix_end_s(&self) -> Option<f64> {
        self.inner.mix_end().map(|end| end.as_secs_f64())
    }

    /// The names of the kinds of request.
    #[getter]
    fn request_names(&self) -> Vec<String> {
        self.inner.requests.iter().map(|kind| kind.name.clone()).collect()
    }

    /// The long-run share of each kind among requests, in the order of the names; NaN if there are
    /// several populations, each of which has its own.
    #[getter]
    fn request_weights(&self) -> Vec<f64> {
        match self.inner.only() {
            Some(only) => only.mix.clone(),
            None => self.inner.requests.iter().map(|_| f64::NAN).collect(),
        }
    }

    /// The same workload with another seed.
    fn with_seed(&self, #[pyo3(from_py_with = seed_of)] seed: u64) -> Workload {
        self.wrap(self.inner.with_seed(seed))
    }

    /// The same workload with `factor` times the rates and clients of all populations; at least one
    /// client stays. A trace goes by that much faster.
    fn scaled(&self, factor: f64) -> PyResult<Workload> {
        let scaled = self.inner.scaled(factor, &self.files);
        scaled.map(|inner| self.wrap(inner)).map_err(|error| schema(&error))
    }

    /// The same workload with one value changed: the key as in `arrivals.rate`, the text as in a
    /// file.
    fn with_value(&self, key: &str, text: &str) -> PyResult<Workload> {
        let file = with_value(&self.inner.file, key, text).map_err(|error| invalid(&error))?;
        workload::Workload::from_file(&file, &self.files)
            .map(|inner| self.wrap(inner))
            .map_err(|error| of_value(key, text, &error))
    }

    /// The same workload at a load of the system: the rate is set, or, for a closed model, the
    /// think time solved for. If no formula is exact, it is found by simulations, the longest of
    /// which have this many `requests`, 200,000 at least: use the number of requests of the later
    /// measurement.
    #[pyo3(signature = (system, load, *, requests = 2_000_000))]
    fn at_load(
        &self,
        py: Python<'_>,
        system: &System,
        load: f64,
        requests: u64,
    ) -> PyResult<Workload> {
        let (solved, interrupted) = supervise(py, None, |watch| {
            let go_on = || watch.report(0, 0.0, 0);
            thinktime_sim::at_load(
                &self.inner,
                &system.inner,
                (load, requests),
                &self.files,
                &go_on,
            )
        })?;
        if interrupted {
            return Err(PyKeyboardInterrupt::new_err(()));
        }
        solved.map(|inner| self.wrap(inner)).map_err(|error| simulation(&error))
    }

    /// The files that it was made of, by the names that it has for them, and their places.
    #[getter]
    fn files(&self) -> BTreeMap<String, PathBuf> {
        self.files.used()
    }

    /// The tables of the workload with all their keys: absent ones have their default, or are None
    /// or empty. `population` has all populations: one without a name if the file names none.
    #[getter]
    fn tables<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let file = &self.inner.file;
        let population = file.populations().into_iter().map(|(_, table)| table).collect();
        let own = WorkloadFile { arrivals: None, clients: None, request: vec![], ..file.clone() };
        let whole = WorkloadFile { session: SessionTable::default(), population, ..own };
        plain(py, &resolved(&whole))
    }

    /// The workload as TOML text, which parses to the same workload.
    fn to_toml(&self) -> PyResult<String> {
        self.inner.file.to_toml().map_err(|error| schema(&error))
    }

    fn __repr__(&self) -> String {
        format!("<Workload {} ({})>", self.inner.name, self.inner.model_word())
    }
}

// Python shows the default of `at_load` from this line, so it must be a number.
const _: () = assert!(thinktime_sim::FINE == 2_000_000);
