//! The load generator: a workload against a real server, on the wall clock.
//!
//! One event loop or several, each in a thread of its own; no thread a client. Each turn of a loop
//! sends all that is due, then handles all that has come, then sleeps until the next wish or
//! socket. Every request keeps its scheduled time, so what the loop itself delays is measured as
//! lateness and never mistaken for the server's time.

mod answering;
mod connection;
mod connector;
mod cookies;
mod ends;
mod engine;
mod exchange;
mod failure;
mod http1;
mod http2;
mod judge;
mod ledger;
mod limits;
mod loops;
mod messages;
mod messenger;
mod pool;
mod reading;
mod redirects;
mod requests;
mod source;
mod stamped;
mod target;
mod tls;
mod transport;
mod unverified;
mod waiting;

use std::io;

use thinktime_core::client::{Limit, Share};
use thinktime_core::error::Invalid;
use thinktime_core::program::Report;
use thinktime_core::record::{Collector, GeneratorFigures, RowSink, Summary, Window};
use thinktime_core::system::SystemModel;
use thinktime_core::time::Nanos;
use thinktime_core::workload::Workload;
use thiserror::Error;

use connector::Connector;
use engine::Engine;
use ledger::Book;
pub use source::SourceAddress;
pub use target::{Scheme, Target};
pub use tls::TlsOptions;

use crate::poller::Clock;

/// The interval of the timeline.
const SECOND: Nanos = Nanos(1_000_000_000);

/// What is run, and for how long.
#[derive(Clone, Debug)]
pub struct Plan {
    /// When the run ends, and which of its requests count.
    pub limit: Limit,
    /// How long to wait, after the last request was begun, for responses to come.
    pub drain: Nanos,
    /// The system whose service demands the requests carry along, drawn as a simulation with the
    /// same seed would draw them; for a target that is `thinktime serve`.
    pub demands: Option<SystemModel>,
    /// How much later than scheduled requests may be sent in order to wake more rarely, which
    /// costs less CPU time; 0 for as punctual as the kernel allows.
    pub precision: Nanos,
    /// How many event loops there are, each in a thread of its own with its share of the sessions.
    pub loops: u32,
}

/// How far a run is.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Progress {
    /// Requests that are over.
    pub requests: u64,
    /// Wall-clock time since the start, in seconds.
    pub time_s: f64,
    /// Requests on their way.
    pub in_flight: u64,
    /// Attempts that failed.
    pub failures: u64,
}

/// A finished run.
#[derive(Debug)]
pub struct Outcome {
    /// Its figures.
    pub summary: Summary,
    /// Everything collected.
    pub collector: Collector,
    /// Whether it was stopped before its end.
    pub interrupted: bool,
    /// Why the result is not to be trusted, if it is not.
    pub untrusted: Option<String>,
}

/// Why there is no run.
#[derive(Debug, Error)]
pub enum RunError {
    /// Workload, target or plan are wrong; the message says what would be right.
    #[error(transparent)]
    Invalid(#[from] Invalid),
    /// The target cannot be reached at all.
    #[error("{url} cannot be reached: {error}")]
    Unreachable {
        /// The target.
        url: String,
        /// What the operating system says.
        error: io::Error,
    },
    /// The operating system refuses what the generator needs.
    #[error("the generator failed: {0}")]
    System(#[from] io::Error),
}

/// Runs a workload against a target. `watch` is called about ten times a second with the progress,
/// and ends the run by saying `false`.
///
/// # Errors
/// When the plan makes no sense, or the target cannot be reached at the start. What goes wrong
/// later is counted, and never ends the run.
pub fn run(
    workload: &Workload,
    target: &Target,
    plan: &Plan,
    sink: &mut impl RowSink,
    watch: &mut dyn FnMut(Progress) -> bool,
) -> Result<Outcome, RunError> {
    if plan.limit.warmup >= plan.limit.until {
        return Err(Invalid::new("the warm-up must end before the duration does").into());
    }
    if let Some(system) = &plan.demands {
        system.check_requests(workload)?;
    }
    messages::check(workload, target, plan.demands.is_some())?;
    loops::check(workload, plan)?;
    let connector = || Connector::new(target, workload.clients.connections, workload.seed);
    let first = connector()?;
    // Nobody says whether datagrams arrive.
    if target.scheme != Scheme::Udp {
        std::net::TcpStream::connect_timeout(&target.address, std::time::Duration::from_secs(5))
            .map_err(|error| RunError::Unreachable { url: target.url.clone(), error })?;
    }
    raise_descriptor_limit();
    let book = Book::new(Collector::new(workload.requests.len(), plan.limit, true, SECOND), sink);
    let (done, mut collector) = if plan.loops == 1 {
        let engine = Engine::new(workload, target, plan, first, Share::WHOLE, book)?;
        let (done, book) = engine.run(Clock::start(), watch)?;
        (done, book.collector)
    } else {
        loops::run(workload, target, plan, book, watch)?
    };
    collector.set_report(done.report);
    let mut summary = Summary::new("run", workload, &collector, done.window, done.sessions);
    summary.generator = Some(done.generator);
    let untrusted = judge::judge(&mut summary, done.interrupted, done.in_flight);
    Ok(Outcome { summary, collector, interrupted: done.interrupted, untrusted })
}

/// What a run gives.
struct Done {
    report: Option<Report>,
    window: Window,
    sessions: u64,
    interrupted: bool,
    in_flight: u64,
    generator: GeneratorFigures,
}

/// Lets the process open as many sockets as it may.
fn raise_descriptor_limit() {
    use rustix::process::{Resource, getrlimit, setrlimit};
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    // If it is refused, the old limit holds, and running out of descriptors is counted.
    setrlimit(Resource::Nofile, limit).ok();
}
