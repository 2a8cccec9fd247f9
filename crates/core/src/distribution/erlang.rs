//! `erlang(k, MEAN)`.

use thinktime_file::error::Invalid;
use thinktime_file::units::Dimension;

use super::logarithm::ln;
use super::numeric::Tail;
use super::special::{gamma, gamma_quantile};
use super::values::written;
use super::{Entry, Law};
use crate::files::Files;
use crate::notation::{Arguments, Call};
use crate::random::Stream;

/// Up to this many stages are drawn one by one; beyond it the law is inverted, from one uniform.
const STAGES_DRAWN_MAX: f64 = 16.0;

/// The most stages: beyond it the law is a constant to five digits.
const STAGES_MAX: f64 = 1e9;

/// The sum of k exponential stages: gamma with shape k and scale m / k.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Erlang {
    stages: f64,
    mean: f64,
}

impl Erlang {
    fn new(stages: f64, mean: f64) -> Result<Erlang, Invalid> {
        Self::ENTRY.count("k", stages, STAGES_MAX)?;
        Self::ENTRY.positive("mean", mean)?;
        Ok(Erlang { stages, mean })
    }

    fn scale(&self) -> f64 {
        self.mean / self.stages
    }
}

impl Law for Erlang {
    const ENTRY: Entry = Entry {
        name: "erlang",
        usage: "erlang(k, MEAN)",
        example: "erlang(4, 10ms)",
        summary: "the sum of k exponential stages, C² = 1/k",
        source: "Johnson, Kotz and Balakrishnan, Continuous Univariate Distributions 1, ch. 17",
    };

    fn parse(call: &Call, _files: &dyn Files) -> Result<(Self, Dimension), Invalid> {
        let mut arguments = Arguments::new(call, Self::ENTRY.usage, &["k", "mean"])?;
        let stages = arguments.number("k", Dimension::Number)?;
        let mean = arguments.quantity("mean")?;
        arguments.finish()?;
        Ok((Erlang::new(stages, mean.value)?, mean.dimension))
    }

    fn notation(&self, dimension: Dimension) -> String {
        format!("erlang({}, {})", self.stages, written(self.mean, dimension))
    }

    fn mean(&self) -> f64 {
        self.mean
    }

    fn second_moment(&self) -> f64 {
        (1.0 + 1.0 / self.stages) * self.mean * self.mean
    }

    fn cdf(&self, x: f64) -> f64 {
        gamma(self.stages, x / self.scale()).lower
    }

    fn survival(&self, x: f64) -> f64 {
        gamma(self.stages, x / self.scale()).upper
    }

    fn quantile(&self, u: f64) -> f64 {
        self.scale() * gamma_quantile(self.stages, Tail::of_lower(u))
    }

    fn upper_quantile(&self, q: f64) -> f64 {
        self.scale() * gamma_quantile(self.stages, Tail::of_upper(q))
    }

    fn range(&self) -> (f64, f64) {
        (0.0, f64::INFINITY)
    }

    fn is_discrete(&self) -> bool {
        false
    }

    fn scaled(&self, factor: f64) -> Option<Self> {
        Erlang::new(self.stages, self.mean * factor).ok()
    }

    /// k uniforms up to 16 stages, else one.
    #[inline]
    fn sample(&self, stream: &mut Stream) -> f64 {
        if self.stages > STAGES_DRAWN_MAX {
            return self.quantile(stream.uniform());
        }
        // A product of 16 uniforms is above 2^-848, so it cannot vanish.
        let product: f64 = (0..self.stages as u32).map(|_| stream.uniform()).product();
        -self.scale() * ln(product)
    }
}
