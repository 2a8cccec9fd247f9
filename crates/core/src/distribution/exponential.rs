//! `exp(MEAN)`.

use thinktime_file::error::Invalid;
use thinktime_file::units::{Dimension, Quantity, format_quantity};

use super::logarithm::{ln, ln_all};
use super::streams::{MANY, Streams};
use super::{Entry, Law};
use crate::files::Files;
use crate::notation::{Arguments, Call};
use crate::random::Stream;

/// The memoryless law: F(x) = 1 - e^(-x/m).
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Exponential {
    mean: f64,
}

impl Exponential {
    pub(super) fn new(mean: f64) -> Result<Exponential, Invalid> {
        if mean > 0.0 && mean.is_finite() {
            return Ok(Exponential { mean });
        }
        Err(Invalid::new(format!("`exp` needs a positive mean, not {mean}")))
    }
}

impl Law for Exponential {
    const ENTRY: Entry = Entry {
        name: "exp",
        usage: "exp(MEAN)",
        example: "exp(7s)",
        summary: "the memoryless law, C² = 1",
        source: "Johnson, Kotz and Balakrishnan, Continuous Univariate Distributions 1, ch. 19",
    };

    fn parse(call: &Call, _files: &dyn Files) -> Result<(Self, Dimension), Invalid> {
        let mut arguments = Arguments::new(call, Self::ENTRY.usage, &["mean"])?;
        let Quantity { value, dimension } = arguments.quantity("mean")?;
        arguments.finish()?;
        Ok((Exponential::new(value)?, dimension))
    }

    fn notation(&self, dimension: Dimension) -> String {
        format!("exp({})", format_quantity(Quantity { value: self.mean, dimension }))
    }

    fn mean(&self) -> f64 {
        self.mean
    }

    fn second_moment(&self) -> f64 {
        2.0 * self.mean * self.mean
    }

    fn cdf(&self, x: f64) -> f64 {
        if x <= 0.0 { 0.0 } else { -(-x / self.mean).exp_m1() }
    }

    fn survival(&self, x: f64) -> f64 {
        (-x.max(0.0) / self.mean).exp()
    }

    #[inline]
    fn quantile(&self, u: f64) -> f64 {
        // ln(1 - u) and ln(u) have the same law, but only the first is increasing in u.
        -self.mean * (-u).ln_1p()
    }

    fn upper_quantile(&self, q: f64) -> f64 {
        -self.mean * q.ln()
    }

    /// As the quantile, by the faster logarithm: one minus a draw is exact, because a draw is an
    /// odd multiple of 2^-53.
    #[inline]
    fn sample(&self, stream: &mut Stream) -> f64 {
        -self.mean * ln(1.0 - stream.uniform())
    }

    #[inline]
    fn fill(&self, streams: &mut impl Streams, values: &mut [f64; MANY]) {
        *values = ln_all(
            #[inline(always)]
            |number| (-self.mean, 1.0 - streams.draw(number, Stream::uniform)),
        );
    }

    fn range(&self) -> (f64, f64) {
        (0.0, f64::INFINITY)
    }

    fn is_discrete(&self) -> bool {
        false
    }

    fn phases(&self) -> Option<Vec<(f64, f64)>> {
        Some(vec![(1.0, self.mean)])
    }

    fn scaled(&self, factor: f64) -> Option<Self> {
        Some(Exponential { mean: self.mean * factor })
    }
}
