//! The load of several populations together: the rates of those that have one are scaled, all by
//! the same factor; if none has one, the think times are.

use thinktime_core::error::Invalid;
use thinktime_core::system::SystemModel;
use thinktime_core::workload::{Population, Workload, WorkloadFiles};

use super::{Goal, NO_LONG_RUN, ROUGH, offered_load};
use crate::failure::SimulationError;

/// The smallest factor by which rates are scaled.
const SLOWEST: f64 = 1e-4;
/// The factor by which rates are raised, at most [`FASTER_MAX`] times.
const FASTER: f64 = 1.2;
const FASTER_MAX: u32 = 8;

/// The workload at a load of its busiest station or machine.
///
/// # Errors
/// When the load cannot be reached, or a population has no rate in the long run.
pub(super) fn at_load(
    workload: &Workload,
    system: &SystemModel,
    (load, requests): (f64, u64),
    files: &dyn WorkloadFiles,
    go_on: &dyn Fn() -> bool,
) -> Result<Workload, SimulationError> {
    let all = &workload.populations;
    let factor = |one: &Population| one.arrivals().map(|arrivals| arrivals.mean_factor());
    if all.iter().any(|one| factor(one) == Some(0.0)) {
        return Err(Invalid::new(NO_LONG_RUN).into());
    }
    if let Some(now) = offered_load(workload, system) {
        return Ok(workload.with_rates_scaled(load / now, files)?);
    }
    if all.iter().any(|one| one.arrivals().is_some() && one.request_rate().is_none()) {
        return Err(Invalid::new(UNKNOWN).into());
    }
    if all.iter().all(|one| one.clients().is_some()) {
        return at_load_closed(workload, system, (load, requests), go_on);
    }
    at_load_beside_closed(workload, system, (load, requests), files, go_on)
}

/// For open populations together with closed ones.
fn at_load_beside_closed(
    workload: &Workload,
    system: &SystemModel,
    (load, requests): (f64, u64),
    files: &dyn WorkloadFiles,
    go_on: &dyn Fn() -> bool,
) -> Result<Workload, SimulationError> {
    let all = &workload.populations;
    // At this factor the open populations alone bring the load; closed clients add to that.
    let rates: Vec<f64> = all.iter().map(|one| one.request_rate().unwrap_or(0.0)).collect();
    let fastest = load / system.bottleneck_load(workload, &rates);
    let scaled = |slower: f64| Ok(workload.with_rates_scaled(1.0 / slower, files)?);
    let goal = Goal { scaled: &scaled, system, load, requests, go_on };
    let (mut least, most) = (1.0 / fastest, 1.0 / (fastest * SLOWEST));
    let alone = goal.load_at(most, ROUGH)?;
    if alone > load {
        return Err(Invalid::new(format!(
            "the closed populations bring the system to a load of {alone:.3} by themselves, more \
             than the {load} that is wanted: give them fewer clients or longer think times"
        ))
        .into());
    }
    // The closed ones may add so little that chance brings less than the load at this factor.
    for _ in 0..FASTER_MAX {
        let reachable = goal.load_at(least, ROUGH)?;
        if reachable > load {
            return goal.search(least, most, reachable);
        }
        least /= FASTER;
    }
    Err(Invalid::new(format!(
        "no rate was found that brings the system to a load of {load}: the load changes too much \
         from one simulation to the next"
    ))
    .into())
}

/// For closed populations only.
fn at_load_closed(
    workload: &Workload,
    system: &SystemModel,
    (load, requests): (f64, u64),
    go_on: &dyn Fn() -> bool,
) -> Result<Workload, SimulationError> {
    let think = |one: &Population| one.think().map_or(0.0, |think| think.mean());
    if workload.populations.iter().any(|one| !(think(one) > 0.0 && think(one).is_finite())) {
        return Err(Invalid::new(
            "to reach a load, each closed population needs a think time with a positive, finite \
             mean, whose shape is kept: as in think = \"exp(1s)\"",
        )
        .into());
    }
    // X <= N / Z, so that this is more than the load at the factor 1.
    let number = |one: &Population| one.clients().unwrap_or(0) as f64 / think(one);
    let rates: Vec<f64> = workload.populations.iter().map(number).collect();
    let most = system.bottleneck_load(workload, &rates) / load;
    let least = 1e-6 * most;
    let scaled = |factor| Ok(workload.with_think_scaled(factor)?);
    let goal = Goal { scaled: &scaled, system, load, requests, go_on };
    let reachable = goal.load_at(least, ROUGH)?;
    if reachable < load {
        return Err(Invalid::new(format!(
            "the clients cannot bring the system to a load of {load}: even without thinking they \
             reach only {reachable:.3}"
        ))
        .into());
    }
    goal.search(least, most, reachable)
}

pub(super) const UNKNOWN: &str = "the number of requests of a session depends on response times, \
                                  or on what it has already, so the load is not known beforehand: \
                                  leave the load out, and give `arrivals.rate`";
