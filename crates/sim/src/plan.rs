//! What is simulated, and for how long: replications, precision, progress.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use rayon::prelude::*;
use thinktime_core::client::Limit;
use thinktime_core::error::Invalid;
use thinktime_core::random::{Purpose, Stream};
use thinktime_core::record::{Collector, Row, RowSink, Summary, half_width_95};
use thinktime_core::schema::SchemaError;
use thinktime_core::system::{StationSummary, SystemModel};
use thinktime_core::workload::Workload;
use thiserror::Error;

use crate::driver::{Driver, Replication};
use crate::load::{check_load, offered_load};

/// How long to simulate, and how often.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plan {
    /// When each replication ends, and which of its requests count.
    pub limit: Limit,
    /// The number of independent replications, at least 1. They run on all cores.
    pub replications: u32,
    /// Stop as soon as the 95 % confidence interval of the mean response time is this narrow:
    /// its half-width as a share of the mean.
    pub precision: Option<f64>,
    /// Whether rows are wanted; the sink gets them in the order of replications.
    pub rows: bool,
}

/// How far a simulation is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress {
    /// Requests that are over, in all replications.
    pub requests: u64,
    /// The virtual time of the replication that reports, in seconds.
    pub time_s: f64,
    /// Requests in its system.
    pub in_system: u64,
}

/// What the one who watches wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Control {
    /// Go on.
    Continue,
    /// End here, and keep what there is.
    Stop,
}

/// A finished simulation.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Its figures.
    pub summary: Summary,
    /// Everything collected, all replications together.
    pub collector: Collector,
    /// Whether it was stopped before its end.
    pub interrupted: bool,
}

