//! A simulation from its plan to its outcome: replications, progress, figures.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use thinktime_core::error::Invalid;
use thinktime_core::limit::Limit;
use thinktime_core::record::{Collector, RowSink, RunProgress, Summary};
use thinktime_core::schema::SchemaError;
use thinktime_core::system::SystemModel;
use thinktime_core::system::machine::Schedule;
use thinktime_core::workload::Workload;
use thiserror::Error;

use crate::driver::Replication;
use crate::findings::Findings;
use crate::load::check_load;
use crate::pilot::{Warmup, find_warmup};
use crate::plan::{Plan, WarmUp};
use crate::remote::RemoteReplications;
use crate::replicating::{Shared, gather_all, replicate, replicate_all};
use crate::replications::{JoinedReplications, NoRows};
use crate::turns::check_turns;

/// The progress of a simulation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SimulationProgress {
    /// Requests that are over, in all replications.
    pub requests: u64,
    /// The virtual time of the replication that reports, in seconds.
    pub time_s: f64,
    /// Requests in its system.
    pub in_system: u64,
}

/// The watcher's decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Control {
    /// Continue.
    Continue,
    /// End here, and keep the result so far.
    Stop,
}

/// A finished simulation.
#[derive(Clone, Debug)]
pub struct SimulationOutcome {
    /// Its figures.
    pub summary: Summary,
    /// Everything collected, all replications together.
    pub collector: Collector,
    /// The first turns of the cores of the first replication's machines.
    pub schedule: Schedule,
    /// Whether it was stopped before its end.
    pub interrupted: bool,
    /// Why the result is unreliable, if it is.
    pub untrusted: Option<String>,
}

/// Why a simulation failed.
#[derive(Clone, Debug, Error)]
pub enum SimulationError {
    /// Workload, system or plan do not fit together; the message gives a remedy.
    #[error(transparent)]
    Invalid(#[from] Invalid),
    /// A changed workload cannot be built.
    #[error(transparent)]
    Schema(#[from] SchemaError),
    /// It was stopped before it had a result.
    #[error("interrupted")]
    Interrupted,
}

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
    sink: &mut (impl RowSink + Send),
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
    sink: &mut (impl RowSink + Send),
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

/// The figures of a simulation that has not ended.
pub(crate) fn so_far(
    workload: &Workload,
    system: &SystemModel,
    plan: &Plan,
    warmup: Option<Warmup>,
    joined: JoinedReplications,
) -> RunProgress {
    let done = outcome(workload, system, plan, warmup, joined, true);
    RunProgress { summary: done.summary, collector: done.collector }
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

fn outcome(
    workload: &Workload,
    system: &SystemModel,
    plan: &Plan,
    warmup: Option<Warmup>,
    joined: JoinedReplications,
    interrupted: bool,
) -> SimulationOutcome {
    let JoinedReplications { all, duration_s, times } = joined;
    let Replication { collector, window, measured, sessions, stuck } = all;
    let (given_up, stuck) = (stuck.is_some(), stuck.map(|stuck| stuck.to_string()));
    let mut summary = Summary::new("simulate", workload, &collector, window, sessions);
    if times.len() > 1 {
        summary.pool_replications(duration_s, &times);
        summary.judge_objectives(workload, &collector);
    }
    measured.add_to(&mut summary, system);
    let findings = Findings {
        workload,
        system,
        plan,
        collector: &collector,
        window,
        warmup,
        interrupted,
        given_up,
    };
    let (notes, warnings) = (findings.notes(&summary), findings.warnings(&summary));
    let untrusted = findings.spoils(&summary);
    summary.notes.extend(notes);
    summary.warnings.extend(stuck.iter().cloned().chain(warnings));
    let untrusted = stuck.or(untrusted);
    SimulationOutcome { summary, collector, schedule: measured.schedule, interrupted, untrusted }
}
