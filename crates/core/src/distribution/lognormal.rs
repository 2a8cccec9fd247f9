//! `lognormal(mu=, sigma=)`.

use thinktime_file::error::Invalid;
use thinktime_file::units::Dimension;

use super::special::{normal_cdf, normal_quantile};
use super::{Entry, Law};
use crate::files::Files;
use crate::notation::{Arguments, Call};

/// e^Y, where Y is normal with mean mu and standard deviation sigma. Both are those of the
/// logarithm of the value in its base unit (seconds, bytes, or a bare number).
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Lognormal {
    mu: f64,
    sigma: f64,
}

impl Lognormal {
    fn z(&self, x: f64) -> f64 {
        (x.max(0.0).ln() - self.mu) / self.sigma
    }
}

impl Law for Lognormal {
    const ENTRY: Entry = Entry {
        name: "lognormal",
        usage: "lognormal(mu=2.2, sigma=1.9)",
        example: "lognormal(mu=-5, sigma=0.8)",
        summary: "the logarithm of the value in seconds or bytes is normal (mu, sigma)",
        source: "Johnson, Kotz and Balakrishnan, Continuous Univariate Distributions 1, ch. 14",
    };

    fn parse(call: &Call, _files: &dyn Files) -> Result<(Self, Dimension), Invalid> {
        let mut arguments = Arguments::new(call, Self::ENTRY.usage, &["mu", "sigma"])?;
        let mu = arguments.number("mu", Dimension::Number)?;
        let sigma = arguments.number("sigma", Dimension::Number)?;
        arguments.finish()?;
        Self::ENTRY.positive("sigma", sigma)?;
        Ok((Lognormal { mu, sigma }, Dimension::Number))
    }

    fn notation(&self, _dimension: Dimension) -> String {
        format!("lognormal(mu={}, sigma={})", self.mu, self.sigma)
    }

    fn mean(&self) -> f64 {
        (self.mu + 0.5 * self.sigma * self.sigma).exp()
    }

    fn second_moment(&self) -> f64 {
        (2.0 * (self.mu + self.sigma * self.sigma)).exp()
    }

    fn cdf(&self, x: f64) -> f64 {
        normal_cdf(self.z(x))
    }

    fn survival(&self, x: f64) -> f64 {
        normal_cdf(-self.z(x))
    }

    #[inline]
    fn quantile(&self, u: f64) -> f64 {
        (self.mu + self.sigma * normal_quantile(u)).exp()
    }

    fn upper_quantile(&self, q: f64) -> f64 {
        (self.mu - self.sigma * normal_quantile(q)).exp()
    }

    fn range(&self) -> (f64, f64) {
        (0.0, f64::INFINITY)
    }

    fn is_discrete(&self) -> bool {
        false
    }

    fn scaled(&self, factor: f64) -> Option<Self> {
        Some(Lognormal { mu: self.mu + factor.ln(), sigma: self.sigma })
    }
}
