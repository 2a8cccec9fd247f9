//! `run`.

use std::cell::RefCell;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use pyo3::prelude::*;
use thinktime_core::options::RunOptions;
use thinktime_data::{Figures, Host, Keep, Labels, OutcomeTable, RunFile, RunTable};
use thinktime_net::generator::{self, Plan, Target};

use crate::errors::{generator as run_error, invalid};
use crate::monitor::{Monitor, Seen, Watched};
use crate::parameters::{as_table, run_table};
use crate::result::Outcome;
use crate::storage::Storage;
use crate::supervise::{Watch, supervise_and};
use crate::system::System;
use crate::workload::Workload;

/// Runs a workload against a real server. The options are a JSON object; the seed is in the
/// workload already.
#[pyfunction]
#[pyo3(signature = (
    workload, target, options, *, demands = None, output = None, started = None, progress = None,
    monitor = None
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
) -> PyResult<Outcome> {
    let wrong = |error| invalid(&error);
    let options = RunOptions::from_json(options).map_err(wrong)?;
    let target = Target::of(target, &options).map_err(wrong)?;
    let system = demands.map(|system| system.inner.clone());
    let plan = Plan::of(&options, &workload.inner, system).map_err(wrong)?;
    let keep = Keep::parse(options.rows.as_deref(), 0.0).map_err(wrong)?;
    let stop_on_slo = options.stop_on_slo == Some(true);
    let limit = plan.limit;
    let run = RunFile {
        run: RunTable {
            kind: "run".to_owned(),
            target: Some(target.url.clone()),
            clock: "monotonic".to_owned(),
            drain_s: Some(plan.drain.as_secs_f64()),
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
    let labels = Labels { requests: workload.request_names_of(), stations: Vec::new() };
    let figures = Some(Figures::new(&workload.inner, limit));
    let (storage, mut writer) = Storage::open(output, run, labels, keep, figures)?;
    let inner = &workload.inner;
    let (seen, wanted) = (Mutex::new(None), monitor.is_some() || stop_on_slo);
    let tell = |py: Python<'_>| tell(py, monitor.as_ref(), &seen);
    let (done, rows, early) = supervise_and(py, progress.as_ref(), tell, |watch| {
        let slo = stop_on_slo.then_some(&inner.slo);
        let eyes = Eyes { monitor: RefCell::new(Monitor::new(limit, slo)), watch, seen: &seen };
        let mut early = None;
        let mut report = |progress: generator::Progress| eyes.look(&progress, &mut early);
        let mut sink = Watched { sink: &mut writer, monitor: &eyes.monitor, wanted };
        let done = generator::run(inner, &target, &plan, &mut sink, &mut report);
        (done, writer.finish(), early)
    })?;
    let mut done = done.map_err(|error| run_error(&error))?;
    if let Some(why) = early {
        done.interrupted = false;
        done.summary.warnings.retain(|one| !one.starts_with("interrupted"));
        done.summary.warnings.push(format!(
            "ended early, because the SLO could no longer be met: {why}; requests on their way \
             then are not counted"
        ));
    }
    let (interrupted, untrusted) = (done.interrupted, done.untrusted);
    let outcome = OutcomeTable { interrupted, untrusted, ..OutcomeTable::default() };
    storage.finish(done.summary, &done.collector, rows, outcome, None)
}

/// What looks at a run while it runs; it lives in the generator's thread.
struct Eyes<'a> {
    monitor: RefCell<Monitor>,
    watch: &'a Watch,
    seen: &'a Mutex<Option<Seen>>,
}

impl Eyes<'_> {
    /// Shows the progress; says whether to go on, and notes why not, if for the SLO.
    fn look(&self, progress: &generator::Progress, early: &mut Option<String>) -> bool {
        // The generator waits for nobody: a moment that cannot be shown at once is not shown.
        if let Ok(mut seen) = self.seen.try_lock() {
            *seen = Some(self.monitor.borrow().seen(progress));
        }
        let go_on = self.watch.report(progress.requests, progress.time_s, progress.in_flight);
        if go_on {
            *early = self.monitor.borrow_mut().hopeless(progress);
        }
        go_on && early.is_none()
    }
}

/// Hands what was seen last to Python, once.
fn tell(py: Python<'_>, monitor: Option<&Py<PyAny>>, seen: &Mutex<Option<Seen>>) -> PyResult<()> {
    let Some(monitor) = monitor else { return Ok(()) };
    let last = seen.lock().unwrap_or_else(PoisonError::into_inner).take();
    match last {
        Some(last) => monitor.call1(py, (last.to_dict(py)?,)).map(drop),
        None => Ok(()),
    }
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
