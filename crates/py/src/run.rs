//! `run`.

use std::path::PathBuf;

use pyo3::prelude::*;
use thinktime_core::time::Nanos;
use thinktime_data::{Host, Labels, ResultDirectory, RowWriter, RunFile, RunTable};
use thinktime_net::generator::{self, Plan, Target};

use crate::errors::{data, generator as run_error, invalid};
use crate::parameters::{Time, keep, keep_word, limit};
use crate::result::Outcome;
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
    let run = RunFile {
        run: RunTable {
            kind: "run".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            seed: workload.inner.seed,
            target: Some(target.url.clone()),
            clock: "monotonic".to_owned(),
            started,
            host: Some(host()),
            rows: keep_word(keep),
        },
        workload: workload.inner.file.clone(),
        system: demands.map(|system| system.inner.file.clone()),
    };
    let names = workload.request_names_of();
    let labels = Labels { requests: names.clone(), stations: Vec::new() };
    let directory = output.as_deref().map(ResultDirectory::create).transpose();
    let directory = directory.map_err(|error| data(&error))?;
    let mut writer = match &directory {
        Some(directory) => {
            directory.write_run(&run).map_err(|error| data(&error))?;
            directory.rows(labels, keep).map_err(|error| data(&error))?
        }
        None => RowWriter::to_memory(labels, keep),
    };
    let drain_s = drain.as_ref().map_or(Ok(DRAIN_S), Time::seconds)?;
    let plan = Plan {
        limit,
        drain: Nanos::from_secs_f64(drain_s),
        demands: demands.map(|system| system.inner.clone()),
    };
    let inner = &workload.inner;
    let (done, kept) = supervise(py, progress.as_ref(), |watch| {
        let mut report = |progress: generator::Progress| {
            watch.report(progress.requests, progress.time_s, progress.in_flight)
        };
        let done = generator::run(inner, &target, &plan, &mut writer, &mut report);
        (done, writer.finish())
    })?;
    let done = done.map_err(|error| run_error(&error))?;
    let kept = kept.map_err(|error| data(&error))?;
    if let Some(directory) = &directory {
        directory
            .write_figures(&done.summary, &done.collector, &names)
            .map_err(|error| data(&error))?;
    }
    let rows = match &output {
        Some(path) => thinktime_data::load(path).map_err(|error| data(&error))?.rows,
        None => kept,
    };
    let result = Outcome::of(run, done.summary, &done.collector, &names, rows);
    let (interrupted, untrusted) = (done.interrupted, done.untrusted);
    Ok(Outcome { interrupted, untrusted, path: output, ..result })
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
