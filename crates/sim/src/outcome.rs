//! The outcome of a simulation, or its figures so far.

use thinktime_core::record::{
    Collector, RunProgress, Summary, pool_requests, pool_sessions, set_station_intervals,
};
use thinktime_core::statistics::{mean_interval_95, student_half_width_95};
use thinktime_core::system::SystemModel;
use thinktime_core::system::machine::Schedule;
use thinktime_core::workload::Workload;

use crate::driver::{Replication, Stall};
use crate::findings::Findings;
use crate::heavy_tail::HeavyTail;
use crate::node_figures::stations;
use crate::overload::Overload;
use crate::pilot::Warmup;
use crate::plan::Plan;
use crate::replications::JoinedReplications;
use crate::samples::Samples;

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

/// The figures of finished replications.
pub(crate) fn outcome(
    workload: &Workload,
    system: &SystemModel,
    plan: &Plan,
    warmup: Option<Warmup>,
    joined: JoinedReplications,
    interrupted: bool,
) -> SimulationOutcome {
    let mut summary = summary_of(workload, system, &joined);
    let Replication { collector, window, measured, checkpoints, stuck, .. } = joined.all;
    let samples = Samples::new(joined.nodes, checkpoints);
    let locked = stuck.as_ref().is_some_and(Stall::is_deadlock);
    let overload = (!locked).then(|| Overload::find(workload, system, &measured, &samples.nodes));
    let (given_up, stuck) = (stuck.is_some(), stuck.map(|stuck| stuck.to_string()));
    let visits = system.kind_visits(workload);
    let heavy_tail = HeavyTail::find(workload, &visits);
    match &heavy_tail {
        Some(tail) => leave_out_intervals(&mut summary, tail),
        None => set_intervals(&mut summary, workload, system, &samples),
    }
    let findings = Findings {
        workload,
        system,
        visits: &visits,
        heavy_tail: heavy_tail.as_ref(),
        overload: overload.as_ref().and_then(Option::as_ref),
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

/// The figures, but for the intervals of stations.
fn summary_of(workload: &Workload, system: &SystemModel, joined: &JoinedReplications) -> Summary {
    let JoinedReplications { all, duration_s, times, by_kind, sessions: lengths, rates, .. } =
        joined;
    let Replication { collector, window, measured, sessions, .. } = all;
    let mut summary = Summary::new("simulate", workload, collector, *window, *sessions);
    if times.len() > 1 {
        summary.pool_replications(*duration_s, times);
        summary.pool_rates(rates);
        pool_requests(&mut summary.by_request, workload, by_kind);
        pool_sessions(&mut summary, workload, lengths);
        summary.judge_objectives(workload, collector);
    }
    measured.add_to(&mut summary, system, workload);
    summary
}

/// Sets the intervals of the stations' figures.
fn set_intervals(
    summary: &mut Summary,
    workload: &Workload,
    system: &SystemModel,
    samples: &Samples,
) {
    let half_width = |values: &[f64]| match samples.independent {
        true => student_half_width_95(values),
        false => mean_interval_95(values).map(|one| one.half_width),
    };
    let measurements: Vec<_> = samples.nodes.iter().map(|one| stations(one, system)).collect();
    for at in 0..measurements.first().map_or(0, Vec::len) {
        let of_one: Vec<_> = measurements.iter().map(|one| &*one[at].1).collect();
        if let Some(figures) = summary.stations.get_mut(measurements[0][at].0) {
            set_station_intervals(figures, &of_one, workload, &half_width);
        }
    }
}

/// No interval of a mean holds if the variance of a response time is infinite. Counts of requests
/// have a finite variance as long as busy periods have one.
fn leave_out_intervals(summary: &mut Summary, tail: &HeavyTail) {
    if !tail.leaves_counts() {
        (summary.throughput_ci95, summary.error_share_ci95) = (None, None);
    }
    summary.response_time_s.ci95 = None;
    summary.service_time_s.ci95 = None;
    summary.by_request.values_mut().for_each(|one| one.response_time_s.ci95 = None);
    let sessions = summary.by_population.values_mut().map(|one| {
        one.response_time_s.ci95 = None;
        &mut one.session_time_s
    });
    let sessions = sessions.chain([&mut summary.session_time_s]);
    sessions.flatten().for_each(|times| times.ci95 = None);
}
