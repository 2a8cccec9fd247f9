//! A server that answers each request by burning its CPU demand in a thread, on the machine that
//! it runs on: what a request waits for is the real kernel's scheduler, and nothing is modelled.
//!
//! The inside: [`plan`] is what is to be done, `work` burns, `watch` waits for sockets, `engine`
//! serves one request, `threads` decides which thread does, `cores` confines them.
//!
//! As few user-space queues and locks as possible stand between the kernel and a request, for
//! they would be measured with it: each connection is armed for one event at a time, so that it
//! is one thread's alone, and lies in a place that is found by the number of its descriptor.

mod connection;
mod cores;
mod counters;
mod engine;
mod plan;
mod threads;
mod watch;
mod work;

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::sync::atomic::AtomicBool;

use engine::Engine;
use work::Speed;

pub use counters::BurnTotals;
pub use plan::{BurnPlan, THREADS_MAX, Threads};

/// A server that is bound to its port and calibrated, and does not serve yet.
#[derive(Debug)]
pub struct BurnServer {
    listener: TcpListener,
    plan: BurnPlan,
    speed: Speed,
}

impl BurnServer {
    /// Binds to an address, port 0 for a free one, and measures for some 50 ms on the plan's cores
    /// how fast work is done.
    ///
    /// # Errors
    /// When the address is taken or not this machine's, or the cores are refused.
    pub fn bind(plan: BurnPlan, address: SocketAddr) -> io::Result<BurnServer> {
        let listener = TcpListener::bind(address)?;
        listener.set_nonblocking(true)?;
        // In a thread of its own, because it is confined.
        let measured = std::thread::scope(|scope| {
            let thread = scope.spawn(|| plan.confine().map(|()| Speed::measure()));
            thread.join().unwrap_or_else(|_| Err(io::Error::other("the calibration panicked")))
        });
        Ok(BurnServer { listener, speed: measured?, plan })
    }

    /// Where it listens.
    ///
    /// # Errors
    /// When the operating system does not say.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// The calibration: how many work units a second one core does. A unit is one step of a chain
    /// of multiplications, each of which needs the one before. Long demands are measured out by the
    /// CPU clock, all but their last 50 ms; those, and short ones, by this alone.
    #[must_use]
    pub fn work_units_per_s(&self) -> f64 {
        self.speed.units_per_s()
    }

    /// Serves until `stop` is set, which is looked at twice a second; then cuts off what is
    /// still burning, and gives back only when all threads have ended. Confines the calling thread
    /// to the plan's cores, for good.
    ///
    /// # Errors
    /// When the operating system refuses what the server needs. What clients do wrong never ends
    /// it.
    pub fn serve(self, stop: &AtomicBool) -> io::Result<BurnTotals> {
        self.plan.confine()?;
        let engine = Engine::new(self.listener, self.plan, self.speed)?;
        threads::serve(&engine, stop)?;
        Ok(engine.totals())
    }
}
