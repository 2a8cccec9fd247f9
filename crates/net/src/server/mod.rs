//! A modelled system as a real HTTP/1.1 server: the model decides when each response leaves.
//!
//! The stations are the simulated code itself; only the clock is the wall clock. A request may
//! carry its own service demands in the header [`DEMAND_HEADER`]; else the server draws them.
//! [`burn`] is the server without a model: threads burn the demands, and the kernel schedules.

mod arrivals;
pub mod burn;
mod completions;
mod connection;
mod demands;
mod engine;
pub mod files;
mod reading;
mod request_kinds;
mod sending;
mod served_demands;
mod token_requests;
mod totals;

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::sync::atomic::{AtomicBool, Ordering};

use thinktime_core::error::Invalid;
use thinktime_core::system::SystemModel;
use thinktime_core::time::Nanos;
use thinktime_core::workload::Workload;

use demands::Kinds;
pub use demands::{DEMAND_HEADER, REQUEST_HEADER, TOKENS_HEADER};
pub(crate) use demands::{demand_value, tokens_value};
use engine::Engine;
use served_demands::ServedDemands;
pub use totals::{Lateness, ServeTotals, TokenTotals};

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
    check_tokens(&Kinds::new(system, workload))?;
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

/// Refuses requests that would be given their tokens twice.
fn check_tokens(kinds: &Kinds) -> Result<(), Invalid> {
    let names = kinds.names();
    let twice = (0..).zip(&names).find(|(kind, _)| kinds.token_visits(*kind) > 1);
    let Some((_, name)) = twice else { return Ok(()) };
    let requests = match name.is_empty() {
        true => "requests".to_owned(),
        false => format!("requests named `{name}`"),
    };
    Err(Invalid::new(format!(
        "{requests} visit more than one server of tokens, and would be given their tokens twice: \
         say by a [[behaviour]] which one they `use`"
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

    /// Serves until `stop` is set, which is checked twenty times a second. Gives what it did, and
    /// what its servers of tokens did, if it has any.
    ///
    /// # Errors
    /// If the operating system refuses a necessary call. No client error ends the server.
    pub fn serve(self, stop: &AtomicBool) -> io::Result<(ServeTotals, Option<TokenTotals>)> {
        let kinds = Kinds::new(&self.system, self.workload.as_ref());
        let demands = ServedDemands::new(kinds, self.seed);
        let mut engine = Engine::new(self.listener, &self.system, demands, self.seed)?;
        engine.server_timing = self.server_timing;
        while !stop.load(Ordering::Relaxed) {
            engine.turn()?;
        }
        Ok((engine.served, engine.token_totals(&self.system)))
    }
}

/// The value of `Server-Timing` for this demand, in milliseconds.
fn server_timing(demand: Nanos) -> String {
    format!("demand;dur={}.{:06}", demand.0 / 1_000_000, demand.0 % 1_000_000)
}

#[cfg(test)]
mod tests;
