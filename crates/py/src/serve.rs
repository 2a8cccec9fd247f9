//! `Server`.

use std::net::{SocketAddr, ToSocketAddrs};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

use pyo3::prelude::*;
use thinktime_net::server::{self, Served};

use crate::errors::{InputError, RunError};
use crate::system::System;

/// A modelled system that serves HTTP/1.1 in a thread of its own until it is stopped.
#[pyclass(frozen, module = "thinktime._core")]
pub(crate) struct Server {
    address: SocketAddr,
    stop: Arc<AtomicBool>,
    thread: Mutex<Option<JoinHandle<std::io::Result<Served>>>>,
}

#[pymethods]
impl Server {
    /// Binds to `HOST:PORT`, port 0 for a free one, and serves at once.
    #[new]
    #[pyo3(signature = (system, listen = "127.0.0.1:0", seed = 1))]
    fn new(system: &System, listen: &str, seed: u64) -> PyResult<Server> {
        let address =
            listen.to_socket_addrs().ok().and_then(|mut found| found.next()).ok_or_else(|| {
                InputError::new_err(format!("`{listen}` is not of the form HOST:PORT"))
            })?;
        let failed = |error| RunError::new_err(format!("cannot listen on {listen}: {error}"));
        let server = server::Server::bind(&system.inner, address, seed).map_err(failed)?;
        let address = server.address().map_err(failed)?;
        let stop = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&stop);
        let thread = std::thread::Builder::new()
            .name("thinktime-serve".to_owned())
            .spawn(move || server.serve(&flag))
            .map_err(failed)?;
        Ok(Server { address, stop, thread: Mutex::new(Some(thread)) })
    }

    /// `http://HOST:PORT`.
    #[getter]
    fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Whether it still serves.
    #[getter]
    fn running(&self) -> bool {
        let thread = self.thread.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        thread.as_ref().is_some_and(|thread| !thread.is_finished())
    }

    /// Stops; gives the numbers of requests answered and refused. A second call gives None.
    fn stop(&self, py: Python<'_>) -> PyResult<Option<(u64, u64)>> {
        self.stop.store(true, Ordering::Relaxed);
        let thread = {
            let mut held = self.thread.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
            held.take()
        };
        let Some(thread) = thread else { return Ok(None) };
        match py.detach(|| thread.join()) {
            Ok(Ok(served)) => Ok(Some((served.requests, served.refused))),
            Ok(Err(error)) => Err(RunError::new_err(format!("the server failed: {error}"))),
            Err(_) => Err(RunError::new_err("the server's thread panicked")),
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}
