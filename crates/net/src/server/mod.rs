//! A modelled system as a real HTTP/1.1 server: each response leaves when the model says so.
//!
//! The stations are the very code that is simulated; only the clock is the wall's. A request may
//! carry its own service demands in the header [`DEMAND_HEADER`]; else the server draws them.
//! [`burn`] is the server that models nothing: threads burn the demands, and the kernel schedules.

pub mod burn;
mod connection;
mod demands;
mod engine;
mod reading;

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::sync::atomic::{AtomicBool, Ordering};

use thinktime_core::system::SystemModel;

pub(crate) use demands::demand_value;
pub use demands::{DEMAND_HEADER, REQUEST_HEADER};
use engine::Engine;

/// The size of a response's body in bytes.
const BODY_BYTES: usize = 16;

/// A server that is bound to its port, and does not serve yet.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    system: SystemModel,
    seed: u64,
}

impl Server {
    /// Binds to an address; port 0 takes a free one.
    ///
    /// # Errors
    /// When the address is taken or not this machine's.
    pub fn bind(system: &SystemModel, address: SocketAddr, seed: u64) -> io::Result<Server> {
        let listener = TcpListener::bind(address)?;
        listener.set_nonblocking(true)?;
        Ok(Server { listener, system: system.clone(), seed })
    }

    /// Where it listens.
    ///
    /// # Errors
    /// When the operating system does not say.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Serves until `stop` is set; it is looked at twenty times a second.
    ///
    /// # Errors
    /// When the operating system refuses what the server needs. What clients do wrong never ends
    /// it.
    pub fn serve(self, stop: &AtomicBool) -> io::Result<Served> {
        let mut engine = Engine::new(self.listener, &self.system, self.seed)?;
        while !stop.load(Ordering::Relaxed) {
            engine.turn()?;
        }
        Ok(engine.served())
    }
}

/// What a server did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Served {
    /// Requests that were answered.
    pub requests: u64,
    /// Requests that were refused as malformed.
    pub refused: u64,
}

#[cfg(test)]
mod tests;
