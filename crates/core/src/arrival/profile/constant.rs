//! `constant`.

use thinktime_file::error::Invalid;
use thinktime_file::time::Nanos;

use super::Shape;
use crate::distribution::streams::MANY;
use crate::files::Files;
use crate::notation::{Arguments, Call};

/// Always the full rate.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Constant;

impl Shape for Constant {
    const USAGE: &'static str = "constant";

    fn parse(call: &Call, _files: &dyn Files) -> Result<Self, Invalid> {
        Arguments::new(call, Self::USAGE, &[])?.finish()?;
        Ok(Constant)
    }

    #[inline]
    fn advance(&self, from: Nanos, amount_s: f64) -> Nanos {
        from + Nanos::from_secs_f64(amount_s)
    }

    fn advance_all(&self, from: Nanos, amounts_s: &[f64; MANY]) -> [Nanos; MANY] {
        let mut times = Nanos::from_all_secs(amounts_s);
        times.iter_mut().fold(from, |now, time| {
            *time = now + *time;
            *time
        });
        times
    }

    fn mean_factor(&self) -> f64 {
        1.0
    }

    fn most_before_start(&self) -> f64 {
        1.0
    }
}
