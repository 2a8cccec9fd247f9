//! The end of a simulation that must reach a precision.

use thinktime_core::record::Collector;

/// Requests between two checks of the precision, at first.
const REQUESTS_PER_CHECK: u64 = 1 << 16;
/// The interval must be a little narrower than the precision, at two checks in succession: a rule
/// that stops at the first narrow interval stops where chance made it narrow.
const PRECISION_WANTED: f64 = 0.95;

/// When a precision is reached.
pub(crate) struct StopRule {
    precision: Option<f64>,
    next_check: u64,
    /// Whether it was reached at the check before.
    was_precise: bool,
}

impl StopRule {
    pub(crate) fn new(precision: Option<f64>) -> StopRule {
        StopRule { precision, next_check: REQUESTS_PER_CHECK, was_precise: false }
    }

    /// Checks, if it is time to; says whether to stop.
    pub(crate) fn is_precise(&mut self, collector: &Collector) -> bool {
        let Some(precision) = self.precision else { return false };
        if collector.requests() < self.next_check {
            return false;
        }
        self.next_check += self.next_check / 4;
        let before = self.was_precise;
        self.was_precise = collector.is_precise(PRECISION_WANTED * precision);
        self.was_precise && before
    }
}
