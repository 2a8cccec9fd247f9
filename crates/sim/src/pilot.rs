//! Finding the warm-up before the run: pilot replications, averaged, and the rule MSER-5.

use rayon::prelude::*;
use thinktime_core::client::Limit;
use thinktime_core::random::{Purpose, Stream};
use thinktime_core::record::{Row, RowSink, Timeline, mser5};
use thinktime_core::system::SystemModel;
use thinktime_core::time::Nanos;
use thinktime_core::workload::Workload;

use crate::driver::Driver;

/// Pilots are averaged, request by request, so that the start stands out from the noise (Welch).
const PILOTS: u64 = 8;
/// The length of the first pilots in requests; it doubles while it is too short to tell.
const REQUESTS_FIRST: u64 = 5_000;

/// Keeps when requests ended and how long they took.
#[derive(Default)]
struct Kept {
    done: Vec<Nanos>,
    responses_s: Vec<f64>,
}

impl RowSink for Kept {
    fn row(&mut self, row: &Row) {
        if row.error.is_none() {
            self.done.push(row.done);
            self.responses_s.push(row.done.since(row.attempt.request_scheduled).as_secs_f64());
        }
    }
}

/// A warm-up that was looked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Warmup {
    /// It ends at this time.
    Ends(Nanos),
    /// The longest pilots, of so many requests, were too short to tell; it is taken to be half of
    /// them.
    TooLong(Nanos, u64),
}

impl Warmup {
    pub(crate) fn end(self) -> Nanos {
        match self {
            Warmup::Ends(at) | Warmup::TooLong(at, _) => at,
        }
    }
}

/// When the warm-up of the model ends, looked for with pilots of at most `requests_max` requests;
/// nothing where `go_on` ended the search.
pub(crate) fn find_warmup(
    workload: &Workload,
    system: &SystemModel,
    requests_max: u64,
    go_on: &(dyn Fn() -> bool + Sync),
) -> Option<Warmup> {
    let mut requests = REQUESTS_FIRST.min(requests_max).max(1);
    loop {
        let kept: Option<Vec<Kept>> = (0..PILOTS)
            .into_par_iter()
            .map(|number| pilot(workload, system, number, requests, go_on))
            .collect();
        let kept = kept?;
        let length = kept.iter().map(|one| one.done.len()).min().unwrap_or(0);
        let average =
            |at: usize| kept.iter().map(|one| one.responses_s[at]).sum::<f64>() / PILOTS as f64;
        let averages: Vec<f64> = (0..length).map(average).collect();
        let ends = |at: usize| {
            let times = kept.iter().filter_map(|one| one.done.get(at));
            Nanos::from_secs_f64(times.map(|at| at.as_secs_f64()).sum::<f64>() / PILOTS as f64)
        };
        match mser5(&averages) {
            Some(0) => return Some(Warmup::Ends(Nanos::ZERO)),
            Some(left_out) => return Some(Warmup::Ends(ends(left_out))),
            None if requests >= requests_max || length == 0 => {
                return Some(Warmup::TooLong(ends(length / 2), requests));
            }
            None => requests = (requests * 4).min(requests_max),
        }
    }
}

fn pilot(
    workload: &Workload,
    system: &SystemModel,
    number: u64,
    requests: u64,
    go_on: &dyn Fn() -> bool,
) -> Option<Kept> {
    let seed = Stream::new(workload.seed, number, Purpose::Pilot).bits();
    let workload = workload.with_seed(seed);
    let limit = Limit { requests, until: Nanos::MAX, warmup: Nanos::ZERO };
    let mut kept = Kept::default();
    let interval = Timeline::interval_for(Nanos::MAX);
    let mut driver = Driver::new(&workload, system, limit, 0, &mut kept, interval);
    while driver.proceed(1 << 14) {
        if !go_on() {
            return None;
        }
    }
    Some(kept)
}
