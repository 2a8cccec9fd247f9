//! `poisson(MEAN)`.

use super::special::{gamma, normal_quantile, poisson_weight};
use super::{Entry, Law};
use crate::error::Invalid;
use crate::files::Files;
use crate::notation::{Arguments, Call};
use crate::units::Dimension;

/// The largest mean: counts stay far below 2^53, where floating-point numbers are whole.
const MEAN_MAX: f64 = 1e12;

/// Up to this mean a quantile is found by adding up from 0.
const SMALL_MEAN: f64 = 16.0;

/// Terms this much smaller than the largest add nothing to a sum.
const NOTHING: f64 = 1e-18;

/// P(X = k) = m^k e^-m / k! on 0, 1, ...
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Poisson {
    mean: f64,
}

impl Poisson {
    fn new(mean: f64) -> Result<Poisson, Invalid> {
        if mean > 0.0 && mean <= MEAN_MAX {
            return Ok(Poisson { mean });
        }
        Err(Self::ENTRY.error(&format!(
            "needs a mean above 0 and up to {MEAN_MAX:e}, not {mean}"
        )))
    }

    fn probability(&self, k: f64) -> f64 {
        if k == 0.0 {
            (-self.mean).exp()
        } else {
            poisson_weight(k, self.mean)
        }
    }

    /// The least k with P(X <= k) >= u, adding up from 0.
    fn quantile_from_zero(&self, u: f64) -> f64 {
        let (mut k, mut term) = (0.0, (-self.mean).exp());
        let mut sum = term;
        // Rounding may keep the sum below u for ever: then the terms end the search.
        while sum < u && (k < self.mean || term > NOTHING) {
            k += 1.0;
            term *= self.mean / k;
            sum += term;
        }
        k
    }

    /// The least k whose tail is on the wanted side, stepping from the guess of Cornish and
    /// Fisher. `below(k)` says whether k is too small.
    fn from_guess(&self, z: f64, below: impl Fn(f64) -> bool) -> f64 {
        let guess = self.mean + self.mean.sqrt() * z + (z * z - 1.0) / 6.0;
        let (mut low, mut high) = (guess.round().max(0.0), guess.round().max(0.0));
        let mut stride = 1.0;
        while high == low || below(high) {
            if below(high) {
                low = high;
                high += stride;
            } else if low == 0.0 {
                return self.between(-1.0, high, below);
            } else {
                high = low;
                low = (low - stride).max(0.0);
                if below(low) {
                    break;
                }
                high = low;
            }
            stride *= 2.0;
        }
        self.between(low, high, below)
    }

    /// The least k in (low, high] that is not too small: low is, high is not.
    fn between(&self, mut low: f64, mut high: f64, below: impl Fn(f64) -> bool) -> f64 {
        while high - low > 1.0 {
            let middle = ((low + high) * 0.5).floor();
            if below(middle) {
                low = middle;
            } else {
                high = middle;
            }
        }
        high
    }
}
