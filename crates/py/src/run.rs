//! `run`.

use std::cell::RefCell;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use pyo3::prelude::*;
use thinktime_core::options::RunOptions;
use thinktime_core::run_file::{Host, OutcomeTable, RunFile, RunTable};
use thinktime_data::{Figures, Labels, RowSelection};
use thinktime_net::generator::{self, Ending, Plan, RunProgress, Target};

use crate::errors::{generator as run_error, invalid};
use crate::generators::Gathering;
use crate::monitor::{MomentFigures, Monitor, Watched};
use crate::result::ResultData;
use crate::run_table::{as_table, run_table};
use crate::storage::Storage;
use crate::supervise::supervise_and;
use crate::system::System;
use crate::workload::Workload;

/// Runs a workload against a real server. The options are a JSON object; the seed is already in the
/// workload. With `gathering`, other processes run it, and their messages come together here.
#[pyfunction]
#[pyo3(signature = (
    workload, target, options, *, demands = None, output = None, started = None, progress = None,
    monitor = None, gathering = None, crossing = None
))]
#[allow(clippy::too_many_arguments, reason = "they are Python's keyword arguments")]
pub(crate) fn run(
    py: Python<'_>,
    workload: &Workload,
    target: &str,
    options: &str,
    demands: Option<&System>,
    output: Option<PathBuf>,
    started: Option<String>,
    progress: Option<Py<PyAny>>,
    monitor: Option<Py<PyAny>>,
    gathering: Option<&Gathering>,
    crossing: Option<(PathBuf, String)>,
) -> PyResult<ResultData> {
    let wrong = |error| invalid(&error);
    let options = RunOptions::from_json(options).map_err(wrong)?;
    let (namespace, reached) = crossing.unzip();
    let reached = reached.map(|reached| RunOptions::from_json(&reached)).transpose();
    let reached = reached.map_err(wrong)?;
    let target = Target::of(target, reached.as_ref().unwrap_or(&options));
    let target = target.map_err(|error| run_error(&error))?;
    let system = demands.map(|system| system.inner.clone());
    let plan = Plan::of(&options, &workload.inner, system).map_err(wrong)?;
    let mut keep = RowSelection::parse(options.rows.as_deref(), 0.0).map_err(wrong)?;
    if options.leave_rows.is_some() {
        keep = RowSelection::None; // the process that makes the load keeps them
    }
    let limit = plan.limit;
    let run = RunFile {
        run: RunTable {
            kind: "run".to_owned(),
            target: Some(target.url.clone()),
            clock: "monotonic".to_owned(),
            drain_s: Some(plan.drain.as_secs_f64()),
            precision: plan.precision,
            started,
            host: Some(host()),
            system_files: demands.and_then(|system| system.files.directory_if_used()),
            ..run_table(workload, &limit, keep)
        },
        options: Some(as_table(&options)?),
        workload: workload.inner.file.clone(),
        system: demands.map(|system| system.inner.file.clone()),
        outcome: None,
    };
    let labels = Labels {
        requests: workload.request_names_of(),
        populations: workload.population_names_of(),
        stations: Vec::new(),
        real: true,
        streamed: workload.inner.requests.iter().any(|kind| kind.stream.is_some()),
    };
    let figures = Some(Figures::new(&workload.inner, limit));
    let (storage, mut writer) = Storage::open(output, run, labels, keep, figures)?;
    let gathering = gathering.map(|gathering| Arc::clone(&gathering.inner));
    let (seen, shown) = (Mutex::new(None), monitor.is_some());
    let notify_now = |py: Python<'_>| notify(py, monitor.as_ref(), &seen);
    let ((done, rows), interrupted) = supervise_and(py, progress.as_ref(), notify_now, |watch| {
        let monitor = RefCell::new(Monitor::new(limit, &workload.inner));
        let mut latest = RunProgress::default();
        let mut report = |progress: RunProgress| {
            latest = progress;
            // The generator waits for nobody: a moment that cannot be shown at once is skipped.
            if let Ok(mut seen) = seen.try_lock() {
                let unshown = seen.take();
                *seen = Some(monitor.borrow_mut().seen(&progress, unshown, false));
            }
            watch.report(progress.requests, progress.time_s, progress.in_flight)
        };
        let mut sink = Watched { sink: &mut writer, monitor: &monitor, wanted: shown };
        let (inner, sink, report) = (&workload.inner, &mut sink, &mut report);
        // This thread, and those that it starts, create all sockets of the run.
        let entered = namespace.as_deref().map_or(Ok(()), thinktime_net::namespace::enter);
        let done = match (entered, &gathering) {
            (Err(error), _) => Err(error.into()),
            (Ok(()), Some(gathering)) => generator::merge(inner, &plan, gathering, sink, report),
            (Ok(()), None) => generator::run(inner, &target, &plan, sink, report),
        };
        if monitor.borrow().traced.is_some() && latest.time_s > 0.0 {
            let mut seen = seen.lock().unwrap_or_else(PoisonError::into_inner);
            let unshown = seen.take();
            *seen = Some(monitor.borrow_mut().seen(&latest, unshown, true));
        }
        (done, writer.finish())
    })?;
    notify(py, monitor.as_ref(), &seen)?;
    let done = done.map_err(|error| run_error(&error))?;
    let interrupted = interrupted || done.ending == Ending::Interrupted;
    let outcome =
        OutcomeTable { interrupted, untrusted: done.untrusted, ..OutcomeTable::default() };
    storage.finish(done.summary, &done.collector, rows, outcome, None)
}

/// Hands the last moment to Python, once.
fn notify(
    py: Python<'_>,
    monitor: Option<&Py<PyAny>>,
    seen: &Mutex<Option<MomentFigures>>,
) -> PyResult<()> {
    let Some(monitor) = monitor else { return Ok(()) };
    let last = seen.lock().unwrap_or_else(PoisonError::into_inner).take();
    match last {
        Some(last) => monitor.call1(py, (last.to_dict(py)?,)).map(drop),
        None => Ok(()),
    }
}

/// The properties of this machine that affect a result.
fn host() -> Host {
    let kernel = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    Host {
        kernel: kernel.trim().to_owned(),
        architecture: std::env::consts::ARCH.to_owned(),
        cores: std::thread::available_parallelism().map_or(1, usize::from),
    }
}
