//! The load of several populations together.

use thinktime_core::error::Invalid;
use thinktime_core::files::Files;
use thinktime_core::system::SystemModel;
use thinktime_core::workload::{Population, Workload};

use super::{NO_LONG_RUN, offered_load};
use crate::simulate::SimulationError;

const CLOSED: &str = "a closed population has no rate that the load could be set by, and what it \
                      adds depends on how slow the others make the system: leave the load out, or \
                      give all populations a rate";

/// The workload with all rates scaled so that the busiest station or machine has this load.
///
/// # Errors
/// When a population is closed, or has no load in the long run.
pub(super) fn at_load(
    workload: &Workload,
    system: &SystemModel,
    load: f64,
    files: &dyn Files,
) -> Result<Workload, SimulationError> {
    let factor = |one: &Population| one.arrivals().map(|arrivals| arrivals.mean_factor());
    if workload.populations.iter().any(|one| factor(one) == Some(0.0)) {
        return Err(Invalid::new(NO_LONG_RUN).into());
    }
    match offered_load(workload, system) {
        None => Err(Invalid::new(CLOSED).into()),
        Some(now) => Ok(workload.with_rates_scaled(load / now, files)?),
    }
}