/// Why there is no simulation.
#[derive(Clone, Debug, Error)]
pub enum SimulationError {
    /// Workload, system or plan do not fit together; the message says what would.
    #[error(transparent)]
    Invalid(#[from] Invalid),
    /// A changed workload cannot be built.
    #[error(transparent)]
    Schema(#[from] SchemaError),
    /// It was stopped before it had a result.
    #[error("interrupted")]
    Interrupted,
}

/// Events between two looks at the clock of progress.
const EVENTS_PER_LOOK: u64 = 1 << 15;
/// Requests between two checks of the precision, at first.
const REQUESTS_PER_CHECK: u64 = 1 << 16;

/// Simulates a workload on a system model.
///
/// Replication 0 has the workload's own seed, so that a real run with that seed can be compared
/// with it request by request; the others have seeds drawn from it.
///
/// # Errors
/// When the system cannot serve the workload's requests, or its load is 1 or more and no time
/// limit is given.
pub fn simulate(
    workload: &Workload,
    system: &SystemModel,
    plan: &Plan,
    sink: &mut impl RowSink,
    watch: &(dyn Fn(Progress) -> Control + Sync),
) -> Result<Outcome, SimulationError> {
    system.check_requests(workload)?;
    check_load(workload, system, &plan.limit)?;
    check_plan(plan)?;
    let shared = Shared { stopped: AtomicBool::new(false), requests: AtomicU64::new(0), watch };
    let replications: Vec<Replication> = if plan.replications == 1 {
        vec![replicate(workload, system, plan, 0, sink, &shared)]
    } else {
        let one = |number: u32| {
            let mut rows: Vec<Row> = Vec::new();
            let done = if plan.rows {
                replicate(workload, system, plan, number, &mut rows, &shared)
            } else {
                replicate(workload, system, plan, number, &mut (), &shared)
            };
            (done, rows)
        };
        let all: Vec<_> = (0..plan.replications).into_par_iter().map(one).collect();
        let keep = |(done, rows): (Replication, Vec<Row>)| {
            rows.iter().for_each(|row| sink.row(row));
            done
        };
        all.into_iter().map(keep).collect()
    };
    let interrupted = shared.stopped.load(Ordering::Relaxed);
    Ok(outcome(workload, system, plan, replications, interrupted))
}

fn check_plan(plan: &Plan) -> Result<(), Invalid> {
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

/// What all replications share.
struct Shared<'a> {
    stopped: AtomicBool,
    requests: AtomicU64,
    watch: &'a (dyn Fn(Progress) -> Control + Sync),
}

fn replicate<S: RowSink>(
    workload: &Workload,
    system: &SystemModel,
    plan: &Plan,
    number: u32,
    sink: &mut S,
    shared: &Shared<'_>,
) -> Replication {
    let seeded = replication_of(workload, number);
    let mut driver = Driver::new(&seeded, system, plan.limit, number, sink);
    let (mut seen, mut next_check) = (0, REQUESTS_PER_CHECK);
    while driver.proceed(EVENTS_PER_LOOK) {
        let requests = driver.collector().requests();
        let total = shared.requests.fetch_add(requests - seen, Ordering::Relaxed) + requests - seen;
        seen = requests;
        if let Some(precision) = plan.precision
            && requests >= next_check
        {
            next_check += next_check / 8;
            if is_precise(driver.collector(), precision) {
                driver.cut_short();
            }
        }
        let progress = Progress {
            requests: total,
            time_s: driver.now.as_secs_f64(),
            in_system: driver.in_system(),
        };
        if (shared.watch)(progress) == Control::Stop {
            shared.stopped.store(true, Ordering::Relaxed);
        }
        if shared.stopped.load(Ordering::Relaxed) {
            driver.cut_short();
            break;
        }
    }
    driver.finish()
}

/// The workload with the replication's seed.
fn replication_of(workload: &Workload, number: u32) -> Workload {
    let seed = || Stream::new(workload.seed, number.into(), Purpose::Replication).bits();
    if number == 0 { workload.clone() } else { workload.with_seed(seed()) }
}

fn is_precise(collector: &Collector, precision: f64) -> bool {
    collector.mean_and_half_width().is_some_and(|(mean, half)| half <= precision * mean)
}

fn outcome(
    workload: &Workload,
    system: &SystemModel,
    plan: &Plan,
    replications: Vec<Replication>,
    interrupted: bool,
) -> Outcome {
    let means: Vec<f64> =
        replications.iter().filter_map(|one| one.collector.all_responses().mean_s()).collect();
    let count = replications.len() as f64;
    let sessions = replications.iter().map(|one| one.sessions).sum();
    let duration_s: f64 = replications.iter().map(|one| one.window.duration_s()).sum();
    let stations = average_stations(&replications);
    let window = replications[0].window;
    let mut all = replications.into_iter().map(|one| one.collector);
    let mut collector = all.next().expect("there is at least one replication");
    all.for_each(|other| collector.merge(&other));

    let mut summary = Summary::new("simulate", workload, &collector, window, sessions);
    if count > 1.0 {
        summary.pool_replications(duration_s, half_width_95(&means));
    }
    for (model, station) in system.stations.iter().zip(&stations) {
        summary.add_station(&model.name, station);
    }
    summary.warnings.extend(warnings(workload, system, plan, &summary, interrupted));
    Outcome { summary, collector, interrupted }
}

/// Time averages over all replications, each weighted by its length.
fn average_stations(replications: &[Replication]) -> Vec<StationSummary> {
    let mut average = replications[0].stations.clone();
    for (at, station) in average.iter_mut().enumerate() {
        for other in &replications[1..] {
            station.join(&other.stations[at]);
        }
    }
    average
}

fn warnings(
    workload: &Workload,
    system: &SystemModel,
    plan: &Plan,
    summary: &Summary,
    interrupted: bool,
) -> Vec<String> {
    let mut warnings = Vec::new();
    if interrupted {
        warnings.push("interrupted: the figures are those up to then".to_owned());
    }
    if let Some(load) = offered_load(workload, system)
        && load >= 1.0
    {
        warnings.push(format!(
            "the offered load is {load:.3}: the queue grows without bound, and all times depend \
             on how long the run was"
        ));
    }
    if let (Some(precision), false) = (plan.precision, interrupted) {
        let times = &summary.response_time_s;
        if let (Some(mean), Some(half)) = (times.mean, times.ci95)
            && half > precision * mean
        {
            warnings.push(format!(
                "the precision of {:.2} % was not reached: the half-width is {:.2} %",
                precision * 100.0,
                half / mean * 100.0
            ));
        }
    }
    if summary.errors > 0 {
        warnings.push(format!(
            "{} of {} requests failed; their times are in no distribution",
            summary.errors, summary.requests
        ));
    }
    warnings
}
