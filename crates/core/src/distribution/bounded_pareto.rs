//! `bounded_pareto(shape=, lo=, hi=)`.

use thinktime_file::error::Invalid;
use thinktime_file::units::Dimension;

use super::values::written;
use super::{AnyLaw, Distribution, Entry, Law};
use crate::files::Files;
use crate::notation::{Arguments, Call};

/// F(x) = (1 - (lo / x)^a) / (1 - (lo / hi)^a) between lo and hi, with shape a.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct BoundedPareto {
    shape: f64,
    lo: f64,
    hi: f64,
    /// 1 - (lo / hi)^a: the share of the unbounded law that lies below hi.
    kept: f64,
}

impl BoundedPareto {
    pub(super) fn new(shape: f64, lo: f64, hi: f64) -> Result<BoundedPareto, Invalid> {
        Self::ENTRY.positive("shape", shape)?;
        Self::ENTRY.positive("lo", lo)?;
        if !(lo < hi && hi.is_finite()) {
            return Err(Self::ENTRY.error(&format!("needs `lo` below `hi`, not {lo} and {hi}")));
        }
        Ok(BoundedPareto { shape, lo, hi, kept: -(shape * (lo / hi).ln()).exp_m1() })
    }

    /// E[X^power].
    fn moment(&self, power: i32) -> f64 {
        let (d, log) = (f64::from(power) - self.shape, (self.hi / self.lo).ln());
        let growth = if d == 0.0 { log } else { (d * log).exp_m1() / d };
        self.shape / self.kept * growth * self.lo.powi(power)
    }

    /// The x with P(X > x) or its complement such that (lo / x)^a = 1 - `gone`.
    #[inline]
    fn at(&self, gone: f64) -> f64 {
        (self.lo * (-(-gone).ln_1p() / self.shape).exp()).clamp(self.lo, self.hi)
    }
}

impl Law for BoundedPareto {
    const ENTRY: Entry = Entry {
        name: "bounded_pareto",
        usage: "bounded_pareto(shape=1.1, lo=1ms, hi=10s)",
        example: "bounded_pareto(shape=1.1, lo=1ms, hi=1s)",
        summary: "a power law between two bounds",
        source: "Harchol-Balter, Performance Modeling and Design of Computer Systems, ch. 20",
    };

    fn parse(call: &Call, _files: &dyn Files) -> Result<(Self, Dimension), Invalid> {
        let mut arguments = Arguments::new(call, Self::ENTRY.usage, &["shape", "lo", "hi"])?;
        let shape = arguments.number("shape", Dimension::Number)?;
        let (lo, hi) = (arguments.quantity("lo")?, arguments.quantity("hi")?);
        arguments.finish()?;
        let dimension = Self::ENTRY.common_dimension([lo.dimension, hi.dimension])?;
        Ok((BoundedPareto::new(shape, lo.value, hi.value)?, dimension))
    }

    fn notation(&self, dimension: Dimension) -> String {
        let (lo, hi) = (written(self.lo, dimension), written(self.hi, dimension));
        format!("bounded_pareto(shape={}, lo={lo}, hi={hi})", self.shape)
    }

    fn mean(&self) -> f64 {
        self.moment(1)
    }

    fn second_moment(&self) -> f64 {
        self.moment(2)
    }

    fn cdf(&self, x: f64) -> f64 {
        let x = x.clamp(self.lo, self.hi);
        (-(self.shape * (self.lo / x).ln()).exp_m1() / self.kept).min(1.0)
    }

    fn survival(&self, x: f64) -> f64 {
        // (lo/x)^a - (lo/hi)^a, as a product so that nothing cancels near hi.
        let x = x.clamp(self.lo, self.hi);
        let gone = -(self.shape * (x / self.hi).ln()).exp_m1();
        ((self.lo / x).powf(self.shape) * gone / self.kept).min(1.0)
    }

    #[inline]
    fn quantile(&self, u: f64) -> f64 {
        self.at(u * self.kept)
    }

    fn upper_quantile(&self, q: f64) -> f64 {
        // x = hi (1 + q (r^-1 - 1))^(-1/a) with r = (lo / hi)^a = 1 - kept.
        let spread = (self.shape * (self.hi / self.lo).ln()).exp_m1();
        if spread.is_infinite() {
            return self.at((1.0 - q) * self.kept);
        }
        (self.hi * (-(q * spread).ln_1p() / self.shape).exp()).clamp(self.lo, self.hi)
    }

    fn range(&self) -> (f64, f64) {
        (self.lo, self.hi)
    }

    fn is_discrete(&self) -> bool {
        false
    }

    fn scaled(&self, factor: f64) -> Option<Self> {
        BoundedPareto::new(self.shape, self.lo * factor, self.hi * factor).ok()
    }

    fn conditional(&self, lo: f64, hi: f64) -> Option<Distribution> {
        let law = BoundedPareto::new(self.shape, lo.max(self.lo), hi.min(self.hi)).ok()?;
        Some(Distribution::bare(AnyLaw::BoundedPareto(law)))
    }
}
