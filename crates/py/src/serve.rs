//! `Server`.

use std::net::{SocketAddr, ToSocketAddrs};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

use pyo3::prelude::*;
use thinktime_core::error::Invalid;
use thinktime_core::units::parse_transfer_rate;
use thinktime_net::server;
use thinktime_net::server::TokenTotals;
use thinktime_net::server::burn::{
    BurnPlan, BurnServer, BurnTotals, ControlGroup, CpuStat, Threads,
};
use thinktime_net::server::files::{FileServer, LinkClass, Order, Sending};

use crate::errors::{InputError, RunError, address_error, invalid, words};
use crate::parameters::seed_of;
use crate::python_values::plain;
use crate::system::System;
use crate::workload::Workload;

/// A system that serves HTTP/1.1 in threads of its own until it is stopped.
#[pyclass(frozen, module = "thinktime._core")]
pub(crate) struct Server {
    address: SocketAddr,
    work_units_per_s: Option<f64>,
    /// Of a burning server with a CPU limit.
    group: Option<Arc<ControlGroup>>,
    stop: Arc<AtomicBool>,
    thread: Mutex<Option<Serving>>,
}

type Serving = JoinHandle<std::io::Result<Done>>;

/// Periods, throttled ones, and throttled seconds.
type Throttled = (u64, u64, f64);

/// Requests answered and refused, for burning servers the CPU time demanded and used, in seconds,
/// and what their limit did; and what servers of tokens did.
type Done = (u64, u64, Option<(f64, f64)>, Option<Throttled>, Option<TokenTotals>);

/// The same for Python.
type PyDone<'py> = (u64, u64, Option<(f64, f64)>, Option<Throttled>, Option<Bound<'py, PyAny>>);

#[pymethods]
impl Server {
    /// Binds to `HOST:PORT`, port 0 for a free one, and serves at once: a model, or by burning. A
    /// workload gives the sizes of responses. With `server_timing` successes report their demands.
    #[new]
    #[pyo3(signature = (
        system,
        listen = "127.0.0.1:0",
        seed = 1,
        burn = false,
        threads = None,
        cores = None,
        workload = None,
        server_timing = false,
        cpu_limit = None
    ))]
    #[allow(clippy::too_many_arguments, reason = "they are Python's keyword arguments")]
    fn new(
        system: &System,
        listen: &str,
        #[pyo3(from_py_with = seed_of)] seed: u64,
        burn: bool,
        threads: Option<&str>,
        cores: Option<Vec<usize>>,
        workload: Option<&Workload>,
        server_timing: bool,
        cpu_limit: Option<&str>,
    ) -> PyResult<Server> {
        let address = address_of(listen)?;
        let failed = |error| address_error(listen, &error);
        if burn {
            if workload.is_some() {
                return Err(InputError::new_err("workload does not go with burn"));
            }
            let threads = threads.map(threads_from).transpose().map_err(|e| invalid(&e))?;
            let plan = BurnPlan::new(&system.inner, threads, &cores.unwrap_or_default(), seed);
            let plan = plan.map_err(|error| invalid(&error))?.with_server_timing(server_timing);
            return Server::of_plan(plan, cpu_limit, address, failed);
        }
        if threads.is_some() || cores.is_some() {
            return Err(InputError::new_err("threads and cores go with burn only"));
        }
        if cpu_limit.is_some() {
            return Err(InputError::new_err(
                "cpu_limit goes with burn only: to model one, give the machine of the system a \
                 cpu_limit",
            ));
        }
        let workload = workload.map(|workload| &workload.inner);
        server::check(&system.inner, workload).map_err(|error| invalid(&error))?;
        let server =
            server::Server::bind(&system.inner, workload, address, seed).map_err(failed)?;
        let server = server.with_server_timing(server_timing);
        let address = server.address().map_err(failed)?;
        let serve = move |stop: &AtomicBool| server.serve(stop).map(modelled);
        Server::start(address, None, serve).map_err(failed)
    }

    /// Serves the files of a folder: in this order (`fair` or `srpt`), no faster than a rate such
    /// as `1.2MB/s`, and in eight classes of the link from one such as `1:10` on.
    #[staticmethod]
    #[pyo3(signature = (
        folder,
        listen = "127.0.0.1:0",
        order = "fair",
        rate = None,
        link_class = None
    ))]
    fn of_files(
        folder: PathBuf,
        listen: &str,
        order: &str,
        rate: Option<&str>,
        link_class: Option<&str>,
    ) -> PyResult<Server> {
        let read = || -> Result<Sending, Invalid> {
            Ok(Sending {
                order: Order::parse(order)?,
                bytes_per_s: rate.map(parse_transfer_rate).transpose()?,
                link_class: link_class.map(LinkClass::parse).transpose()?,
            })
        };
        let sending = read().map_err(|error| invalid(&error))?;
        let address = address_of(listen)?;
        let failed = |error| address_error(listen, &error);
        let server = FileServer::bind(&folder, sending, address).map_err(failed)?;
        let address = server.address().map_err(failed)?;
        Server::start(address, None, move |stop| server.serve(stop).map(totals)).map_err(failed)
    }

    /// `http://HOST:PORT`.
    #[getter]
    fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The calibration of a burning server.
    #[getter]
    fn work_units_per_s(&self) -> Option<f64> {
        self.work_units_per_s
    }

    /// What the CPU limit of a burning server has done so far; None without one, and after its end.
    #[getter]
    fn throttled(&self) -> Option<Throttled> {
        self.group.as_ref()?.stat().ok().map(throttled)
    }

    /// Whether it still serves.
    #[getter]
    fn running(&self) -> bool {
        let thread = self.thread.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        thread.as_ref().is_some_and(|thread| !thread.is_finished())
    }

    /// Stops; gives the numbers of requests answered and refused, the CPU time of a burning server,
    /// and the figures of servers of tokens. A second call gives None.
    fn stop<'py>(&self, py: Python<'py>) -> PyResult<Option<PyDone<'py>>> {
        self.stop.store(true, Ordering::Relaxed);
        let thread = {
            let mut held = self.thread.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
            held.take()
        };
        let Some(thread) = thread else { return Ok(None) };
        match py.detach(|| thread.join()) {
            Ok(Ok((answered, refused, cpu, throttled, tokens))) => {
                let tokens = tokens.map(|tokens| plain(py, &tokens)).transpose()?;
                Ok(Some((answered, refused, cpu, throttled, tokens)))
            }
            Ok(Err(error)) => {
                Err(RunError::new_err(format!("the server failed: {}", words(error))))
            }
            Err(_) => Err(RunError::new_err("the server's thread panicked")),
        }
    }
}

