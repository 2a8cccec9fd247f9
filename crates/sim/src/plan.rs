//! The simulations to run, and their length.

use thinktime_core::error::Invalid;
use thinktime_core::limit::Limit;
use thinktime_core::options::SimulateOptions;
use thinktime_core::record::check_precision;
use thinktime_core::workload::Workload;

use crate::driver::ProgressLimits;

/// Each has a summary of its own in memory.
const REPLICATIONS_MAX: u32 = 1_000_000;

/// The length and the number of simulations.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plan {
    /// The end of each replication, and the requests that count.
    pub limit: Limit,
    /// Whether the warm-up is the limit's, or to be found.
    pub warm_up: WarmUp,
    /// The number of independent replications, at least 1. They run on all cores.
    pub replications: u32,
    /// Stop as soon as the 95 % confidence interval of the mean response time is this narrow:
    /// its half-width as a share of the mean.
    pub precision: Option<f64>,
    /// The load that the workload was made for, if one was given.
    pub load: Option<f64>,
    /// The point at which it is given up because it makes no progress.
    pub progress: ProgressLimits,
    /// Whether rows are collected; the sink gets them in the order of replications.
    pub rows: bool,
}

/// The source of the warm-up's length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WarmUp {
    /// From the limit.
    Given,
    /// From pilot runs by the rule MSER-5; it then replaces the limit's.
    RemoteReplication,
}

impl Plan {
    /// One replication up to this limit, its warm-up included, with all rows.
    #[must_use]
    pub fn new(limit: Limit) -> Plan {
        Plan {
            limit,
            warm_up: WarmUp::Given,
            replications: 1,
            precision: None,
            load: None,
            progress: ProgressLimits::default(),
            rows: true,
        }
    }

    /// The plan of these options; load and seed are the workload's.
    ///
    /// # Errors
    /// When an option is wrong; the message names it.
    pub fn of(options: &SimulateOptions, workload: &Workload) -> Result<Plan, Invalid> {
        let found = options.finds_warmup(workload);
        Ok(Plan {
            warm_up: if found { WarmUp::RemoteReplication } else { WarmUp::Given },
            replications: options.replications(),
            precision: options.precision()?,
            load: options.load,
            ..Plan::new(options.limit(workload)?)
        })
    }

    /// Whether it is valid.
    pub(crate) fn check(&self) -> Result<(), Invalid> {
        if !(1..=REPLICATIONS_MAX).contains(&self.replications) {
            let message = format!("from 1 to {REPLICATIONS_MAX} replications are possible");
            return Err(Invalid::new(message));
        }
        if self.limit.warmup >= self.limit.until {
            return Err(Invalid::new("the warm-up must end before the duration does"));
        }
        match self.precision {
            Some(_) if self.replications > 1 => Err(Invalid::new(
                "a precision goes with one replication, which runs until it is reached",
            )),
            precision => check_precision(precision),
        }
    }
}
