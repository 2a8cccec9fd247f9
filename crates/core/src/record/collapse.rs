//! Congestive collapse: retries of late requests keep the system so busy that nearly all are late.

use thinktime_file::time::Nanos;

use super::Timeline;
use super::timeline::Cell;
use crate::words;

/// A collapse that lasted until the end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Collapse {
    /// When goodput last matched the offered rate.
    pub began: Nanos,
    /// Requests offered a second since then.
    pub offered: f64,
    /// Attempts a second since then, retries included.
    pub attempts: f64,
    /// Requests that succeeded a second since then.
    pub goodput: f64,
}

/// The last part of the run in which goodput must be low.
const LAST: usize = 5;
/// Goodput below this share of the offered rate is too low, and above this one has recovered.
const LOW: f64 = 0.75;
const RECOVERED: f64 = 0.9;
/// From this many attempts a request on, retries are the cause.
const RETRIED: f64 = 1.1;
/// The number of intervals over which goodput is measured.
const SPAN: usize = 5;

impl Collapse {
    /// The collapse at the end of a run whose requests began until `end`.
    #[must_use]
    pub fn find(timeline: &Timeline, end: Nanos) -> Option<Collapse> {
        let interval = timeline.interval();
        let whole = (end.0 / interval.0) as usize;
        let cells: Vec<Cell> = timeline.totals().into_iter().take(whole).collect();
        if cells.len() < 4 * SPAN {
            return None;
        }
        let sum = |cells: &[Cell]| cells.iter().fold(Cell::default(), |sum, one| sum.join(one));
        let last = sum(&cells[cells.len() - cells.len() / LAST..]);
        let share = |cell: &Cell| cell.completed as f64 / cell.scheduled.max(1) as f64;
        let retried = last.attempts as f64 >= RETRIED * last.scheduled as f64;
        if last.scheduled == 0 || share(&last) >= LOW || !retried {
            return None;
        }
        let well = cells.windows(SPAN).rposition(|span| share(&sum(span)) >= RECOVERED);
        let first = well.map_or(0, |at| at + SPAN);
        if cells.len() - first < SPAN {
            return None; // it has just recovered
        }
        let since = sum(&cells[first..]);
        let seconds = interval.as_secs_f64() * (cells.len() - first) as f64;
        Some(Collapse {
            began: Nanos(first as u64 * interval.0),
            offered: since.scheduled as f64 / seconds,
            attempts: since.attempts as f64 / seconds,
            goodput: since.completed as f64 / seconds,
        })
    }

    /// In words.
    #[must_use]
    pub fn words(&self) -> String {
        format!(
            "congestive collapse from {} on: {} requests a second were offered, retries made them \
             {} attempts a second, and only {} a second succeeded",
            words::time(self.began.as_secs_f64()),
            words::rate(self.offered),
            words::rate(self.attempts),
            words::rate(self.goodput)
        )
    }
}