impl Server {
    /// A burning server; `failed` makes an error of what kept it from listening.
    fn of_plan(
        plan: BurnPlan,
        cpu_limit: Option<&str>,
        address: SocketAddr,
        failed: impl Fn(std::io::Error) -> PyErr,
    ) -> PyResult<Server> {
        let plan = match cpu_limit {
            Some(cores) => plan.with_cpu_limit(cores).map_err(|error| invalid(&error))?,
            None => plan,
        };
        let group = plan.control_group().map_err(|error| {
            RunError::new_err(format!(
                "the CPU time of the server cannot be limited: {}",
                words(error)
            ))
        })?;
        let server = BurnServer::bind(plan, group.clone(), address).map_err(&failed)?;
        let (address, speed) = (server.address().map_err(&failed)?, server.work_units_per_s());
        let serve = |stop: &AtomicBool| server.serve(stop).map(burned);
        let mut server = Server::start(address, Some(speed), serve).map_err(&failed)?;
        server.group = group;
        Ok(server)
    }

    /// Lets it serve in a thread.
    fn start(
        address: SocketAddr,
        work_units_per_s: Option<f64>,
        serve: impl FnOnce(&AtomicBool) -> std::io::Result<Done> + Send + 'static,
    ) -> std::io::Result<Server> {
        let stop = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&stop);
        let thread = std::thread::Builder::new()
            .name("thinktime-serve".to_owned())
            .spawn(move || serve(&flag))?;
        let thread = Mutex::new(Some(thread));
        Ok(Server { address, work_units_per_s, group: None, stop, thread })
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}

fn address_of(listen: &str) -> PyResult<SocketAddr> {
    let found = listen.to_socket_addrs().ok().and_then(|mut found| found.next());
    found.ok_or_else(|| InputError::new_err(format!("`{listen}` is not of the form HOST:PORT")))
}

fn modelled((done, tokens): (server::ServeTotals, Option<TokenTotals>)) -> Done {
    (done.requests, done.refused, None, None, tokens)
}

fn totals(done: server::ServeTotals) -> Done {
    (done.requests, done.refused, None, None, None)
}

fn burned(done: BurnTotals) -> Done {
    let BurnTotals { requests, refused, demanded, used, limit } = done;
    let cpu = (demanded.as_secs_f64(), used.as_secs_f64());
    (requests, refused, Some(cpu), limit.map(throttled), None)
}

fn throttled(stat: CpuStat) -> Throttled {
    (stat.periods, stat.throttled_periods, stat.throttled.as_secs_f64())
}

fn threads_from(text: &str) -> Result<Threads, Invalid> {
    if text == "per-request" {
        return Ok(Threads::PerRequest);
    }
    text.parse().map(Threads::Pool).map_err(|_| {
        Invalid::new(format!("threads are `per-request` or the size of a pool, not `{text}`"))
    })
}
