//! `steps(0s: 1, 5min: 2)`.

use thinktime_file::error::Invalid;
use thinktime_file::time::Nanos;
use thinktime_file::units::{Dimension, Quantity};

use super::Shape;
use crate::files::Files;
use crate::notation::{Arguments, Call, Label, Term};

/// The factor jumps at given times, and keeps its last value.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Steps {
    /// (start, factor), by start; the first starts at 0.
    steps: Vec<(Nanos, f64)>,
}

impl Shape for Steps {
    const USAGE: &'static str = "steps(0s: 1, 5min: 2)";

    fn parse(call: &Call, _files: &dyn Files) -> Result<Self, Invalid> {
        let empty = Call { name: call.name.clone(), arguments: Vec::new() };
        let form = Arguments::new(&empty, Self::USAGE, &[])?;
        let mut steps: Vec<(Nanos, f64)> = Vec::new();
        for argument in &call.arguments {
            let (Label::Weight(start), Term::Quantity(Quantity { value, .. })) =
                (&argument.label, &argument.term)
            else {
                return Err(form.error("takes times with factors"));
            };
            let start = start.expect(Dimension::Time)?;
            if !(start >= 0.0 && *value >= 0.0 && value.is_finite()) {
                return Err(form.error("takes numbers of 0 or more"));
            }
            let start = Nanos::from_secs_f64(start);
            if steps.last().is_some_and(|(before, _)| *before >= start) {
                return Err(form.error("needs its times in order"));
            }
            steps.push((start, *value));
        }
        if steps.first().is_none_or(|(start, _)| *start != Nanos::ZERO) {
            return Err(form.error("must begin at 0s"));
        }
        if steps.iter().all(|(_, factor)| *factor == 0.0) {
            return Err(form.error("has no arrivals when its factors are all 0"));
        }
        Ok(Steps { steps })
    }

    fn advance(&self, from: Nanos, amount_s: f64) -> Nanos {
        let at = self.steps.partition_point(|(start, _)| *start <= from) - 1;
        let (mut now, mut left_s) = (from, amount_s);
        for (place, (_, factor)) in self.steps.iter().enumerate().skip(at) {
            let end = self.steps.get(place + 1).map_or(Nanos::MAX, |(start, _)| *start);
            let within_s = factor * end.since(now).as_secs_f64();
            if left_s <= within_s && *factor > 0.0 {
                return now + Nanos::from_secs_f64(left_s / factor);
            }
            left_s -= within_s;
            now = end;
        }
        Nanos::MAX
    }

    fn mean_factor(&self) -> f64 {
        self.steps[self.steps.len() - 1].1
    }

    fn most_before_start(&self) -> f64 {
        self.steps[0].1
    }
}
