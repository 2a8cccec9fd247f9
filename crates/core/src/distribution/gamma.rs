//! `gamma(shape=, scale=)`.

use thinktime_file::error::Invalid;
use thinktime_file::units::Dimension;

use super::numeric::Tail;
use super::special::{gamma, gamma_quantile};
use super::values::written;
use super::{Entry, Law};
use crate::files::Files;
use crate::notation::{Arguments, Call};

/// The largest shape: beyond it the law is a constant to six digits.
const SHAPE_MAX: f64 = 1e12;

/// Density x^(a-1) e^(-x/b) / (Γ(a) b^a), with shape a and scale b.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Gamma {
    shape: f64,
    scale: f64,
}

impl Gamma {
    fn new(shape: f64, scale: f64) -> Result<Gamma, Invalid> {
        Self::ENTRY.positive("shape", shape)?;
        Self::ENTRY.positive("scale", scale)?;
        if shape > SHAPE_MAX {
            return Err(
                Self::ENTRY.error(&format!("needs `shape` of at most {SHAPE_MAX:e}, not {shape}"))
            );
        }
        Ok(Gamma { shape, scale })
    }
}

impl Law for Gamma {
    const ENTRY: Entry = Entry {
        name: "gamma",
        usage: "gamma(shape=2, scale=5ms)",
        example: "gamma(shape=0.5, scale=20ms)",
        summary: "the gamma law, C² = 1/shape, with mean shape times scale",
        source: "Johnson, Kotz and Balakrishnan, Continuous Univariate Distributions 1, ch. 17",
    };

    fn parse(call: &Call, _files: &dyn Files) -> Result<(Self, Dimension), Invalid> {
        let mut arguments = Arguments::new(call, Self::ENTRY.usage, &["shape", "scale"])?;
        let shape = arguments.number("shape", Dimension::Number)?;
        let scale = arguments.quantity("scale")?;
        arguments.finish()?;
        Ok((Gamma::new(shape, scale.value)?, scale.dimension))
    }

    fn notation(&self, dimension: Dimension) -> String {
        let scale = written(self.scale, dimension);
        format!("gamma(shape={}, scale={scale})", self.shape)
    }

    fn mean(&self) -> f64 {
        self.shape * self.scale
    }

    fn second_moment(&self) -> f64 {
        self.shape * (self.shape + 1.0) * self.scale * self.scale
    }

    fn cdf(&self, x: f64) -> f64 {
        gamma(self.shape, x / self.scale).lower
    }

    fn survival(&self, x: f64) -> f64 {
        gamma(self.shape, x / self.scale).upper
    }

    fn quantile(&self, u: f64) -> f64 {
        self.scale * gamma_quantile(self.shape, Tail::of_lower(u))
    }

    fn upper_quantile(&self, q: f64) -> f64 {
        self.scale * gamma_quantile(self.shape, Tail::of_upper(q))
    }

    fn range(&self) -> (f64, f64) {
        (0.0, f64::INFINITY)
    }

    fn is_discrete(&self) -> bool {
        false
    }

    fn scaled(&self, factor: f64) -> Option<Self> {
        Gamma::new(self.shape, self.scale * factor).ok()
    }
}
