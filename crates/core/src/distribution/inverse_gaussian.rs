//! `inverse_gaussian(mu=, lambda=)`.

use std::f64::consts::PI;

use thinktime_file::error::Invalid;
use thinktime_file::units::Dimension;

use super::numeric::{Point, Tail, gauss_kronrod, solve};
use super::special::{normal_quantile, normal_upper_scaled};
use super::values::written;
use super::{Entry, Law};
use crate::files::Files;
use crate::notation::{Arguments, Call};
use crate::random::Stream;

/// The first passage time of a Brownian motion with drift: mean mu, variance mu³/lambda.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct InverseGaussian {
    mu: f64,
    lambda: f64,
}

impl InverseGaussian {
    fn new(mu: f64, lambda: f64) -> Result<InverseGaussian, Invalid> {
        Self::ENTRY.positive("mu", mu)?;
        Self::ENTRY.positive("lambda", lambda)?;
        Ok(InverseGaussian { mu, lambda })
    }

    /// F(x) = Φ(z) + e^(2λ/μ) Φ(-w), with z = √(λ/x) (x/μ - 1) and w = √(λ/x) (x/μ + 1). As
    /// w² = z² + 4λ/μ, the factor e^(-z²/2) can be taken out, and nothing overflows.
    fn point(&self, x: f64) -> Point {
        if x == f64::INFINITY {
            return Point { lower: 1.0, upper: 0.0, density: 0.0 };
        }
        let root = (self.lambda / x.max(0.0)).sqrt();
        let (z, w) = (root * (x / self.mu - 1.0), root * (x / self.mu + 1.0));
        // Too near 0 for a number, or not above it.
        if z < -40.0 {
            return Point { lower: 0.0, upper: 1.0, density: 0.0 };
        }
        let factor = (-0.5 * z * z).exp();
        let (near, far) = (normal_upper_scaled(z.abs()), normal_upper_scaled(w));
        let (lower, upper) = if z < 0.0 {
            let lower = (factor * (near + far)).min(1.0);
            (lower, 1.0 - lower)
        } else {
            let upper = (factor * (near - far)).clamp(0.0, 1.0);
            (1.0 - upper, upper)
        };
        let whole = if z < 0.0 { 1.0 } else { factor * near };
        let upper = if upper < 0.01 * whole { factor * difference(z, 2.0 * root) } else { upper };
        Point { lower, upper, density: root / ((2.0 * PI).sqrt() * x) * factor }
    }

    fn solve(&self, tail: Tail) -> f64 {
        // The guess is the lognormal law with the same mean and variance.
        let z = match tail {
            Tail::Lower(p) => normal_quantile(p),
            Tail::Upper(q) => -normal_quantile(q),
        };
        let variance = (self.mu / self.lambda).ln_1p();
        let guess = self.mu * (variance.sqrt() * z - 0.5 * variance).exp();
        solve(tail, guess, |x| self.point(x))
    }
}

/// R(z) - R(z + d) where R(z) = exp(z²/2) (1 - Φ(z)), when d is so small that they nearly agree:
/// the integral of exp(-z s - s²/2) (1 - exp(-d s)) / √2π over all s > 0.
fn difference(z: f64, d: f64) -> f64 {
    const PANELS: u32 = 8;
    // Beyond this the integrand has fallen by e^-40.
    let end = 80.0 / (z + (z * z + 80.0).sqrt());
    let f = |s: f64| (-s * (z + 0.5 * s)).exp() * -(-d * s).exp_m1();
    let edge = |i: u32| end * f64::from(i) / f64::from(PANELS);
    let sum: f64 = (0..PANELS).map(|i| gauss_kronrod(&f, edge(i), edge(i + 1)).0).sum();
    sum / (2.0 * PI).sqrt()
}

impl Law for InverseGaussian {
    const ENTRY: Entry = Entry {
        name: "inverse_gaussian",
        usage: "inverse_gaussian(mu=4, lambda=9)",
        example: "inverse_gaussian(mu=20ms, lambda=50ms)",
        summary: "first passage times, with mean mu and C² = mu/lambda",
        source: "Michael, Schucany and Haas, The American Statistician 30(2), 1976",
    };

    fn parse(call: &Call, _files: &dyn Files) -> Result<(Self, Dimension), Invalid> {
        let mut arguments = Arguments::new(call, Self::ENTRY.usage, &["mu", "lambda"])?;
        let (mu, lambda) = (arguments.quantity("mu")?, arguments.quantity("lambda")?);
        arguments.finish()?;
        let dimension = Self::ENTRY.common_dimension([mu.dimension, lambda.dimension])?;
        Ok((InverseGaussian::new(mu.value, lambda.value)?, dimension))
    }

    fn notation(&self, dimension: Dimension) -> String {
        let (mu, lambda) = (written(self.mu, dimension), written(self.lambda, dimension));
        format!("inverse_gaussian(mu={mu}, lambda={lambda})")
    }

    fn mean(&self) -> f64 {
        self.mu
    }

    fn second_moment(&self) -> f64 {
        (1.0 + self.mu / self.lambda) * self.mu * self.mu
    }

    fn cdf(&self, x: f64) -> f64 {
        self.point(x).lower
    }

    fn survival(&self, x: f64) -> f64 {
        self.point(x).upper
    }

    fn quantile(&self, u: f64) -> f64 {
        self.solve(Tail::of_lower(u))
    }

    fn upper_quantile(&self, q: f64) -> f64 {
        self.solve(Tail::of_upper(q))
    }

    fn range(&self) -> (f64, f64) {
        (0.0, f64::INFINITY)
    }

    fn is_discrete(&self) -> bool {
        false
    }

    fn scaled(&self, factor: f64) -> Option<Self> {
        InverseGaussian::new(self.mu * factor, self.lambda * factor).ok()
    }

    /// Two uniforms: one for a squared normal number, one to choose between its two values.
    #[inline]
    fn sample(&self, stream: &mut Stream) -> f64 {
        let z = normal_quantile(stream.uniform());
        let t = 0.5 * z * z * self.mu / self.lambda;
        // The two values are mu times the smaller root and mu over it.
        let root = 1.0 / (1.0 + t + (t * (2.0 + t)).sqrt());
        if stream.uniform() * (1.0 + root) <= 1.0 { self.mu * root } else { self.mu / root }
    }
}
