//! A modelled system as a real HTTP/1.1 server: the model decides when each response leaves.
//!
//! The stations are the simulated code itself; only the clock is the wall clock. A request may
//! carry its own service demands in the header [`DEMAND_HEADER`]; else the server draws them.
//! [`burn`] is the server without a model: threads burn the demands, and the kernel schedules.

pub mod burn;
mod connection;
mod demands;
mod engine;
pub mod files;
mod reading;
mod request_kinds;
mod sending;

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::sync::atomic::{AtomicBool, Ordering};

use thinktime_core::error::Invalid;
use thinktime_core::system::SystemModel;
use thinktime_core::time::Nanos;
use thinktime_core::workload::Workload;

pub(crate) use demands::demand_value;
pub use demands::{DEMAND_HEADER, REQUEST_HEADER};
use demands::{Kinds, ServedDemands};
use engine::Engine;

/// A request for this path bypasses the model: the response reports how busy the server is.
pub const PROBE_PATH: &str = "/thinktime/probe";

/// The default size of a response's body in bytes, if the workload gives none.
const BODY_BYTES: usize = 16;

/// A server that is bound to its port and does not serve yet.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    system: SystemModel,
    workload: Option<Workload>,
    seed: u64,
    server_timing: bool,
}

/// Checks that a system can be served: to requests of any kind, or to those of a workload, whose
/// responses have its sizes.
///
/// # Errors
/// If system and workload do not fit together, or demands depend on sizes and there is no workload.
pub fn check(system: &SystemModel, workload: Option<&Workload>) -> Result<(), Invalid> {
    check_tokens(system)?;
    if let Some(workload) = workload {
        return system.check_requests(workload);
    }
    if let Some(cluster) = system.clusters().find(|cluster| cluster.cache.is_some()) {
        return Err(Invalid::new(format!(
            "the caches of the cluster `{}` depend on the size of responses: give the workload \
             with the sizes (--workload FILE)",
            cluster.name
        )));
    }
    let kinds = Kinds::new(system, None);
    if let Some(link) = kinds.response_link() {
        return Err(Invalid::new(format!(
            "the times of the link `{}` depend on the size of responses: give the workload with \
             the sizes (--workload FILE)",
            system.nodes[link].name()
        )));
    }
    let Some(entrance) = kinds.needs_size() else { return Ok(()) };
    Err(Invalid::new(format!(
        "the demand at `{}` depends on the size of responses: give the workload with the sizes \
         (--workload FILE)",
        system.entrances[entrance.0 as usize].name
    )))
}

/// Refuses servers of tokens.
fn check_tokens(system: &SystemModel) -> Result<(), Invalid> {
    let Some(server) = system.token_servers().next() else { return Ok(()) };
    Err(Invalid::new(format!(
        "`{}` is a server of tokens, which can only be simulated: responses that stream its tokens \
         are not served",
        server.name
    )))
}

impl Server {
    /// Binds to an address; port 0 takes a free one. `workload` says how large responses are; see
    /// [`check`].
    ///
    /// # Errors
    /// If the address is taken or not this machine's.
    pub fn bind(
        system: &SystemModel,
        workload: Option<&Workload>,
        address: SocketAddr,
        seed: u64,
    ) -> io::Result<Server> {
        let listener = TcpListener::bind(address)?;
        listener.set_nonblocking(true)?;
        let (system, workload) = (system.clone(), workload.cloned());
        Ok(Server { listener, system, workload, seed, server_timing: false })
    }

    /// The same; if `told`, each success reports its total demand, in a header such as
    /// `Server-Timing: demand;dur=12.5`.
    #[must_use]
    pub fn with_server_timing(self, told: bool) -> Server {
        Server { server_timing: told, ..self }
    }

    /// The address on which it listens.
    ///
    /// # Errors
    /// If the operating system does not report it.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Serves until `stop` is set, which is checked twenty times a second.
    ///
    /// # Errors
    /// If the operating system refuses a necessary call. No client error ends the server.
    pub fn serve(self, stop: &AtomicBool) -> io::Result<ServeTotals> {
        let kinds = Kinds::new(&self.system, self.workload.as_ref());
        let demands = ServedDemands::new(kinds, self.seed);
        let mut engine = Engine::new(self.listener, &self.system, demands, self.seed)?;
        engine.server_timing = self.server_timing;
        while !stop.load(Ordering::Relaxed) {
            engine.turn()?;
        }
        Ok(engine.totals())
    }
}

/// The value of `Server-Timing` for this demand, in milliseconds.
fn server_timing(demand: Nanos) -> String {
    format!("demand;dur={}.{:06}", demand.0 / 1_000_000, demand.0 % 1_000_000)
}

/// The work of a server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ServeTotals {
    /// Requests that were answered.
    pub requests: u64,
    /// Requests that were refused as malformed.
    pub refused: u64,
}

#[cfg(test)]
mod tests;
