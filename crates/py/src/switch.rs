//! `Switch`.

mod options;

use std::fs::{File, OpenOptions};
use std::net::{SocketAddr, ToSocketAddrs};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use pyo3::prelude::*;
use pyo3::types::PyDict;
use thinktime_net::certificates::Identity;
use thinktime_switch::{
    Backend, CheckPath, Checks, Control, Plan, Proxy, Settings, SwitchTotals, Tls,
};

use self::options::SwitchOptions;
use crate::errors::{InputError, RunError, address_error, invalid, words};
use crate::parameters::seed_of;
use crate::system::System;
use crate::workload::Workload;

/// A reverse proxy that sends requests to the servers of a cluster's dispatch policy, in threads of
/// its own until it is stopped.
#[pyclass(frozen, module = "thinktime._core")]
pub(crate) struct Switch {
    url: String,
    metrics: Option<SocketAddr>,
    control: Control,
    fixed: Fixed,
    stop: Arc<AtomicBool>,
    thread: Mutex<Option<JoinHandle<std::io::Result<SwitchTotals>>>>,
}

/// Requests that servers and that the switch answered; by server, its requests and failures; why
/// lines of the access log are missing.
type Done = (u64, u64, Vec<u64>, Vec<u64>, Option<String>);

#[pymethods]
impl Switch {
    /// Binds to `HOST:PORT`, port 0 for a free one, and forwards at once to servers of the form
    /// `http://HOST:PORT`. `identity` are the files of a certificate and its key, for TLS in front.
    /// The settings are limits and times, by name; missing ones have their defaults.
    #[new]
    #[pyo3(signature = (
        system, servers, listen, cluster, workload, seed, log, identity, metrics, settings
    ))]
    #[allow(clippy::too_many_arguments, reason = "they are Python's keyword arguments")]
    fn new(
        system: &System,
        servers: Vec<String>,
        listen: &str,
        cluster: Option<&str>,
        workload: Option<&Workload>,
        #[pyo3(from_py_with = seed_of)] seed: u64,
        log: Option<PathBuf>,
        identity: Option<(PathBuf, PathBuf)>,
        metrics: Option<&str>,
        settings: &Bound<'_, PyDict>,
    ) -> PyResult<Switch> {
        let options = SwitchOptions::new(settings)?;
        let cluster = cluster.map(str::to_owned);
        let fixed = Fixed { log: log.clone(), cluster, seed, probe: options.probe()? };
        let plan = fixed.plan(system, &servers, workload)?;
        let checks = options.checks()?;
        let tls = identity.map(|(certificate, key)| Tls::new(&Identity { certificate, key }));
        let tls = tls.transpose().map_err(|error| invalid(&error))?;
        let log = log.as_deref().map(opened).transpose()?;
        let (mut proxy, metrics) = bound(plan, listen, metrics, options.settings, (log, checks))?;
        let failed = |error| address_error(listen, &error);
        let address = proxy.address().map_err(failed)?;
        let scheme = if tls.is_some() { "https" } else { "http" };
        if let Some(tls) = tls {
            proxy = proxy.with_tls(tls);
        }
        let url = format!("{scheme}://{address}");
        let control = proxy.control();
        let stop = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&stop);
        let thread = std::thread::Builder::new().name("thinktime-switch".to_owned());
        let thread = thread.spawn(move || proxy.serve(&flag)).map_err(failed)?;
        let thread = Mutex::new(Some(thread));
        Ok(Switch { url, metrics, control, fixed, stop, thread })
    }

    /// `http://HOST:PORT`, or https.
    #[getter]
    fn url(&self) -> &str {
        &self.url
    }

    /// `http://HOST:PORT/metrics`, if metrics are served.
    #[getter]
    fn metrics_url(&self) -> Option<String> {
        self.metrics.map(|address| format!("http://{address}/metrics"))
    }

    /// Whether it still forwards.
    #[getter]
    fn running(&self) -> bool {
        let thread = self.thread.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        thread.as_ref().is_some_and(|thread| !thread.is_finished())
    }

    /// The events of servers since the last call, a line each.
    fn messages(&self) -> Vec<String> {
        self.control.transitions()
    }

    /// Places later requests by another system, with other servers and another workload, and opens
    /// the access log again.
    fn reload(
        &self,
        system: &System,
        servers: Vec<String>,
        workload: Option<&Workload>,
    ) -> PyResult<()> {
        let plan = self.fixed.plan(system, &servers, workload)?;
        let log = self.fixed.log.as_deref().map(opened).transpose()?;
        self.control.reload(plan).map_err(|error| invalid(&error))?;
        log.into_iter().for_each(|file| self.control.log_to(file));
        Ok(())
    }

    /// Ends the requests in progress, and stops; gives its counts. A second call gives None. A
    /// signal ends the waiting.
    fn stop(&self, py: Python<'_>) -> PyResult<Option<Done>> {
        if self.stop.swap(true, Ordering::Relaxed) {
            return Ok(None);
        }
        // Requests in progress may take their time: a second Ctrl-C does not wait for them.
        while self.running() {
            py.check_signals()?;
            py.detach(|| std::thread::sleep(Duration::from_millis(5)));
        }
        let thread = {
            let mut held = self.thread.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
            held.take()
        };
        let Some(thread) = thread else { return Ok(None) };
        match py.detach(|| thread.join()) {
            Ok(Ok(SwitchTotals { passed, refused, requests, failures, log_failure })) => {
                Ok(Some((passed, refused, requests, failures, log_failure)))
            }
            Ok(Err(error)) => {
                Err(RunError::new_err(format!("the switch failed: {}", words(error))))
            }
            Err(_) => Err(RunError::new_err("the switch's thread panicked")),
        }
    }
}

