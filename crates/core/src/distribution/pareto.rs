//! `pareto(shape=, scale=)`.

use thinktime_file::error::Invalid;
use thinktime_file::units::Dimension;

use super::bounded_pareto::BoundedPareto;
use super::values::written;
use super::{AnyLaw, Distribution, Entry, Law};
use crate::files::Files;
use crate::notation::{Arguments, Call};

/// P(X > x) = (b / x)^a for x >= b, with shape a and scale b.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Pareto {
    shape: f64,
    scale: f64,
}

impl Pareto {
    fn new(shape: f64, scale: f64) -> Result<Pareto, Invalid> {
        Self::ENTRY.positive("shape", shape)?;
        Self::ENTRY.positive("scale", scale)?;
        Ok(Pareto { shape, scale })
    }

    /// E[X^power].
    fn moment(&self, power: i32) -> f64 {
        let excess = self.shape - f64::from(power);
        if excess <= 0.0 {
            return f64::INFINITY;
        }
        self.shape / excess * self.scale.powi(power)
    }
}

impl Law for Pareto {
    const ENTRY: Entry = Entry {
        name: "pareto",
        usage: "pareto(shape=1.4, scale=1ms)",
        example: "pareto(shape=2.5, scale=6ms)",
        summary: "a power law without a limit; mean infinite up to shape 1, variance up to 2",
        source: "Johnson, Kotz and Balakrishnan, Continuous Univariate Distributions 1, ch. 20",
    };

    fn parse(call: &Call, _files: &dyn Files) -> Result<(Self, Dimension), Invalid> {
        let mut arguments = Arguments::new(call, Self::ENTRY.usage, &["shape", "scale"])?;
        let shape = arguments.number("shape", Dimension::Number)?;
        let scale = arguments.quantity("scale")?;
        arguments.finish()?;
        Ok((Pareto::new(shape, scale.value)?, scale.dimension))
    }

    fn notation(&self, dimension: Dimension) -> String {
        let scale = written(self.scale, dimension);
        format!("pareto(shape={}, scale={scale})", self.shape)
    }

    fn mean(&self) -> f64 {
        self.moment(1)
    }

    fn second_moment(&self) -> f64 {
        self.moment(2)
    }

    fn tail_index(&self) -> f64 {
        self.shape
    }

    fn cdf(&self, x: f64) -> f64 {
        if x <= self.scale {
            return 0.0;
        }
        -(self.shape * (self.scale / x).ln()).exp_m1()
    }

    fn survival(&self, x: f64) -> f64 {
        if x <= self.scale {
            return 1.0;
        }
        (self.scale / x).powf(self.shape)
    }

    #[inline]
    fn quantile(&self, u: f64) -> f64 {
        (self.scale * (-(-u).ln_1p() / self.shape).exp()).min(f64::MAX)
    }

    fn upper_quantile(&self, q: f64) -> f64 {
        (self.scale * (-q.ln() / self.shape).exp()).min(f64::MAX)
    }

    fn range(&self) -> (f64, f64) {
        (self.scale, f64::INFINITY)
    }

    fn is_discrete(&self) -> bool {
        false
    }

    fn scaled(&self, factor: f64) -> Option<Self> {
        Pareto::new(self.shape, self.scale * factor).ok()
    }

    fn conditional(&self, lo: f64, hi: f64) -> Option<Distribution> {
        let lo = lo.max(self.scale);
        let law = if hi < f64::INFINITY {
            AnyLaw::BoundedPareto(BoundedPareto::new(self.shape, lo, hi).ok()?)
        } else {
            AnyLaw::Pareto(Pareto::new(self.shape, lo).ok()?)
        };
        Some(Distribution::bare(law))
    }
}
