//! `uniform(lo, hi)`.

use thinktime_file::error::Invalid;
use thinktime_file::units::Dimension;

use super::values::written;
use super::{AnyLaw, Distribution, Entry, Law};
use crate::files::Files;
use crate::notation::{Arguments, Call};

/// All values between two bounds with equal probability: F(x) = (x - lo) / (hi - lo).
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Uniform {
    lo: f64,
    hi: f64,
}

impl Uniform {
    fn new(lo: f64, hi: f64) -> Result<Uniform, Invalid> {
        if lo < hi && (hi - lo).is_finite() {
            return Ok(Uniform { lo, hi });
        }
        Err(Self::ENTRY.error(&format!("needs `lo` below `hi`, not {lo} and {hi}")))
    }
}

impl Law for Uniform {
    const ENTRY: Entry = Entry {
        name: "uniform",
        usage: "uniform(lo, hi)",
        example: "uniform(5ms, 15ms)",
        summary: "all values between two bounds, equally likely",
        source: "Johnson, Kotz and Balakrishnan, Continuous Univariate Distributions 2, ch. 26",
    };

    fn parse(call: &Call, _files: &dyn Files) -> Result<(Self, Dimension), Invalid> {
        let mut arguments = Arguments::new(call, Self::ENTRY.usage, &["lo", "hi"])?;
        let (lo, hi) = (arguments.quantity("lo")?, arguments.quantity("hi")?);
        arguments.finish()?;
        let dimension = Self::ENTRY.common_dimension([lo.dimension, hi.dimension])?;
        Ok((Uniform::new(lo.value, hi.value)?, dimension))
    }

    fn notation(&self, dimension: Dimension) -> String {
        let (lo, hi) = (written(self.lo, dimension), written(self.hi, dimension));
        format!("uniform({lo}, {hi})")
    }

    fn mean(&self) -> f64 {
        0.5 * (self.lo + self.hi)
    }

    fn second_moment(&self) -> f64 {
        (self.lo * self.lo + self.lo * self.hi + self.hi * self.hi) / 3.0
    }

    fn cdf(&self, x: f64) -> f64 {
        ((x - self.lo) / (self.hi - self.lo)).clamp(0.0, 1.0)
    }

    fn survival(&self, x: f64) -> f64 {
        ((self.hi - x) / (self.hi - self.lo)).clamp(0.0, 1.0)
    }

    #[inline]
    fn quantile(&self, u: f64) -> f64 {
        self.lo + u * (self.hi - self.lo)
    }

    fn upper_quantile(&self, q: f64) -> f64 {
        self.hi - q * (self.hi - self.lo)
    }

    fn range(&self) -> (f64, f64) {
        (self.lo, self.hi)
    }

    fn is_discrete(&self) -> bool {
        false
    }

    fn scaled(&self, factor: f64) -> Option<Self> {
        Uniform::new(self.lo * factor, self.hi * factor).ok()
    }

    fn conditional(&self, lo: f64, hi: f64) -> Option<Distribution> {
        let law = Uniform::new(lo.max(self.lo), hi.min(self.hi)).ok()?;
        Some(Distribution::bare(AnyLaw::Uniform(law)))
    }
}