impl Drop for Switch {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}

/// The settings that stay when files are read again.
struct Fixed {
    /// The access log's file.
    log: Option<PathBuf>,
    cluster: Option<String>,
    seed: u64,
    /// The path at which servers report their load.
    probe: Option<CheckPath>,
}

impl Fixed {
    /// The cluster with its real servers.
    fn plan(
        &self,
        system: &System,
        servers: &[String],
        workload: Option<&Workload>,
    ) -> PyResult<Plan> {
        let servers: Result<Vec<Backend>, _> =
            servers.iter().map(|url| Backend::parse(url)).collect();
        let servers = servers.map_err(|error| invalid(&error))?;
        let workload = workload.map(|one| (&one.inner, one.files.named_by.as_str()));
        let (cluster, probe) = (self.cluster.as_deref(), self.probe.clone());
        let plan = Plan::new(&system.inner, cluster, workload, servers, probe, self.seed);
        plan.map_err(|error| invalid(&error))
    }
}

/// A proxy that listens at one address, and may serve metrics at another one.
fn bound(
    plan: Plan,
    listen: &str,
    metrics: Option<&str>,
    settings: Settings,
    (log, checks): (Option<File>, Option<Checks>),
) -> PyResult<(Proxy, Option<SocketAddr>)> {
    let address = address_of(listen)?;
    let metrics = metrics.map(|text| Ok::<_, PyErr>((text, address_of(text)?))).transpose()?;
    if metrics.is_some_and(|(_, other)| other == address && other.port() != 0) {
        return Err(InputError::new_err(format!(
            "the switch listens on {listen} itself: metrics need another port"
        )));
    }
    let mut proxy = Proxy::bind(plan, address, settings, log, checks)
        .map_err(|error| address_error(listen, &error))?;
    let served = |(text, at)| proxy.serve_metrics(at).map_err(|error| address_error(text, &error));
    let metrics = metrics.map(served).transpose()?;
    Ok((proxy, metrics))
}

/// The address written as `HOST:PORT`.
fn address_of(text: &str) -> PyResult<SocketAddr> {
    let address = text.to_socket_addrs().ok().and_then(|mut found| found.next());
    address.ok_or_else(|| InputError::new_err(format!("`{text}` is not of the form HOST:PORT")))
}

/// The file to which lines are appended.
fn opened(path: &Path) -> PyResult<File> {
    let opened = OpenOptions::new().create(true).append(true).open(path);
    opened.map_err(|error| InputError::new_err(format!("{}: {}", path.display(), words(error))))
}
