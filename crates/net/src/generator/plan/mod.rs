//! What is run, how far it is, and what comes of it.

use std::io;

use serde::{Deserialize, Serialize};
use thinktime_core::error::Invalid;
use thinktime_core::limit::Limit;
use thinktime_core::options::run::{DRAIN, RunOptions};
use thinktime_core::program::Report;
use thinktime_core::record::{Collector, GeneratorFigures, Lost, Summary, Window};
use thinktime_core::system::SystemModel;
use thinktime_core::time::Nanos;
use thinktime_core::workload::Workload;
use thiserror::Error;

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
    pub lateness: Nanos,
    /// How many event loops there are, each in a thread of its own with its share of the sessions.
    pub loops: u32,
    /// Whether to end the run when it is certain that the workload's objectives cannot be met.
    pub stop_on_slo: bool,
    /// The name of the run for the server of shared variables, which all its generators have in
    /// common; a random one by default.
    pub run: Option<String>,
    /// Whether the beginning of the first body is kept of each kind of failure.
    pub show_errors: bool,
}

impl Plan {
    /// A plan that ends so, as punctual as the kernel allows, in one event loop; for everything
    /// else there is what Rust has, as in `Plan { loops: 2, ..Plan::new(limit) }`.
    #[must_use]
    pub fn new(limit: Limit) -> Plan {
        Plan {
            limit,
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
    /// When it makes no sense for this workload.
    pub(crate) fn check(&self, workload: &Workload) -> Result<(), Invalid> {
        if self.limit.warmup >= self.limit.until {
            return Err(Invalid::new("the warm-up must end before the duration does"));
        }
        if let Some(system) = &self.demands {
            system.check_requests(workload)?;
        }
        workload.check_start()
    }

    /// The plan that these options make. `demands` is a system whose demands the requests carry.
    ///
    /// # Errors
    /// When an option is wrong; the message names it.
    pub fn of(
        options: &RunOptions,
        workload: &Workload,
        demands: Option<SystemModel>,
    ) -> Result<Plan, Invalid> {
        Ok(Plan {
            limit: options.limit(workload)?,
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

/// How far a run is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RunProgress {
    /// Requests that are over.
    pub requests: u64,
    /// Wall-clock time since the start, in seconds.
    pub time_s: f64,
    /// Requests on their way.
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
    /// The one who watched stopped it.
    Interrupted,
    /// An objective could no longer be met.
    OutOfReach(Lost),
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

/// What a run gives.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct LoopOutcome {
    pub(crate) report: Option<Report>,
    pub(crate) window: Window,
    pub(crate) sessions: u64,
    pub(crate) interrupted: bool,
    /// Why a part of the load is missing, if one is.
    pub(crate) load_lost: Option<String>,
    pub(crate) in_flight: u64,
    /// Responses of which clients saw a part only.
    pub(crate) bodies_cut: u64,
    pub(crate) generator: GeneratorFigures,
}

impl LoopOutcome {
    /// Of a run of which there is nothing.
    pub(crate) fn nothing() -> LoopOutcome {
        LoopOutcome {
            report: None,
            window: Window { begin: Nanos::ZERO, end: Nanos::ZERO },
            sessions: 0,
            interrupted: false,
            load_lost: None,
            in_flight: 0,
            bodies_cut: 0,
            generator: GeneratorFigures::default(),
        }
    }
}
