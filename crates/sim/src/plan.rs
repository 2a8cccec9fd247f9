//! What is simulated, and for how long: replications, precision, progress.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use rayon::prelude::*;
use thinktime_core::client::Limit;
use thinktime_core::error::Invalid;
use thinktime_core::random::{Purpose, Stream};
use thinktime_core::record::{Collector, Row, RowSink, Summary, Tally, Timeline};
use thinktime_core::schema::SchemaError;
use thinktime_core::system::SystemModel;
use thinktime_core::system::machine::Schedule;
use thinktime_core::time::Nanos;
use thinktime_core::workload::Workload;
use thiserror::Error;

use crate::driver::{Driver, Replication};
use crate::findings::Findings;
use crate::load::check_load;
use crate::modelled::Measured;
use crate::pilot::{Warmup, find_warmup};

/// How long to simulate, and how often.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plan {
    /// When each replication ends, and which of its requests count.
    pub limit: Limit,
    /// Whether the warm-up is the limit's, or looked for.
    pub warm_up: WarmUp,
    /// The number of independent replications, at least 1. They run on all cores.
    pub replications: u32,
    /// Stop as soon as the 95 % confidence interval of the mean response time is this narrow:
    /// its half-width as a share of the mean.
    pub precision: Option<f64>,
    /// Whether rows are wanted; the sink gets them in the order of replications.
    pub rows: bool,
}

/// Where the length of the warm-up comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WarmUp {
    /// From the limit.
    Given,
    /// From pilot runs by the rule MSER-5; it then replaces the limit's.
    Found,
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
    /// The first turns of the cores of the first replication's machines.
    pub schedule: Schedule,
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
    let (plan, warmup) = &with_warmup(workload, system, plan, watch)?;
    let replications: Vec<Replication> = if plan.replications == 1 && !plan.rows {
        vec![replicate(workload, system, plan, 0, &mut (), &shared)]
    } else if plan.replications == 1 {
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
    Ok(outcome(workload, system, plan, *warmup, replications, interrupted))
}

/// The plan with its warm-up looked for, where it is to be.
fn with_warmup(
    workload: &Workload,
    system: &SystemModel,
    plan: &Plan,
    watch: &(dyn Fn(Progress) -> Control + Sync),
) -> Result<(Plan, Option<Warmup>), SimulationError> {
    if plan.warm_up == WarmUp::Given {
        return Ok((*plan, None));
    }
    let nothing_yet = Progress { requests: 0, time_s: 0.0, in_system: 0 };
    let go_on = || watch(nothing_yet) == Control::Continue;
    let most = (plan.limit.requests / 4).clamp(1_000, 1_280_000).min(plan.limit.requests);
    let warmup = find_warmup(workload, system, most, &go_on).ok_or(SimulationError::Interrupted)?;
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

/// The timeline's interval: a second, or less where the run is short.
fn interval_of(workload: &Workload, limit: &Limit) -> Nanos {
    let expected_s = workload
        .request_rate()
        .map_or(f64::INFINITY, |rate| limit.requests as f64 / rate + limit.warmup.as_secs_f64());
    Timeline::interval_for(limit.until.min(Nanos::from_secs_f64(expected_s)))
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
    let interval = interval_of(workload, &plan.limit);
    let mut driver = Driver::new(&seeded, system, plan.limit, number, sink, interval);
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
    warmup: Option<Warmup>,
    replications: Vec<Replication>,
    interrupted: bool,
) -> Outcome {
    let sessions = replications.iter().map(|one| one.sessions).sum();
    let duration_s: f64 = replications.iter().map(|one| one.window.duration_s()).sum();
    let measured = Measured::average(&replications);
    let window = replications[0].window;
    let times: Vec<Tally> = match replications.len() {
        1 => Vec::new(),
        _ => replications.iter().map(|one| one.collector.all_responses()).collect(),
    };
    let mut all = replications.into_iter().map(|one| one.collector);
    let mut collector = all.next().expect("there is at least one replication");
    all.for_each(|other| collector.merge(&other));

    let mut summary = Summary::new("simulate", workload, &collector, window, sessions);
    if times.len() > 1 {
        summary.pool_replications(duration_s, &times);
    }
    measured.add_to(&mut summary, system);
    let collector_of = &collector;
    let findings =
        Findings { workload, system, plan, collector: collector_of, window, warmup, interrupted };
    let (notes, warnings) = (findings.notes(&summary), findings.warnings(&summary));
    summary.notes.extend(notes);
    summary.warnings.extend(warnings);
    Outcome { summary, collector, schedule: measured.schedule, interrupted }
}
