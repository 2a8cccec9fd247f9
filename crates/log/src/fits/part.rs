//! Laws of one part: how likely values are.
//!
//! Sources: Johnson, Kotz and Balakrishnan, *Continuous Univariate Distributions* 1 and 2 (1994,
//! 1995), chapters 14, 17 to 21 and 26; Johnson, Kemp and Kotz, *Univariate Discrete
//! Distributions* (2005), chapters 4 and 5; Chhikara and Folks, *The Inverse Gaussian
//! Distribution* (1989), chapter 2.

use thinktime_core::distribution::gamma_tails;

use super::normal;

/// A law with its parameters, and values derived from them alone.
#[derive(Clone, Copy, Debug)]
pub(super) enum Part {
    Constant(f64),
    Exponential {
        mean: f64,
    },
    /// Whole numbers from 1 on, each reached with e^{-rate} from the one before.
    Geometric {
        mean: f64,
        rate: f64,
    },
    Poisson {
        mean: f64,
    },
    Gamma {
        shape: f64,
        scale: f64,
    },
    Uniform {
        low: f64,
        high: f64,
    },
    Pareto {
        shape: f64,
        scale: f64,
    },
    /// Given that it is up to `high`, below which the whole law has `kept`.
    BoundedPareto {
        shape: f64,
        low: f64,
        high: f64,
        kept: f64,
    },
    Lognormal {
        mu: f64,
        sigma: f64,
    },
    /// Likewise, with the part `beyond`.
    CutLognormal {
        mu: f64,
        sigma: f64,
        high: f64,
        beyond: f64,
        kept: f64,
    },
    Weibull {
        shape: f64,
        scale: f64,
        mean: f64,
    },
    /// The share and the mean of each of two phases.
    Hyperexponential([(f64, f64); 2]),
    InverseGaussian {
        mu: f64,
        lambda: f64,
    },
}

impl Part {
    /// P(X <= x) and P(X > x); the smaller has full precision; all is above an x below 0.
    pub(super) fn tails(&self, x: f64) -> (f64, f64) {
        match *self {
            Part::Constant(value) => (f64::from(x >= value), f64::from(x < value)),
            Part::Exponential { mean } => decayed(x.max(0.0) / mean),
            Part::Geometric { rate, .. } => decayed(x.max(0.0).floor() * rate),
            Part::Poisson { .. } if x < 0.0 => (0.0, 1.0),
            Part::Poisson { mean } => {
                let (below, from) = gamma_tails(x.floor() + 1.0, mean);
                (from, below)
            }
            Part::Gamma { shape, scale } => gamma_tails(shape, x.max(0.0) / scale),
            Part::Uniform { low, high } => {
                let x = x.max(low).min(high);
                ((x - low) / (high - low), (high - x) / (high - low))
            }
            Part::Pareto { shape, scale } => decayed(shape * (x.max(scale) / scale).ln()),
            Part::BoundedPareto { shape, low, high, kept } => {
                // The part above, as a product, so that nothing cancels near `high`.
                let x = x.max(low).min(high);
                let (lower, upper) = decayed(shape * (x / low).ln());
                (lower / kept, upper * decayed(shape * (high / x).ln()).0 / kept)
            }
            Part::Lognormal { mu, sigma } => normal::tails(standard(x, mu, sigma)),
            Part::CutLognormal { mu, sigma, high, beyond, kept } => {
                let (lower, upper) = normal::tails(standard(x.min(high), mu, sigma));
                (lower / kept, (upper - beyond).max(0.0) / kept)
            }
            Part::Weibull { shape, scale, .. } => decayed((x.max(0.0) / scale).powf(shape)),
            Part::Hyperexponential(phases) => {
                let each = phases.map(|(share, mean)| (share, decayed(x.max(0.0) / mean)));
                let [(first, (lower, upper)), (second, (under, over))] = each;
                (first * lower + second * under, first * upper + second * over)
            }
            Part::InverseGaussian { mu, lambda } => {
                let (lower, upper, second) = first_passage(x, mu, lambda);
                ((lower + second).min(1.0), (upper - second).max(0.0))
            }
        }
    }

