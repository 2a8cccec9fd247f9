//! The end of a simulation or a run that must reach a precision, and whether it did.

use thinktime_file::error::Invalid;
use thinktime_file::time::Nanos;

use super::{Collector, Summary};
use crate::words;

/// Requests of a simulation between two checks of the precision, at first.
const SIMULATED_PER_CHECK: u64 = 1 << 16;
/// The same of a run, whose requests take time. Of 400 sequences that stop at 5 to 20 %, at loads
/// up to 0.9, the mean was then within the precision in 95 to 100 %.
const REAL_PER_CHECK: u64 = 1000;
/// The least measured time of a run: what a server does every few seconds must have happened.
const REAL_LEAST: Nanos = Nanos(10_000_000_000);
/// The interval must be a little narrower than the precision, at two checks in succession: a rule
/// that stops at the first narrow interval stops where chance made it narrow.
const PRECISION_WANTED: f64 = 0.95;

/// Finds when the mean response time is known to a precision.
#[derive(Clone, Debug)]
pub struct StopRule {
    /// None if nothing is to be found.
    precision: Option<f64>,
    next_check: u64,
    not_before: Nanos,
    /// Whether it was reached at the check before.
    was_precise: bool,
}

impl StopRule {
    /// For a simulation, with the half-width of the interval as a share of the mean, if one is
    /// wanted.
    #[must_use]
    pub fn of_simulation(precision: Option<f64>) -> StopRule {
        let (next_check, not_before) = (SIMULATED_PER_CHECK, Nanos::ZERO);
        StopRule { precision, next_check, not_before, was_precise: false }
    }

    /// Likewise for a run against a real server, with this warm-up.
    #[must_use]
    pub fn of_run(precision: Option<f64>, warmup: Nanos) -> StopRule {
        let (next_check, not_before) = (REAL_PER_CHECK, warmup + REAL_LEAST);
        StopRule { precision, next_check, not_before, was_precise: false }
    }

    /// Checks, if it is time to; says whether to stop.
    pub fn is_precise(&mut self, collector: &Collector, now: Nanos) -> bool {
        let Some(precision) = self.precision else { return false };
        let requests = collector.requests();
        if now < self.not_before {
            self.next_check = self.next_check.max(requests);
            return false;
        }
        if requests < self.next_check {
            return false;
        }
        self.next_check += self.next_check / 4;
        let before = self.was_precise;
        self.was_precise = collector.is_precise(PRECISION_WANTED * precision);
        self.was_precise && before
    }
}

/// # Errors
/// If a precision is no share between 0 and 1.
pub fn check_precision(precision: Option<f64>) -> Result<(), Invalid> {
    match precision {
        Some(share) if !(share > 0.0 && share < 1.0) => {
            Err(Invalid::new("a precision lies between 0% and 100%, as in 1%"))
        }
        _ => Ok(()),
    }
}

impl Summary {
    /// Whether the mean response time is known to a precision, in words.
    ///
    /// # Errors
    /// The words, if it is not.
    pub fn found_to(&self, precision: f64) -> Result<String, String> {
        let wanted = format!("the precision of {:.3} %", precision * 100.0);
        let requests = words::count(self.requests);
        let Some((mean, half)) = self.response_time_s.mean.zip(self.response_time_s.ci95) else {
            return Err(format!(
                "{wanted} was not reached: the mean of {requests} requests has no interval"
            ));
        };
        if half <= precision * mean {
            return Ok(format!("{wanted} took {requests} requests"));
        }
        let needed = self.requests as f64 * (half / (precision * mean)).powi(2);
        Err(format!(
            "{wanted} was not reached: after {requests} requests the half-width is {:.3} %; about \
             {} requests would be needed if it shrinks as the square root, more if the times are \
             heavy-tailed",
            half / mean * 100.0,
            words::count(needed.round() as u64)
        ))
    }
}

#[cfg(test)]
mod tests;
