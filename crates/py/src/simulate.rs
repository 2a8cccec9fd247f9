//! `simulate`.

use std::path::PathBuf;

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use thinktime_core::limit::Limit;
use thinktime_core::options::SimulateOptions;
use thinktime_core::request::RequestKind;
use thinktime_core::run_file::{OutcomeTable, RunFile, RunTable};
use thinktime_core::system::SystemModel;
use thinktime_core::time::Nanos;
use thinktime_core::workload;
use thinktime_data::{Labels, RowSelection, schedule_json};
use thinktime_sim::{
    Control, Plan, ProgressLimits, RemoteReplications, WarmUp, replicate_as_bytes, simulate_with,
};

use crate::errors::{invalid, simulation};
use crate::remote_iterator::RemoteIterator;
use crate::result::ResultData;
use crate::run_table::{as_table, run_table};
use crate::storage::Storage;
use crate::supervise::supervise;
use crate::system::System;
use crate::workload::Workload;

/// Adds these to the module.
pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(simulate, module)?)?;
    module.add_function(wrap_pyfunction!(replicate, module)?)
}

/// Simulates a workload on a system model. The options are a JSON object; load and seed are already
/// in the workload. `elsewhere` runs several replications in another place. `progress_limits` are
/// the events and the attempts of `ProgressLimits`.
#[pyfunction]
#[pyo3(signature = (
    workload, system, options, *, output = None, progress = None, elsewhere = None,
    progress_limits = None
))]
#[allow(clippy::too_many_arguments, reason = "they are Python's keyword arguments")]
pub(crate) fn simulate(
    py: Python<'_>,
    workload: &Workload,
    system: &System,
    options: &str,
    output: Option<PathBuf>,
    progress: Option<Py<PyAny>>,
    elsewhere: Option<Py<PyAny>>,
    progress_limits: Option<(u64, u64)>,
) -> PyResult<ResultData> {
    let options = SimulateOptions::from_json(options).map_err(|error| invalid(&error))?;
    let plan = Plan::of(&options, &workload.inner).map_err(|error| invalid(&error))?;
    let keep = RowSelection::parse(
        options.rows.as_deref(),
        expected_requests(&workload.inner, system, &plan),
    );
    let keep = keep.map_err(|error| invalid(&error))?;
    let limits = progress_limits
        .map_or(plan.progress, |(events, in_system)| ProgressLimits { events, in_system });
    let plan = Plan { rows: keep != RowSelection::None, progress: limits, ..plan };
    let run = RunFile {
        run: RunTable {
            kind: "simulate".to_owned(),
            clock: "virtual".to_owned(),
            replications: Some(plan.replications),
            precision: plan.precision,
            system_files: system.files.directory_if_used(),
            ..run_table(workload, &plan.limit, keep)
        },
        options: Some(as_table(&options)?),
        workload: workload.inner.file.clone(),
        system: Some(system.inner.file.clone()),
        outcome: None,
    };
    let stations = system.inner.station_labels();
    let labels = Labels {
        requests: workload.request_names_of(),
        populations: workload.population_names_of(),
        stations,
        real: false,
        streamed: gives_events(&workload.inner, &system.inner),
    };
    let (storage, mut writer) = Storage::open(output, run, labels, keep, None)?;
    let (inner, model) = (&workload.inner, &system.inner);
    let ((done, rows), interrupted) = supervise(py, progress.as_ref(), |watch| {
        let report = |progress: thinktime_sim::SimulationProgress| match watch.report(
            progress.requests,
            progress.time_s,
            progress.in_system,
        ) {
            true => Control::Continue,
            false => Control::Stop,
        };
        let mut there = elsewhere.map(RemoteIterator::new);
        let place = there.as_mut().map(|there| there as &mut dyn RemoteReplications);
        let done = simulate_with(inner, model, &plan, &mut writer, &report, place);
        let raised = there.and_then(|mut there| there.raised.take());
        (raised.map_or(Ok(done), Err), writer.finish())
    })?;
    let done = done?;
    let done = done.map_err(|error| simulation(&error))?;
    let interrupted = interrupted || done.interrupted;
    let outcome =
        OutcomeTable { interrupted, untrusted: done.untrusted, ..OutcomeTable::default() };
    let schedule = schedule_json(&done.schedule, model, &workload.request_names_of());
    storage.finish(done.summary, &done.collector, rows, outcome, schedule)
}

/// One replication of a simulation, for the `elsewhere` of `simulate`, which gives the end of its
/// warm-up and whether its rows are wanted.
#[pyfunction]
pub(crate) fn replicate<'py>(
    py: Python<'py>,
    workload: &Workload,
    system: &System,
    options: &str,
    number: u32,
    warmup_ns: u64,
    rows: bool,
) -> PyResult<Bound<'py, PyBytes>> {
    let options = SimulateOptions::from_json(options).map_err(|error| invalid(&error))?;
    let plan = Plan::of(&options, &workload.inner).map_err(|error| invalid(&error))?;
    let limit = Limit { warmup: Nanos(warmup_ns), ..plan.limit };
    let plan = Plan { limit, warm_up: WarmUp::Given, rows, ..plan };
    let (workload, system) = (&workload.inner, &system.inner);
    let done = py.detach(|| replicate_as_bytes(workload, system, &plan, number));
    done.map(|bytes| PyBytes::new(py, &bytes)).map_err(|error| invalid(&error))
}

/// Whether responses are streams whose events are simulated.
fn gives_events(workload: &workload::Workload, system: &SystemModel) -> bool {
    let streamed = workload.requests.iter().any(|kind| kind.stream.is_some());
    streamed && system.token_servers().next().is_some()
}

/// The approximate number of requests, which decides which rows to keep.
fn expected_requests(workload: &workload::Workload, system: &System, plan: &Plan) -> f64 {
    if plan.precision.is_some() {
        return 1e8;
    }
    let limit = &plan.limit;
    let requests = workload.extent().map_or(u64::MAX, |extent| extent.requests).min(limit.requests);
    let ones = vec![1.0; workload.populations.len()];
    let capacity = 1.0 / system.inner.bottleneck_load(workload, &ones).max(1e-9);
    let rate = workload.request_rate().unwrap_or(capacity);
    let each = (requests as f64).min(rate * limit.until.as_secs_f64());
    each * f64::from(plan.replications)
}

impl Workload {
    /// By kind of request, the name of its population; empty if the workload names none.
    pub(crate) fn population_names_of(&self) -> Vec<String> {
        let name =
            |kind: &RequestKind| self.inner.populations[kind.population as usize].name.clone();
        let names: Vec<String> = self.inner.requests.iter().map(name).collect();
        if names.iter().all(String::is_empty) { Vec::new() } else { names }
    }

    pub(crate) fn request_names_of(&self) -> Vec<String> {
        self.inner.requests.iter().map(|kind| kind.name.clone()).collect()
    }
}
