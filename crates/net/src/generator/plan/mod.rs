//! The settings of a run, its progress, and its outcome.

use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::net::SocketAddr;

use serde::{Deserialize, Serialize};
use thinktime_core::error::Invalid;
use thinktime_core::limit::Limit;
use thinktime_core::options::run::{DRAIN, RunOptions};
use thinktime_core::program::Report;
use thinktime_core::record::{
    Collector, GeneratorFigures, ObjectiveOutOfReach, Summary, Window, check_precision,
};
use thinktime_core::statistics::Tally;
use thinktime_core::system::SystemModel;
use thinktime_core::time::Nanos;
use thinktime_core::workload::Workload;
use thiserror::Error;

/// The settings and the length of a run.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The end of the run, and which of its requests count.
    pub limit: Limit,
    /// No further request begins once the mean response time is known to this precision: the
    /// half-width of its 95 % interval as a share of it.
    pub precision: Option<f64>,
    /// How long to wait for responses after the last request was begun.
    pub drain: Nanos,
    /// The system whose service demands the requests carry, drawn as in a simulation with the same
    /// seed; for a target that is `thinktime serve`.
    pub demands: Option<SystemModel>,
    /// The extra lateness allowed for requests in order to wake more rarely, which costs less CPU
    /// time; 0 for as punctual as the kernel allows.
    pub lateness: Nanos,
    /// The number of event loops, each in a thread of its own with its share of the sessions.
    pub loops: u32,
    /// Whether to end the run once the workload's objectives certainly cannot be met.
    pub stop_on_slo: bool,
    /// The name of the run for the server of shared variables, common to all its generators; a
    /// random one by default.
    pub run: Option<String>,
    /// Whether the beginning of the first body of each kind of failure is kept.
    pub show_errors: bool,
}

impl Plan {
    /// A plan with this end, as punctual as the kernel allows, in one event loop; other settings by
    /// Rust's syntax, as in `Plan { loops: 2, ..Plan::new(limit) }`.
    #[must_use]
    pub fn new(limit: Limit) -> Plan {
        Plan {
            limit,
            precision: None,
            drain: DRAIN,
            demands: None,
            lateness: Nanos::ZERO,
            loops: 1,
            stop_on_slo: false,
            run: None,
            show_errors: false,
        }
    }

    /// # Errors
    /// If it makes no sense for this workload.
    pub(crate) fn check(&self, workload: &Workload) -> Result<(), Invalid> {
        if self.limit.warmup >= self.limit.until {
            return Err(Invalid::new("the warm-up must end before the duration does"));
        }
        check_precision(self.precision)?;
        if let Some(system) = &self.demands {
            system.check_requests(workload)?;
        }
        workload.check_start()
    }

    /// The plan with these options. `demands` is a system whose demands the requests carry.
    ///
    /// # Errors
    /// If an option is wrong; the message names it.
    pub fn of(
        options: &RunOptions,
        workload: &Workload,
        demands: Option<SystemModel>,
    ) -> Result<Plan, Invalid> {
        Ok(Plan {
            limit: options.limit(workload)?,
            precision: options.precision()?,
            drain: options.drain()?,
            demands,
            lateness: options.lateness()?,
            loops: options.loops(),
            stop_on_slo: options.stop_on_slo == Some(true),
            run: None,
            show_errors: options.show_errors == Some(true),
        })
    }
}

/// The progress of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RunProgress {
    /// Requests that have ended.
    pub requests: u64,
    /// Wall-clock time since the start, in seconds.
    pub time_s: f64,
    /// Requests under way.
    pub in_flight: u64,
    /// Attempts that failed.
    pub failures: u64,
    /// Sessions that have begun.
    pub sessions: u64,
    /// Requests that count and have begun.
    pub begun: u64,
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// As it was planned.
    Planned,
    /// The watcher stopped it.
    Interrupted,
    /// An objective could no longer be met.
    OutOfReach(ObjectiveOutOfReach),
    /// A part of the load is missing, for this reason.
    LoadLost(String),
}

/// A finished run.
#[derive(Debug)]
pub struct RunOutcome {
    /// Its figures.
    pub summary: Summary,
    /// Everything collected.
    pub collector: Collector,
    /// How it ended.
    pub ending: Ending,
    /// Why the result is not to be trusted, if so.
    pub untrusted: Option<String>,
}

/// Why there is no run.
#[derive(Debug, Error)]
pub enum RunError {
    /// Workload, target or plan are wrong; the message gives the valid form.
    #[error(transparent)]
    Invalid(#[from] Invalid),
    /// The target cannot be reached at all.
    #[error("{url} cannot be reached: {error}")]
    Unreachable {
        /// The target.
        url: String,
        /// The operating system's error.
        error: io::Error,
    },
    /// The operating system refuses a necessary call.
    #[error("the generator failed: {0}")]
    System(#[from] io::Error),
}

/// The result of a run.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct LoopOutcome {
    pub(crate) report: Option<Report>,
    pub(crate) window: Window,
    pub(crate) sessions: u64,
    pub(crate) interrupted: bool,
    /// Why a part of the load is missing, if so.
    pub(crate) load_lost: Option<String>,
    pub(crate) in_flight: u64,
    /// Responses that clients saw only in part.
    pub(crate) bodies_cut: u64,
    /// By population, how long its sessions lasted.
    pub(crate) session_times: Vec<Tally>,
    /// By kind of request, the times between the events of streamed responses.
    pub(crate) event_gaps: Vec<Tally>,
    /// If the target has several addresses: by address, the connections that were tried.
    pub(crate) tries: BTreeMap<SocketAddr, ConnectionCounts>,
    pub(crate) generator: GeneratorFigures,
}

/// The connections to an address that were opened, or could not be.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(crate) struct ConnectionCounts {
    /// Those over which a response came.
    pub(crate) answered: u64,
    /// Those that were never open.
    pub(crate) failed: u64,
}

impl fmt::Display for ConnectionCounts {
    /// What the address did, as in `took none of 3 connections`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ConnectionCounts { answered, failed } = *self;
        match answered {
            0 => write!(f, "took none of {failed} connections"),
            _ => write!(f, "did not take {failed} of {} connections", answered + failed),
        }
    }
}

impl LoopOutcome {
    /// The outcome of a run without any.
    pub(crate) fn nothing() -> LoopOutcome {
        LoopOutcome {
            report: None,
            window: Window { begin: Nanos::ZERO, end: Nanos::ZERO },
            sessions: 0,
            interrupted: false,
            load_lost: None,
            in_flight: 0,
            bodies_cut: 0,
            session_times: Vec::new(),
            event_gaps: Vec::new(),
            tries: BTreeMap::new(),
            generator: GeneratorFigures::default(),
        }
    }
}
