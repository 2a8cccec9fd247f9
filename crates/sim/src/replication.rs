//! Replications: one, all on this machine's cores, or gathered from elsewhere.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;
use thinktime_core::error::Invalid;
use thinktime_core::limit::Limit;
use thinktime_core::random::{Purpose, Stream};
use thinktime_core::record::{Row, RowSink, StopRule, Timeline};
use thinktime_core::system::SystemModel;
use thinktime_core::time::Nanos;
use thinktime_core::workload::Workload;

use crate::driver::{Replication, Setup, begin};
use crate::failure::SimulationError;
use crate::outcome::so_far;
use crate::pilot::Warmup;
use crate::plan::Plan;
use crate::progress::{Control, SimulationProgress};
use crate::remote::{RemoteReplication, RemoteReplications};
use crate::replications::{InOrder, JoinedReplications};

/// Events between two looks at the clock of progress.
const EVENTS_PER_LOOK: u64 = 1 << 15;

/// The common input of all replications.
pub(crate) struct Shared<'a> {
    pub(crate) stopped: AtomicBool,
    pub(crate) requests: AtomicU64,
    pub(crate) watch: &'a (dyn Fn(SimulationProgress) -> Control + Sync),
    pub(crate) warmup: Option<Warmup>,
}

/// One replication.
pub(crate) fn replicate(
    workload: &Workload,
    system: &SystemModel,
    plan: &Plan,
    number: u32,
    sink: &mut dyn RowSink,
    shared: &Shared<'_>,
) -> Replication {
    let seeded = replication_of(workload, number);
    let mut driver = begin(&setup(&seeded, system, plan, number), sink);
    let (mut seen, mut stop) = (0, StopRule::of_simulation(plan.precision));
    while driver.proceed(EVENTS_PER_LOOK) {
        let requests = driver.collector().requests();
        let total = shared.requests.fetch_add(requests - seen, Ordering::Relaxed) + requests - seen;
        seen = requests;
        if stop.is_precise(driver.collector(), driver.now()) {
            driver.cut_short();
        }
        let progress = SimulationProgress {
            requests: total,
            time_s: driver.now().as_secs_f64(),
            in_system: driver.in_system(),
        };
        if (shared.watch)(progress) == Control::Stop {
            shared.stopped.store(true, Ordering::Relaxed);
        }
        if shared.stopped.load(Ordering::Relaxed) {
            driver.cut_short();
            break;
        }
        driver.look(&|one| {
            so_far(workload, system, plan, shared.warmup, JoinedReplications::one(one))
        });
    }
    driver.finish()
}

/// The input of a replication, whose workload has its seed already.
fn setup<'a>(
    workload: &'a Workload,
    model: &'a SystemModel,
    plan: &Plan,
    number: u32,
) -> Setup<'a> {
    let &Plan { limit, progress, replications, .. } = plan;
    let interval = interval_of(workload, &limit);
    // Several replications keep none: their own means give the intervals.
    let checkpoints = replications == 1;
    Setup { workload, model, limit, progress, number, interval, checkpoints }
}

/// The workload with the replication's seed.
fn replication_of(workload: &Workload, number: u32) -> Workload {
    let seed = || Stream::new(workload.seed, number.into(), Purpose::Replication).bits();
    if number == 0 { workload.clone() } else { workload.with_seed(seed()) }
}

/// The timeline's interval: a second, or less if the run is short.
fn interval_of(workload: &Workload, limit: &Limit) -> Nanos {
    let expected_s = workload
        .request_rate()
        .map_or(f64::INFINITY, |rate| limit.requests as f64 / rate + limit.warmup.as_secs_f64());
    Timeline::interval_for(limit.until.min(Nanos::from_secs_f64(expected_s)))
}

/// All replications, on all cores.
pub(crate) fn replicate_all(
    workload: &Workload,
    system: &SystemModel,
    plan: &Plan,
    sink: &mut (dyn RowSink + Send),
    shared: &Shared<'_>,
) -> JoinedReplications {
    let in_order = Mutex::new(InOrder::new(sink));
    (0..plan.replications).into_par_iter().for_each(|number: u32| {
        let mut rows: Vec<Row> = Vec::new();
        let done = if plan.rows {
            replicate(workload, system, plan, number, &mut rows, shared)
        } else {
            replicate(workload, system, plan, number, &mut (), shared)
        };
        let figures = |joined| so_far(workload, system, plan, shared.warmup, joined);
        in_order.lock().unwrap_or_else(PoisonError::into_inner).take(number, (done, rows), figures);
    });
    let done = in_order.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.end().expect("there is at least one replication")
}

