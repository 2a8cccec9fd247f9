//! `run`.

use std::cell::RefCell;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use pyo3::prelude::*;
use thinktime_core::time::Nanos;
use thinktime_data::{Host, Labels, OutcomeTable, RunFile, RunTable};
use thinktime_net::generator::{self, Plan, Target, TlsOptions};

use crate::errors::{InputError, data, generator as run_error, invalid};
use crate::monitor::{Monitor, Seen, Watched};
use crate::parameters::{Time, keep, limit, run_table};
use crate::result::Outcome;
use crate::storage::Storage;
use crate::supervise::{Watch, supervise_and};
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
    demands = None, rows = None, output = None, started = None, progress = None,
    monitor = None, stop_on_slo = false, ca_file = None, insecure = false, sources = Vec::new(),
    precision = None, loops = 1
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
    monitor: Option<Py<PyAny>>,
    stop_on_slo: bool,
    ca_file: Option<PathBuf>,
    insecure: bool,
    sources: Vec<String>,
    precision: Option<Time>,
    loops: u32,
) -> PyResult<Outcome> {
    // A log has an end of its own.
    let endless = requests.is_none() && workload.inner.extent().is_none();
    let duration = duration.or(endless.then_some(Time::Seconds(DURATION_S)));
    let limit = limit(requests, duration.as_ref(), warmup.as_ref())?;
    let target = reached(target, ca_file, insecure, &sources)?;
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
            system_files: demands.and_then(|system| system.files.directory_if_used()),
            ..run_table(workload, &limit, keep)
        },
        workload: workload.inner.file.clone(),
        system: demands.map(|system| system.inner.file.clone()),
        outcome: None,
    };
    let labels = Labels { requests: workload.request_names_of(), stations: Vec::new() };
    let (storage, mut writer) = Storage::open(output, run, labels, keep)?;
    let drain = Nanos::from_secs_f64(drain_s);
    let precision_s = precision.as_ref().map_or(Ok(0.0), Time::seconds)?;
    let plan = Plan {
        limit,
        drain,
        demands: demands.map(|system| system.inner.clone()),
        precision: Nanos::from_secs_f64(precision_s),
        loops,
    };
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
    let rows = rows.map_err(|error| data(&error))?;
    if let Some(why) = early {
        done.interrupted = false;
        done.summary.warnings.retain(|one| !one.starts_with("interrupted"));
        done.summary.warnings.push(format!(
            "ended early, because the SLO could no longer be met: {why}; requests on their way \
             then are not counted"
        ));
    }
    let outcome = OutcomeTable { interrupted: done.interrupted, untrusted: done.untrusted };
    storage.finish(done.summary, &done.collector, rows, outcome, None)
}

/// The target, and how it is reached.
fn reached(
    url: &str,
    ca_file: Option<PathBuf>,
    insecure: bool,
    sources: &[String],
) -> PyResult<Target> {
    let target = Target::parse(url).map_err(|error| invalid(&error))?;
    let given = if insecure { Some("insecure") } else { ca_file.as_ref().map(|_| "ca_file") };
    if let (Some(option), None) = (given, target.scheme.tls()) {
        return Err(InputError::new_err(format!(
            "`{option}` goes with an https or wss target only"
        )));
    }
    if insecure && ca_file.is_some() {
        return Err(InputError::new_err("give `ca_file` or `insecure`, not both"));
    }
    let source = |text: &String| text.parse().map_err(|error| invalid(&error));
    let sources = sources.iter().map(source).collect::<PyResult<_>>()?;
    let options = TlsOptions { ca_file, verify: !insecure, ..TlsOptions::default() };
    Ok(target.with_tls(options).with_sources(sources))
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
