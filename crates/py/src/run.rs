//! `run`.

use std::path::PathBuf;

use pyo3::prelude::*;
use thinktime_core::time::Nanos;
use thinktime_data::{Host, Labels, OutcomeTable, RunFile, RunTable};
use thinktime_net::generator::{self, Plan, Target};

use crate::errors::{data, generator as run_error, invalid};
use crate::parameters::{Time, keep, limit, run_table};
use crate::result::Outcome;
use crate::storage::Storage;
use crate::supervise::supervise;
use crate::system::System;
use crate::workload::Workload;

/// How long a run lasts where nobody says, in seconds.
const DURATION_S: f64 = 30.0;
/// How long the last responses are waited for where nobody says, in seconds.
const DRAIN_S: f64 = 10.0;

/// Runs a workload against a real server.
#[pyfunction]
#[pyo3(signature = (
    workload, target, *, requests = None, duration = None, warmup = None, drain = None,
    demands = None, rows = None, output = None, started = None, progress = None
))]
#[allow(clippy::too_many_arguments, reason = "they are Python's keyword arguments")]
pub(crate) fn run(
    py: Python<'_>,
    workload: &Workload,
    target: &str,
    requests: Option<u64>,
    duration: Option<Time>,
    warmup: Option<Time>,
    drain: Option<Time>,
    demands: Option<&System>,
    rows: Option<&str>,
    output: Option<PathBuf>,
    started: Option<String>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Outcome> {
    let duration = duration.or(requests.is_none().then_some(Time::Seconds(DURATION_S)));
    let limit = limit(requests, duration.as_ref(), warmup.as_ref())?;
    let target = Target::parse(target).map_err(|error| invalid(&error))?;
    let keep = keep(rows, 0.0)?;
    let drain_s = drain.as_ref().map_or(Ok(DRAIN_S), Time::seconds)?;
    let run = RunFile {
        run: RunTable {
            kind: "run".to_owned(),
            target: Some(target.url.clone()),
            clock: "monotonic".to_owned(),
            drain_s: Some(drain_s),
            started,
            host: Some(host()),
            ..run_table(&workload.inner, &limit, keep)
        },
        workload: workload.inner.file.clone(),
        system: demands.map(|system| system.inner.file.clone()),
        outcome: None,
    };
    let labels = Labels { requests: workload.request_names_of(), stations: Vec::new() };
    let (storage, mut writer) = Storage::open(output, run, labels, keep)?;
    let drain = Nanos::from_secs_f64(drain_s);
    let plan = Plan { limit, drain, demands: demands.map(|system| system.inner.clone()) };
    let inner = &workload.inner;
    let (done, rows) = supervise(py, progress.as_ref(), |watch| {
        let mut report = |progress: generator::Progress| {
            watch.report(progress.requests, progress.time_s, progress.in_flight)
        };
        let done = generator::run(inner, &target, &plan, &mut writer, &mut report);
        (done, writer.finish())
    })?;
    let done = done.map_err(|error| run_error(&error))?;
    let rows = rows.map_err(|error| data(&error))?;
    let outcome = OutcomeTable { interrupted: done.interrupted, untrusted: done.untrusted };
    storage.finish(done.summary, &done.collector, rows, outcome)
}

/// This machine, as far as a result depends on it.
fn host() -> Host {
    let kernel = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    Host {
        kernel: kernel.trim().to_owned(),
        architecture: std::env::consts::ARCH.to_owned(),
        cores: std::thread::available_parallelism().map_or(1, usize::from),
    }
}
