//! `weibull(shape=, scale=)`.

use statrs::function::gamma::ln_gamma;
use thinktime_file::error::Invalid;
use thinktime_file::units::Dimension;

use super::values::written;
use super::{Entry, Law};
use crate::files::Files;
use crate::notation::{Arguments, Call};

/// P(X > x) = e^-(x/b)^a, with shape a and scale b.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Weibull {
    shape: f64,
    scale: f64,
}

impl Weibull {
    fn new(shape: f64, scale: f64) -> Result<Weibull, Invalid> {
        Self::ENTRY.positive("shape", shape)?;
        Self::ENTRY.positive("scale", scale)?;
        Ok(Weibull { shape, scale })
    }

    /// (x/b)^a, the exponent of the survival function.
    fn exponent(&self, x: f64) -> f64 {
        (x.max(0.0) / self.scale).powf(self.shape)
    }

    /// The value at which [`Weibull::exponent`] is `exponent`; never 0, and never infinite.
    #[inline]
    fn at(&self, exponent: f64) -> f64 {
        (self.scale * exponent.powf(1.0 / self.shape)).clamp(f64::MIN_POSITIVE, f64::MAX)
    }
}

impl Law for Weibull {
    const ENTRY: Entry = Entry {
        name: "weibull",
        usage: "weibull(shape=0.5, scale=10ms)",
        example: "weibull(shape=0.7, scale=10ms)",
        summary: "a stretched exponential: long tail below shape 1, short one above",
        source: "Johnson, Kotz and Balakrishnan, Continuous Univariate Distributions 1, ch. 21",
    };

    fn parse(call: &Call, _files: &dyn Files) -> Result<(Self, Dimension), Invalid> {
        let mut arguments = Arguments::new(call, Self::ENTRY.usage, &["shape", "scale"])?;
        let shape = arguments.number("shape", Dimension::Number)?;
        let scale = arguments.quantity("scale")?;
        arguments.finish()?;
        Ok((Weibull::new(shape, scale.value)?, scale.dimension))
    }

    fn notation(&self, dimension: Dimension) -> String {
        let scale = written(self.scale, dimension);
        format!("weibull(shape={}, scale={scale})", self.shape)
    }

    fn mean(&self) -> f64 {
        self.scale * ln_gamma(1.0 + 1.0 / self.shape).exp()
    }

    fn second_moment(&self) -> f64 {
        // One scale at a time: its square alone may vanish while the moment does not.
        self.scale * (self.scale * ln_gamma(1.0 + 2.0 / self.shape).exp())
    }

    fn cdf(&self, x: f64) -> f64 {
        -(-self.exponent(x)).exp_m1()
    }

    fn survival(&self, x: f64) -> f64 {
        (-self.exponent(x)).exp()
    }

    #[inline]
    fn quantile(&self, u: f64) -> f64 {
        self.at(-(-u).ln_1p())
    }

    fn upper_quantile(&self, q: f64) -> f64 {
        self.at(-q.ln())
    }

    fn range(&self) -> (f64, f64) {
        (0.0, f64::INFINITY)
    }

    fn is_discrete(&self) -> bool {
        false
    }

    fn scaled(&self, factor: f64) -> Option<Self> {
        Weibull::new(self.shape, self.scale * factor).ok()
    }
}
