//! `sine(period=20min, low=1/3)`.

use std::f64::consts::TAU;

use thinktime_file::error::Invalid;
use thinktime_file::time::Nanos;
use thinktime_file::units::Dimension;

use super::Shape;
use crate::files::Files;
use crate::notation::{Arguments, Call};

/// The factor swings between `low` and 1: at time t it is
/// low + (1 - low) (1 + sin(2 pi t / period)) / 2.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Sine {
    period: Nanos,
    low: f64,
}

impl Shape for Sine {
    const USAGE: &'static str = "sine(period=20min, low=1/3)";

    fn parse(call: &Call, _files: &dyn Files) -> Result<Self, Invalid> {
        let mut arguments = Arguments::new(call, Self::USAGE, &["period", "low"])?;
        let period = Nanos::from_secs_f64(arguments.number("period", Dimension::Time)?);
        let low = arguments.number("low", Dimension::Number)?;
        if period == Nanos::ZERO {
            return Err(arguments.error("needs a period of more than 0"));
        }
        if !(0.0..=1.0).contains(&low) {
            return Err(arguments.error("needs a `low` from 0 to 1"));
        }
        Ok(Sine { period, low })
    }

    fn advance(&self, from: Nanos, amount_s: f64) -> Nanos {
        let period_s = self.period.as_secs_f64();
        let per_period = self.mean_factor() * period_s;
        let whole = (amount_s / per_period).floor();
        let phase_s = Nanos(from.0 % self.period.0).as_secs_f64();
        let rest = amount_s - whole * per_period;
        from + Nanos::from_secs_f64(whole * period_s + self.solve(phase_s, rest))
    }

    fn mean_factor(&self) -> f64 {
        (1.0 + self.low) / 2.0
    }

    fn most_before_start(&self) -> f64 {
        1.0
    }

    fn before_start(&self, age_s: f64) -> f64 {
        self.factor(-age_s)
    }

    fn varied_before_start(&self) -> bool {
        true
    }
}

impl Sine {
    /// The factor at `t` seconds, before the start if negative.
    fn factor(&self, t: f64) -> f64 {
        let angle = TAU * t / self.period.as_secs_f64();
        self.low + (1.0 - self.low) * (1.0 + angle.sin()) / 2.0
    }

    /// The integral of the factor from 0 to `t` seconds.
    fn integral(&self, t: f64) -> f64 {
        let period_s = self.period.as_secs_f64();
        let swing = (1.0 - self.low) / 2.0;
        self.mean_factor() * t + swing * period_s / TAU * (1.0 - (TAU * t / period_s).cos())
    }

    /// x in [0, period] with integral(phase + x) - integral(phase) = amount, by bisection that
    /// Newton's steps speed up. The integral never falls, so the bracket always holds the root.
    fn solve(&self, phase_s: f64, amount: f64) -> f64 {
        let period_s = self.period.as_secs_f64();
        let goal = self.integral(phase_s) + amount;
        let (mut low, mut high) = (0.0, period_s);
        let mut x = (amount / self.mean_factor()).min(period_s);
        for _ in 0..80 {
            let excess = self.integral(phase_s + x) - goal;
            if excess > 0.0 {
                high = x
            } else {
                low = x
            }
            if high - low < 1e-10 {
                break;
            }
            let step = excess / self.factor(phase_s + x);
            if step.abs() < 1e-10 {
                break;
            }
            let newton = x - step;
            x = if newton > low && newton < high { newton } else { (low + high) / 2.0 };
        }
        x
    }
}
