//! `ramp(from=0, to=1, over=10min)`.

use thinktime_file::error::Invalid;
use thinktime_file::time::Nanos;
use thinktime_file::units::Dimension;

use super::Shape;
use crate::files::Files;
use crate::notation::{Arguments, Call};

/// The factor changes evenly from one value to another, and stays there.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Ramp {
    from: f64,
    to: f64,
    over_s: f64,
}

impl Shape for Ramp {
    const USAGE: &'static str = "ramp(from=0, to=1, over=10min)";

    fn parse(call: &Call, _files: &dyn Files) -> Result<Self, Invalid> {
        let mut arguments = Arguments::new(call, Self::USAGE, &["from", "to", "over"])?;
        let from = arguments.number("from", Dimension::Number)?;
        let to = arguments.number("to", Dimension::Number)?;
        let over_s = arguments.number("over", Dimension::Time)?;
        if from < 0.0 || to < 0.0 || over_s < 0.0 {
            return Err(arguments.error("takes numbers of 0 or more"));
        }
        if from == 0.0 && to == 0.0 {
            return Err(arguments.error("has no arrivals when `from` and `to` are both 0"));
        }
        Ok(Ramp { from, to, over_s })
    }

    fn advance(&self, from: Nanos, amount_s: f64) -> Nanos {
        let start = from.as_secs_f64();
        if start >= self.over_s {
            return from + Nanos::from_secs_f64(amount_s / self.to);
        }
        // The factor is `here` at `start` and changes by `slope` a second: solve
        // here x + slope x^2 / 2 = amount for the smaller positive root, without cancellation.
        let slope = (self.to - self.from) / self.over_s;
        let here = self.from + slope * start;
        let left_s = self.over_s - start;
        let on_ramp = here * left_s + slope * left_s * left_s / 2.0;
        if amount_s <= on_ramp {
            let root = (here * here + 2.0 * slope * amount_s).max(0.0).sqrt();
            return from + Nanos::from_secs_f64(2.0 * amount_s / (here + root));
        }
        Nanos::from_secs_f64(self.over_s + (amount_s - on_ramp) / self.to)
    }

    fn mean_factor(&self) -> f64 {
        self.to
    }

    fn most_before_start(&self) -> f64 {
        self.from
    }
}
