//! `poisson(MEAN)`.

use thinktime_file::error::Invalid;
use thinktime_file::units::Dimension;

use super::numeric::least_whole;
use super::special::{gamma, normal_quantile};
use super::{Entry, Law};
use crate::files::Files;
use crate::notation::{Arguments, Call};

/// The largest mean: counts stay far below 2^53, where floating-point numbers are whole.
const MEAN_MAX: f64 = 1e12;

/// Up to this mean a quantile is found by adding up from 0.
const SMALL_MEAN: f64 = 16.0;

/// A term this small beside the largest adds nothing to a sum.
const NOTHING: f64 = 1e-20;

/// P(X = k) = m^k e^-m / k! on 0, 1, ...
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Poisson {
    mean: f64,
}

impl Poisson {
    pub(super) fn new(mean: f64) -> Result<Poisson, Invalid> {
        if mean > 0.0 && mean <= MEAN_MAX {
            return Ok(Poisson { mean });
        }
        Err(Self::ENTRY.error(&format!("needs a mean above 0 and up to {MEAN_MAX:e}, not {mean}")))
    }

    /// The least k with P(X <= k) >= u, adding up from 0.
    fn quantile_from_zero(&self, u: f64) -> f64 {
        let (mut k, mut term) = (0.0, (-self.mean).exp());
        let mut sum = term;
        // If rounding keeps the sum below u, the vanishing terms end the search.
        while sum < u && (k < self.mean || term > NOTHING) {
            k += 1.0;
            term *= self.mean / k;
            sum += term;
        }
        k
    }

    /// The least k that is not too small, from the guess of Cornish and Fisher for the normal
    /// quantile z.
    fn near_normal(&self, z: f64, too_small: impl Fn(f64) -> bool) -> f64 {
        let guess = self.mean + self.mean.sqrt() * z + (z * z - 1.0) / 6.0;
        least_whole(guess, (0.0, f64::MAX), too_small)
    }
}

impl Law for Poisson {
    const ENTRY: Entry = Entry {
        name: "poisson",
        usage: "poisson(MEAN)",
        example: "poisson(3.5)",
        summary: "0, 1, ...: how many events a Poisson process has in a time",
        source: "Johnson, Kemp and Kotz, Univariate Discrete Distributions, ch. 4",
    };

    fn parse(call: &Call, _files: &dyn Files) -> Result<(Self, Dimension), Invalid> {
        let mut arguments = Arguments::new(call, Self::ENTRY.usage, &["mean"])?;
        let mean = arguments.number("mean", Dimension::Number)?;
        arguments.finish()?;
        Ok((Poisson::new(mean)?, Dimension::Number))
    }

    fn notation(&self, _dimension: Dimension) -> String {
        format!("poisson({})", self.mean)
    }

    fn mean(&self) -> f64 {
        self.mean
    }

    fn second_moment(&self) -> f64 {
        self.mean * (self.mean + 1.0)
    }

    fn cdf(&self, x: f64) -> f64 {
        // P(X <= k) = Q(k + 1, m); infinity is not a valid shape.
        if x < 0.0 || x == f64::INFINITY {
            return if x < 0.0 { 0.0 } else { 1.0 };
        }
        gamma(x.floor() + 1.0, self.mean).upper
    }

    fn survival(&self, x: f64) -> f64 {
        if x < 0.0 || x == f64::INFINITY {
            return if x < 0.0 { 1.0 } else { 0.0 };
        }
        gamma(x.floor() + 1.0, self.mean).lower
    }

    #[inline]
    fn quantile(&self, u: f64) -> f64 {
        if self.mean <= SMALL_MEAN {
            return self.quantile_from_zero(u);
        }
        self.near_normal(normal_quantile(u), |k| self.cdf(k) < u)
    }

    fn upper_quantile(&self, q: f64) -> f64 {
        self.near_normal(-normal_quantile(q), |k| self.survival(k) > q)
    }

    fn range(&self) -> (f64, f64) {
        (0.0, f64::INFINITY)
    }

    fn is_discrete(&self) -> bool {
        true
    }

    fn scaled(&self, _factor: f64) -> Option<Self> {
        None
    }

    /// Adds up the atoms from the most likely one outwards.
    fn window_moments(&self, lo: f64, hi: f64) -> Option<(f64, f64)> {
        let (lo, hi) = (lo.max(0.0).ceil(), hi.floor());
        let mode = self.mean.floor().clamp(lo, hi);
        let (mut weight, mut first, mut second) = (1.0, 0.0, 0.0);
        let mut add = |k: f64, term: f64| {
            let d = k - mode;
            weight += term;
            first += term * d;
            second += term * d * d;
        };
        let (mut k, mut term) = (mode, 1.0);
        while k < hi && term > NOTHING {
            k += 1.0;
            term *= self.mean / k;
            add(k, term);
        }
        (k, term) = (mode, 1.0);
        while k > lo && term > NOTHING {
            term *= k / self.mean;
            k -= 1.0;
            add(k, term);
        }
        let (first, second) = (first / weight, second / weight);
        Some((mode + first, mode * mode + 2.0 * mode * first + second))
    }
}
