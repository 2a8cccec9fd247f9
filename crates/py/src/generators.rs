//! `run` from several processes: the parts, and the object that collects their messages.

use std::sync::Arc;
use std::time::Duration;

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use thinktime_core::options::RunOptions;
use thinktime_core::share::Share;
use thinktime_core::time::Nanos;
use thinktime_net::generator::{self, Plan, Target};

use crate::errors::{InputError, generator as run_error, invalid};
use crate::system::System;
use crate::workload::Workload;

/// Adds these to the module.
pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Part>()?;
    module.add_class::<Gathering>()
}

/// A part of a run: some shares of the sessions, by their numbers among `of`.
#[pyclass(frozen, module = "thinktime._core")]
pub(crate) struct Part {
    inner: generator::Part,
}

#[pymethods]
impl Part {
    /// Prepares the part. Sessions before `from_s`, and the `begun` requests that they had begun,
    /// belong to another part. `run` names the run to a server of shared variables: all of its
    /// parts need the same name.
    #[new]
    #[pyo3(signature = (workload, target, options, shares, of, *, demands = None,
        from_s = 0.0, begun = 0, run = None))]
    #[allow(clippy::too_many_arguments, reason = "they are Python's keyword arguments")]
    fn new(
        py: Python<'_>,
        workload: &Workload,
        target: &str,
        options: &str,
        shares: Vec<u64>,
        of: u64,
        demands: Option<&System>,
        from_s: f64,
        begun: u64,
        run: Option<String>,
    ) -> PyResult<Part> {
        let wrong = |error| invalid(&error);
        let options = RunOptions::from_json(options).map_err(wrong)?;
        let target = Target::of(target, &options).map_err(|error| run_error(&error))?;
        let system = demands.map(|system| system.inner.clone());
        let plan = Plan::of(&options, &workload.inner, system).map_err(wrong)?;
        let plan = Plan { run, ..plan };
        let from = Nanos::from_secs_f64(from_s);
        let shares = shares.into_iter().map(|part| Share { from, begun, ..Share::new(part, of) });
        let shares: Vec<Share> = shares.collect();
        if shares.is_empty() || shares.iter().any(|share| share.part >= of) {
            return Err(InputError::new_err(format!("a part has shares from 0 to {}", of - 1)));
        }
        let workload = &workload.inner;
        let ready = || generator::Part::new(workload, &target, &plan, &shares);
        py.detach(ready).map(|inner| Part { inner }).map_err(|error| run_error(&error))
    }

    /// Sets the begin of the run, as a value of this machine's monotonic clock.
    fn begin(&self, at_ns: u64) {
        self.inner.begin(Duration::from_nanos(at_ns));
    }

    /// The new messages since the last call, after a wait of up to `wait_s`: the bytes for
    /// `Gathering.take`, whether the part has ended, and the lateness of its begin, in seconds.
    fn take<'py>(
        &self,
        py: Python<'py>,
        wait_s: f64,
    ) -> PyResult<(Bound<'py, PyBytes>, bool, Option<f64>)> {
        // An invalid time means no wait.
        let wait = Duration::try_from_secs_f64(wait_s).unwrap_or_default();
        let taken = py.detach(|| self.inner.take(wait)).map_err(|error| run_error(&error))?;
        let late = taken.begun_late.map(Nanos::as_secs_f64);
        Ok((PyBytes::new(py, &taken.bytes), taken.ended, late))
    }

    /// Asks it to end.
    fn stop(&self) {
        self.inner.stop();
    }
}

/// The collector of the messages of a run's parts.
#[pyclass(frozen, module = "thinktime._core")]
pub(crate) struct Gathering {
    pub(crate) inner: Arc<generator::Merge>,
    generators: u64,
    shares: u64,
}

#[pymethods]
impl Gathering {
    /// For this many generators, whose event loops are in the options, a JSON object.
    #[new]
    fn new(workload: &Workload, options: &str, generators: u64) -> PyResult<Gathering> {
        let wrong = |error| invalid(&error);
        let options = RunOptions::from_json(options).map_err(wrong)?;
        let plan = Plan::of(&options, &workload.inner, None).map_err(wrong)?;
        let shares = generator::shares_of(&workload.inner, &plan, generators).map_err(wrong)?;
        let inner = Arc::new(generator::Merge::new(shares as usize));
        Ok(Gathering { inner, generators, shares })
    }

    /// The number of generators.
    #[getter]
    fn generators(&self) -> u64 {
        self.generators
    }

    /// The number of shares of the sessions: one for each event loop of all generators.
    #[getter]
    fn shares(&self) -> u64 {
        self.shares
    }

    /// Takes the result of `Part.take`.
    fn take(&self, py: Python<'_>, told: &[u8]) -> PyResult<()> {
        py.detach(|| self.inner.take(told)).map_err(|error| invalid(&error))
    }

    /// Marks a share as lost: gives the time up to which its rows are complete, in seconds, the
    /// number of its begun requests that count, and the number of those under way.
    fn lose(&self, share: usize) -> (f64, u64, u64) {
        let (up_to_s, progress) = self.inner.lose(share);
        (up_to_s, progress.begun, progress.in_flight)
    }

    /// Ends the input.
    fn end(&self) {
        self.inner.end();
    }

    /// Whether the run must end.
    #[getter]
    fn stopped(&self) -> bool {
        self.inner.is_stopped()
    }

    /// Adds to the result's notes.
    fn warn(&self, warning: String) {
        self.inner.warn(warning);
    }

    /// Marks the result as not to be trusted, since a part of the load is missing, for this reason.
    fn spoil(&self, reason: String) {
        self.inner.spoil(reason);
    }

    /// The result's notes about the generators: a list in JSON, as in `summary.json`.
    fn describe(&self, generators: &str) -> PyResult<()> {
        let all = serde_json::from_str(generators);
        self.inner.describe(all.map_err(|error| InputError::new_err(error.to_string()))?);
        Ok(())
    }
}
