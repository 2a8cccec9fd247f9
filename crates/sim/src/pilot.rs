//! Finding the warm-up before the run: pilot replications, averaged, and the rule MSER-5.
//!
//! It uses response times. If sessions begin in an empty system, it uses the number of sessions
//! too: they fill up long after the first responses look alike. Pilots that end before an
//! autoscaler has done its work would show its start alone, and are too short.

use rayon::prelude::*;
use thinktime_core::file::Model;
use thinktime_core::limit::Limit;
use thinktime_core::random::{Purpose, Stream};
use thinktime_core::record::{Row, RowSink, Timeline};
use thinktime_core::statistics::mser5;
use thinktime_core::system::SystemModel;
use thinktime_core::time::Nanos;
use thinktime_core::workload::{InitialState, Population, Workload};

use crate::driver::{ProgressLimits, Setup, begin};

/// Pilots are averaged, request by request, so that the start stands out from the noise (Welch).
const PILOTS: u64 = 8;
/// The length of the first pilots in requests; it doubles while it is too short.
const REQUESTS_FIRST: u64 = 5_000;

/// Events between two looks at the number of sessions.
const EVENTS_PER_LOOK: u64 = 32;

/// Records the ends of requests, their response times, and the number of sessions.
#[derive(Default)]
struct PilotSeries {
    responses: Sequence,
    sessions: Sequence,
}

/// Values in the order of time.
#[derive(Default)]
struct Sequence {
    at: Vec<Nanos>,
    values: Vec<f64>,
}

impl Sequence {
    fn push(&mut self, at: Nanos, value: f64) {
        self.at.push(at);
        self.values.push(value);
    }
}

/// The point from which a sequence, averaged over pilots, no longer depends on its start; and half
/// its length.
fn settles(pilots: &[&Sequence]) -> (Option<Nanos>, Nanos) {
    let length = pilots.iter().map(|one| one.at.len()).min().unwrap_or(0);
    let average = |at: usize| pilots.iter().map(|one| one.values[at]).sum::<f64>();
    let averages: Vec<f64> = (0..length).map(average).collect();
    let time = |place: usize| {
        let times = pilots.iter().filter_map(|one| one.at.get(place));
        Nanos::from_secs_f64(times.map(|at| at.as_secs_f64()).sum::<f64>() / pilots.len() as f64)
    };
    let after = |left_out| if left_out == 0 { Nanos::ZERO } else { time(left_out) };
    (mser5(&averages).map(after), time(length / 2))
}

impl RowSink for PilotSeries {
    fn row(&mut self, row: &Row) {
        if row.error.is_none() {
            let response_s = row.done.since(row.attempt.request_scheduled).as_secs_f64();
            self.responses.push(row.done, response_s);
        }
    }
}

/// The result of the search for a warm-up.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Warmup {
    /// It ends at this time.
    Ends(Nanos),
    /// The longest pilots, of this many requests, were too short; it is taken to be half of them.
    TooLong(Nanos, u64),
}

impl Warmup {
    pub(crate) fn end(self) -> Nanos {
        match self {
            Warmup::Ends(at) | Warmup::TooLong(at, _) => at,
        }
    }
}

/// The end of the model's warm-up, found with pilots of at most `requests_max` requests; `None` if
/// `go_on` ended the search.
pub(crate) fn find_warmup(
    workload: &Workload,
    system: &SystemModel,
    requests_max: u64,
    progress: ProgressLimits,
    go_on: &(dyn Fn() -> bool + Sync),
) -> Option<Warmup> {
    let mut requests = REQUESTS_FIRST.min(requests_max).max(1);
    loop {
        let kept: Option<Vec<PilotSeries>> = (0..PILOTS)
            .into_par_iter()
            .map(|number| pilot(workload, system, number, requests, progress, go_on))
            .collect();
        let kept = kept?;
        let responses: Vec<&Sequence> = kept.iter().map(|one| &one.responses).collect();
        let (found, half) = settles(&responses);
        let filled = fills_up(workload).then(|| {
            let sessions: Vec<&Sequence> = kept.iter().map(|one| &one.sessions).collect();
            settles(&sessions).0
        });
        match (found, filled.unwrap_or(found)) {
            (Some(responses), Some(sessions)) if half >= system.settling() => {
                return Some(Warmup::Ends(responses.max(sessions)));
            }
            _ if requests >= requests_max || half == Nanos::ZERO => {
                return Some(Warmup::TooLong(half, requests));
            }
            _ => requests = (requests * 4).min(requests_max),
        }
    }
}

/// Whether sessions come one after another to a run that begins empty.
fn fills_up(workload: &Workload) -> bool {
    let fills = |one: &Population| {
        one.model() == Model::PartlyOpen && one.beginning() != InitialState::Steady
    };
    workload.populations.iter().any(fills)
}

fn pilot(
    workload: &Workload,
    system: &SystemModel,
    number: u64,
    requests: u64,
    progress: ProgressLimits,
    go_on: &dyn Fn() -> bool,
) -> Option<PilotSeries> {
    // Making the clients takes a second if there are millions.
    if !go_on() {
        return None;
    }
    let seed = Stream::new(workload.seed, number, Purpose::Pilot).bits();
    let workload = workload.with_seed(seed);
    let limit = Limit { requests, until: Nanos::MAX, warmup: Nanos::ZERO };
    let mut kept = PilotSeries::default();
    let interval = Timeline::interval_for(Nanos::MAX);
    let mut sessions = Sequence::default();
    let (workload, model) = (&workload, system);
    let setup = Setup { workload, model, limit, progress, number: 0, interval, checkpoints: false };
    let mut driver = begin(&setup, &mut kept);
    let events = if fills_up(workload) { EVENTS_PER_LOOK } else { 1 << 14 };
    let mut looks = 0u64;
    while driver.proceed(events) {
        looks += 1;
        let due = driver.look_is_due() || (looks * events).is_multiple_of(1 << 14);
        if due && !go_on() {
            return None;
        }
        if !driver.closed() {
            sessions.push(driver.now(), driver.sessions() as f64);
        }
    }
    drop(driver);
    kept.sessions = sessions;
    Some(kept)
}