    /// E[min(X, x)] for x >= 0, which is the integral of P(X > t) from 0 to x.
    pub(super) fn clipped_mean(&self, x: f64) -> f64 {
        let (lower, upper) = self.tails(x);
        match *self {
            Part::Constant(value) => x.min(value),
            Part::Exponential { mean } => mean * lower,
            Part::Geometric { mean, .. } => mean * lower + (x - x.floor()) * upper,
            // E[X; X <= n] = mean P(X <= n - 1).
            Part::Poisson { mean } => mean * self.tails(x.floor() - 1.0).0 + x * upper,
            Part::Gamma { shape, scale } => {
                shape * scale * gamma_tails(shape + 1.0, x / scale).0 + x * upper
            }
            Part::Uniform { low, high } => {
                let inside = x.max(low).min(high) - low;
                x.min(low) + inside * (1.0 - inside / (2.0 * (high - low)))
            }
            Part::Pareto { shape, scale } => {
                x.min(scale) + scale * growth(1.0 - shape, (x.max(scale) / scale).ln())
            }
            Part::BoundedPareto { shape, low, high, kept } => {
                x.min(low) + beyond_least(x.max(low).min(high), shape, low, high) / kept
            }
            Part::Lognormal { mu, sigma } => below_lognormal(x, mu, sigma) + x * upper,
            Part::CutLognormal { mu, sigma, high, beyond, kept } => {
                let whole = Part::Lognormal { mu, sigma }.clipped_mean(x.min(high));
                (whole - x.min(high) * beyond) / kept
            }
            Part::Weibull { shape, scale, mean } => {
                mean * gamma_tails(1.0 / shape, (x / scale).powf(shape)).0
            }
            Part::Hyperexponential(phases) => {
                phases.iter().map(|(share, mean)| share * mean * decayed(x / mean).0).sum()
            }
            Part::InverseGaussian { mu, lambda } => {
                let (lower, upper, second) = first_passage(x, mu, lambda);
                mu * (lower - second) + x * (upper - second).max(0.0)
            }
        }
    }
}

/// 1 - e^{-y} and e^{-y}.
fn decayed(y: f64) -> (f64, f64) {
    if y < 0.5 {
        let lower = -(-y).exp_m1();
        return (lower, 1.0 - lower);
    }
    let upper = (-y).exp();
    (1.0 - upper, upper)
}

fn standard(x: f64, mu: f64, sigma: f64) -> f64 {
    (x.max(f64::MIN_POSITIVE).ln() - mu) / sigma
}

/// E[X; X <= x] of the lognormal law.
fn below_lognormal(x: f64, mu: f64, sigma: f64) -> f64 {
    normal::upper_times(mu + 0.5 * sigma * sigma, sigma - standard(x, mu, sigma))
}

/// Φ(a), Φ(-a) and e^{2λ/μ} Φ(-b), with a = √(λ/x) (x/μ - 1) and b = √(λ/x) (x/μ + 1).
fn first_passage(x: f64, mu: f64, lambda: f64) -> (f64, f64, f64) {
    let x = x.max(1e-300);
    let root = (lambda / x).sqrt();
    let (lower, upper) = normal::tails(root * (x / mu - 1.0));
    (lower, upper, normal::upper_times(2.0 * lambda / mu, root * (x / mu + 1.0)))
}

/// E[min(X, x) - low; X <= high] of the Pareto law from `low` on, for an x between both.
fn beyond_least(x: f64, shape: f64, low: f64, high: f64) -> f64 {
    let (log, beyond) = ((x / low).ln(), (-shape * (high / low).ln()).exp());
    low * growth(1.0 - shape, log) - beyond * low * log.exp_m1()
}

/// (e^{power log} - 1) / power, and log at power 0.
fn growth(power: f64, log: f64) -> f64 {
    if power.abs() < 1e-12 { log } else { (power * log).exp_m1() / power }
}