/// All replications, as they come back from elsewhere.
pub(crate) fn gather_all(
    workload: &Workload,
    system: &SystemModel,
    plan: &Plan,
    sink: &mut (dyn RowSink + Send),
    shared: &Shared<'_>,
    elsewhere: &mut dyn RemoteReplications,
) -> Result<JoinedReplications, SimulationError> {
    let mut in_order = InOrder::new(sink);
    let mut progress = SimulationProgress { requests: 0, time_s: 0.0, in_system: 0 };
    let figures = |joined| so_far(workload, system, plan, shared.warmup, joined);
    elsewhere.begin(plan.limit.warmup, plan.rows);
    loop {
        match elsewhere.next() {
            RemoteReplication::Done(number, bytes) => {
                progress.requests += in_order.take_bytes(number, &bytes, figures)?;
            }
            RemoteReplication::NothingYet => {}
            RemoteReplication::End => break,
        }
        if (shared.watch)(progress) == Control::Stop {
            shared.stopped.store(true, Ordering::Relaxed);
            break;
        }
    }
    in_order.end().ok_or(SimulationError::Interrupted)
}

/// One of the replications of a plan with a known warm-up, as bytes for the process that merges
/// them.
///
/// # Errors
/// When they cannot be written.
pub fn replicate_as_bytes(
    workload: &Workload,
    system: &SystemModel,
    plan: &Plan,
    number: u32,
) -> Result<Vec<u8>, Invalid> {
    let (stopped, requests) = (AtomicBool::new(false), AtomicU64::new(0));
    let shared = Shared { stopped, requests, watch: &|_| Control::Continue, warmup: None };
    let mut rows: Vec<Row> = Vec::new();
    let done = if plan.rows {
        replicate(workload, system, plan, number, &mut rows, &shared)
    } else {
        replicate(workload, system, plan, number, &mut (), &shared)
    };
    postcard::to_stdvec(&(done, rows)).map_err(|error| Invalid::new(error.to_string()))
}

#[cfg(test)]
mod tests {
    use thinktime_core::files::NoFiles;
    use thinktime_core::schema::Source;

    use super::*;
    use crate::simulate::simulate;

    /// 10^12 bytes in segments of one byte are 15 million rounds. The watcher is asked after the
    /// first 2^24 segments, which are 256 rounds of full windows, and some of slow start.
    #[test]
    fn who_watches_is_asked_in_the_middle_of_a_huge_transfer() {
        let text = "name = 'w'\n[arrivals]\nmodel = 'closed'\nclients = 1\n\
                    [session]\nthink = '1ms'\n\
                    [[request]]\nname = 'a'\nget = '/a'\nsize = 1000000000000";
        let workload = Workload::parse(Source { file: "", text }, &NoFiles).unwrap();
        let text = "name = 's'\n[[station]]\nname = 'web'\ndemand = 0\n\
                    [[link]]\nname = 'wan'\ndelay = '10ms'\nsegment = '1B'";
        let system = SystemModel::parse(Source { file: "", text }, &NoFiles).unwrap();
        let limit = Limit { requests: 1, until: Nanos::MAX, warmup: Nanos::ZERO };
        let plan = Plan { rows: false, ..Plan::new(limit) };
        let asked = Mutex::new(Vec::new());
        let watch = |progress: SimulationProgress| {
            let mut asked = asked.lock().unwrap();
            asked.push(progress);
            if asked.len() < 3 { Control::Continue } else { Control::Stop }
        };
        let done = simulate(&workload, &system, &plan, &mut (), &watch).unwrap();
        assert!(done.interrupted);
        let asked = asked.into_inner().unwrap();
        assert_eq!(asked.len(), 3);
        assert!(asked.iter().all(|one| one.requests == 0 && one.in_system == 1));
        // A round takes 20 ms.
        let steps = asked.windows(2).map(|pair| pair[1].time_s - pair[0].time_s);
        assert!(steps.chain([asked[0].time_s]).all(|step| step < 6.0), "{asked:?}");
    }
}
