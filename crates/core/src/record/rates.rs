//! The intervals of the throughput and of the share of failures.

use super::collector::Counts;
use super::{Cell, Collector, Timeline, Window};
use crate::statistics::mean_interval_95;

/// The half-widths of 95 % confidence intervals; `None` if the run was too short.
pub(super) struct RateIntervals {
    pub(super) throughput: Option<f64>,
    pub(super) errors: Option<f64>,
}

/// The throughput and the share of requests that failed, of one replication.
#[derive(Clone, Copy, Debug)]
pub struct Rates {
    pub(super) throughput: f64,
    pub(super) error_share: f64,
}

/// The intervals of one run, by batches of the timeline's intervals.
pub(super) fn rate_intervals(timeline: &Timeline, window: Window) -> RateIntervals {
    let length = timeline.interval();
    let totals = timeline.totals();
    let begins = (0..).map(|number: u64| number.saturating_mul(length.0));
    let inside = |(begin, cell): (u64, _)| {
        (begin >= window.begin.0 && begin.saturating_add(length.0) <= window.end.0).then_some(cell)
    };
    let whole: Vec<&Cell> = begins.zip(&totals).filter_map(inside).collect();
    let half_width = |of: &dyn Fn(&Cell) -> f64| {
        let values: Vec<f64> = whole.iter().map(|cell| of(cell)).collect();
        mean_interval_95(&values).map(|interval| interval.half_width)
    };
    let ended = |cell: &Cell| (cell.completed + cell.failed) as f64;
    let all: f64 = whole.iter().map(|cell| ended(cell)).sum();
    let failed: f64 = whole.iter().map(|cell| cell.failed as f64).sum();
    // The share is a ratio of means: its error is that of this difference, divided by the mean.
    let off = |cell: &Cell| cell.failed as f64 - failed / all * ended(cell);
    let errors = if all > 0.0 { half_width(&off) } else { None };
    RateIntervals {
        throughput: half_width(&|cell| cell.completed as f64 / length.as_secs_f64()),
        errors: errors.map(|half| half * whole.len() as f64 / all),
    }
}

impl Collector {
    /// The mean size of the responses that succeeded; `None` if they have none.
    pub(super) fn response_bytes(&self) -> Option<f64> {
        let Counts { bytes, requests, failed, .. } = self.counts;
        (bytes > 0).then(|| bytes as f64 / (requests - failed) as f64)
    }

    /// The rates of a replication of this length.
    #[must_use]
    pub fn rates(&self, duration_s: f64) -> Rates {
        let counts = &self.counts;
        let share = |part: u64, all: f64| if all > 0.0 { part as f64 / all } else { 0.0 };
        Rates {
            throughput: share(counts.completed_in_window, duration_s),
            error_share: share(counts.failed, counts.requests as f64),
        }
    }
}
