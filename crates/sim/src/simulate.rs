//! A simulation from its plan to its outcome.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use thinktime_core::error::Invalid;
use thinktime_core::limit::Limit;
use thinktime_core::record::RowSink;
use thinktime_core::system::SystemModel;
use thinktime_core::workload::Workload;

use crate::failure::SimulationError;
use crate::load::check_load;
use crate::outcome::{SimulationOutcome, outcome};
use crate::pilot::{Warmup, find_warmup};
use crate::plan::{Plan, WarmUp};
use crate::progress::{Control, SimulationProgress};
use crate::remote::RemoteReplications;
use crate::replication::{Shared, gather_all, replicate, replicate_all};
use crate::replications::{JoinedReplications, NoRows};
use crate::turns::check_turns;

/// Simulates a workload on a system model.
///
/// Replication 0 has the workload's own seed, so that its requests can be compared one by one with
/// a real run of that seed; the others have seeds drawn from it.
///
/// # Errors
/// When the system cannot serve the workload's requests, or its load is 1 or more and no time
/// limit is given.
pub fn simulate(
    workload: &Workload,
    system: &SystemModel,
    plan: &Plan,
    sink: &mut (dyn RowSink + Send),
    watch: &(dyn Fn(SimulationProgress) -> Control + Sync),
) -> Result<SimulationOutcome, SimulationError> {
    simulate_with(workload, system, plan, sink, watch, None)
}

/// As [`simulate`]; several replications are done `elsewhere`, if that is given.
///
/// # Errors
/// As [`simulate`], and when a result from elsewhere is not a replication.
pub fn simulate_with(
    workload: &Workload,
    system: &SystemModel,
    plan: &Plan,
    sink: &mut (dyn RowSink + Send),
    watch: &(dyn Fn(SimulationProgress) -> Control + Sync),
    elsewhere: Option<&mut dyn RemoteReplications>,
) -> Result<SimulationOutcome, SimulationError> {
    system.check_requests(workload)?;
    workload.check_start()?;
    check_load(workload, system, &plan.limit)?;
    check_turns(system, &workload.requests)?;
    plan.check()?;
    let (plan, warmup) = &with_warmup(workload, system, plan, watch)?;
    let (stopped, requests) = (AtomicBool::new(false), AtomicU64::new(0));
    let shared = Shared { stopped, requests, watch, warmup: *warmup };
    let joined = if let (2.., Some(elsewhere)) = (plan.replications, elsewhere) {
        gather_all(workload, system, plan, sink, &shared, elsewhere)?
    } else if plan.replications > 1 {
        replicate_all(workload, system, plan, sink, &shared)
    } else if plan.rows {
        JoinedReplications::one(replicate(workload, system, plan, 0, sink, &shared))
    } else {
        JoinedReplications::one(replicate(workload, system, plan, 0, &mut NoRows(sink), &shared))
    };
    let interrupted = shared.stopped.load(Ordering::Relaxed);
    Ok(outcome(workload, system, plan, *warmup, joined, interrupted))
}

/// The plan with its warm-up found, if it is to be found.
fn with_warmup(
    workload: &Workload,
    system: &SystemModel,
    plan: &Plan,
    watch: &(dyn Fn(SimulationProgress) -> Control + Sync),
) -> Result<(Plan, Option<Warmup>), SimulationError> {
    if plan.warm_up == WarmUp::Given {
        return Ok((*plan, None));
    }
    let nothing_yet = SimulationProgress { requests: 0, time_s: 0.0, in_system: 0 };
    let go_on = || watch(nothing_yet) == Control::Continue;
    let most = (plan.limit.requests / 4).clamp(1_000, 1_280_000).min(plan.limit.requests);
    let warmup = find_warmup(workload, system, most, plan.progress, &go_on);
    let warmup = warmup.ok_or(SimulationError::Interrupted)?;
    let limit = Limit { warmup: warmup.end(), ..plan.limit };
    if limit.warmup >= limit.until {
        return Err(Invalid::new(format!(
            "the warm-up lasts {}, longer than the whole run: give a longer duration, or \
             --warmup 0s to see the start itself",
            limit.warmup
        ))
        .into());
    }
    Ok((Plan { limit, ..*plan }, Some(warmup)))
}
