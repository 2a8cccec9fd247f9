//! From the options of `simulate` to a plan, and what makes sense of it.

use thinktime_core::error::Invalid;
use thinktime_core::options::SimulateOptions;
use thinktime_core::workload::Workload;

use crate::{Plan, WarmUp};

impl Plan {
    /// The plan that these options make; load and seed are the workload's.
    ///
    /// # Errors
    /// When an option is wrong; the message names it.
    pub fn of(options: &SimulateOptions, workload: &Workload) -> Result<Plan, Invalid> {
        let found = options.finds_warmup(workload);
        Ok(Plan {
            limit: options.limit(workload)?,
            warm_up: if found { WarmUp::Found } else { WarmUp::Given },
            replications: options.replications(),
            precision: options.precision()?,
            rows: true,
        })
    }
}

pub(crate) fn check_plan(plan: &Plan) -> Result<(), Invalid> {
    if plan.replications == 0 {
        return Err(Invalid::new("at least 1 replication is needed"));
    }
    if plan.limit.warmup >= plan.limit.until {
        return Err(Invalid::new("the warm-up must end before the duration does"));
    }
    match plan.precision {
        Some(_) if plan.replications > 1 => Err(Invalid::new(
            "a precision goes with one replication, which runs until it is reached",
        )),
        Some(share) if !(share > 0.0 && share < 1.0) => {
            Err(Invalid::new("a precision lies between 0% and 100%, as in 1%"))
        }
        _ => Ok(()),
    }
}
