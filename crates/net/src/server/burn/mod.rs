//! A server that answers each request by burning its CPU demand in a thread, on its own machine:
//! requests wait for the real kernel's scheduler, and nothing is modelled.
//!
//! The inside: [`plan`] is the work to do, `work` burns, `watch` waits for sockets, `engine` serves
//! one request, `threads` decides which thread does, `cores` confines them, and `control_group`
//! limits their CPU time.
//!
//! As few user-space queues and locks as possible lie between the kernel and a request, since they
//! would be measured with it. Each connection is armed for one event at a time, so that it belongs
//! to one thread alone, and is stored under the number of its descriptor.

mod connection;
mod control_group;
mod cores;
mod counters;
mod engine;
mod plan;
mod threads;
mod watch;
mod work;

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use engine::Engine;
use work::Speed;

pub use control_group::{ControlGroup, CpuStat};
pub use counters::BurnTotals;
pub use plan::{BurnPlan, THREADS_MAX, Threads};

/// A server that is bound to its port and calibrated, and does not serve yet.
#[derive(Debug)]
pub struct BurnServer {
    listener: TcpListener,
    plan: BurnPlan,
    speed: Speed,
    group: Option<Arc<ControlGroup>>,
}

impl BurnServer {
    /// Binds to an address, port 0 for a free one, and measures the speed of work for some 50 ms on
    /// the plan's cores. Its threads will belong to the group, if there is one: the plan's
    /// [`BurnPlan::control_group`].
    ///
    /// # Errors
    /// If the address is taken or not this machine's, or the cores are refused.
    pub fn bind(
        plan: BurnPlan,
        group: Option<Arc<ControlGroup>>,
        address: SocketAddr,
    ) -> io::Result<BurnServer> {
        let listener = TcpListener::bind(address)?;
        listener.set_nonblocking(true)?;
        // In a thread of its own, because it is confined.
        let measured = std::thread::scope(|scope| {
            let thread = scope.spawn(|| plan.confine().map(|()| Speed::measure()));
            thread.join().unwrap_or_else(|_| Err(io::Error::other("the calibration panicked")))
        });
        Ok(BurnServer { listener, speed: measured?, plan, group })
    }

    /// The address on which it listens.
    ///
    /// # Errors
    /// If the operating system does not report it.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// The calibration: the work units per second of one core. A unit is one step of a chain of
    /// multiplications, each of which needs the one before. Long demands are measured by the CPU
    /// clock, all but their last 50 ms; those, and short ones, by this number alone.
    #[must_use]
    pub fn work_units_per_s(&self) -> f64 {
        self.speed.units_per_s()
    }

    /// Serves until `stop` is set, which is checked twice a second. It then cuts off burning
    /// requests, and returns only when all threads have ended. Confines the calling thread to the
    /// plan's cores, for good. The control group ends with it.
    ///
    /// # Errors
    /// If the operating system refuses a necessary call. No client error ends the server.
    pub fn serve(self, stop: &AtomicBool) -> io::Result<BurnTotals> {
        self.plan.confine()?;
        let engine = Engine::new(self.listener, self.plan, self.speed)?;
        let Some(group) = self.group else {
            threads::serve(&engine, stop)?;
            return Ok(engine.totals());
        };
        let served = group.enter().and_then(|()| threads::serve(&engine, stop));
        let stat = group.close();
        served?;
        Ok(BurnTotals { limit: Some(stat?), ..engine.totals() })
    }
}
