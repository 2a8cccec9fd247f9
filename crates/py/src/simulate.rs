//! `simulate`.

use std::path::PathBuf;

use pyo3::prelude::*;
use thinktime_core::workload;
use thinktime_data::{Labels, OutcomeTable, RunFile, RunTable, schedule_json};
use thinktime_sim::{Control, Plan, WarmUp};

use crate::errors::{data, simulation};
use crate::parameters::{Time, keep, limit, run_table};
use crate::result::Outcome;
use crate::storage::Storage;
use crate::supervise::supervise;
use crate::system::System;
use crate::workload::Workload;

/// Requests simulated where nobody says how many.
const REQUESTS: u64 = 1_000_000;

/// Simulates a workload on a system model.
#[pyfunction]
#[pyo3(signature = (
    workload, system, *, requests = None, duration = None, warmup = None, replications = 1,
    precision = None, rows = None, output = None, progress = None
))]
#[allow(clippy::too_many_arguments, reason = "they are Python's keyword arguments")]
pub(crate) fn simulate(
    py: Python<'_>,
    workload: &Workload,
    system: &System,
    requests: Option<u64>,
    duration: Option<Time>,
    warmup: Option<Time>,
    replications: u32,
    precision: Option<f64>,
    rows: Option<&str>,
    output: Option<PathBuf>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Outcome> {
    // A precision is sought for as long as it takes, unless an end is given; a log has its own.
    let replays = workload.inner.extent().is_some();
    let endless = duration.is_some() || precision.is_some() || replays;
    let requests = requests.or((!endless).then_some(REQUESTS));
    let limit = limit(requests, duration.as_ref(), warmup.as_ref())?;
    let expected = expected_requests(&workload.inner, system, &limit, precision.is_some())
        * f64::from(replications);
    let keep = keep(rows, expected)?;
    // With a duration, or a log, the start itself may be what is wanted: it counts unless said
    // otherwise.
    let found = warmup.as_ref().map_or(duration.is_none() && !replays, Time::is_auto);
    let warm_up = if found { WarmUp::Found } else { WarmUp::Given };
    let rows = keep != thinktime_data::Keep::None;
    let plan = Plan { limit, warm_up, replications, precision, rows };
    let run = RunFile {
        run: RunTable {
            kind: "simulate".to_owned(),
            clock: "virtual".to_owned(),
            replications: Some(replications),
            precision,
            system_files: system.files.directory_if_used(),
            ..run_table(workload, &limit, keep)
        },
        workload: workload.inner.file.clone(),
        system: Some(system.inner.file.clone()),
        outcome: None,
    };
    let places = 0..system.inner.places();
    let stations = places.map(|at| system.inner.place_name(at).to_owned()).collect();
    let labels = Labels { requests: workload.request_names_of(), stations };
    let (storage, mut writer) = Storage::open(output, run, labels, keep)?;
    let (inner, model) = (&workload.inner, &system.inner);
    let (done, rows) = supervise(py, progress.as_ref(), |watch| {
        let report = |progress: thinktime_sim::Progress| match watch.report(
            progress.requests,
            progress.time_s,
            progress.in_system,
        ) {
            true => Control::Continue,
            false => Control::Stop,
        };
        let done = thinktime_sim::simulate(inner, model, &plan, &mut writer, &report);
        (done, writer.finish())
    })?;
    let done = done.map_err(|error| simulation(&error))?;
    let rows = rows.map_err(|error| data(&error))?;
    let outcome = OutcomeTable { interrupted: done.interrupted, untrusted: None };
    let schedule = schedule_json(&done.schedule, model, &workload.request_names_of());
    storage.finish(done.summary, &done.collector, rows, outcome, schedule)
}

/// About how many requests there will be, to decide which rows to keep.
fn expected_requests(
    workload: &workload::Workload,
    system: &System,
    limit: &thinktime_core::client::Limit,
    precise: bool,
) -> f64 {
    if precise {
        return 1e8;
    }
    let requests = workload.extent().map_or(u64::MAX, |extent| extent.requests).min(limit.requests);
    let capacity = 1.0 / system.inner.bottleneck_demand(workload).max(1e-9);
    let rate = workload.request_rate().unwrap_or(capacity);
    (requests as f64).min(rate * limit.until.as_secs_f64())
}

impl Workload {
    pub(crate) fn request_names_of(&self) -> Vec<String> {
        self.inner.requests.iter().map(|kind| kind.name.clone()).collect()
    }
}
