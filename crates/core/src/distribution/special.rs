//! The normal and the gamma law in standard form, accurate in both tails.
//!
//! `statrs` has these too, but loses digits where Thinktime needs them: its `erfc` has a relative
//! error of 1e-10 from 0.5 on, and its incomplete gamma functions one of about 1e-15 times the
//! shape, with a running time that grows as the shape's root. Its `ln_gamma` and `erfc_inv` are
//! good to 1e-14 and are used here.

use std::f64::consts::{PI, SQRT_2};

use statrs::function::erf::erfc_inv;
use statrs::function::gamma::ln_gamma;

use super::numeric::{Point, Tail, gauss_kronrod, solve};

/// From this shape on, the tails of the gamma law are integrated: series and continued fraction
/// need a number of terms that grows as the root of the shape.
const LARGE_SHAPE: f64 = 1000.0;

/// Φ(z), the standard normal law.
pub(super) fn normal_cdf(z: f64) -> f64 {
    let Point { lower, upper, .. } = gamma(0.5, 0.5 * z * z);
    if z < 0.0 { 0.5 * upper } else { 0.5 + 0.5 * lower }
}

/// The z with Φ(z) = u.
#[inline]
pub(super) fn normal_quantile(u: f64) -> f64 {
    -SQRT_2 * erfc_inv(2.0 * u)
}

/// exp(z²/2) (1 - Φ(z)) for z >= 0, which neither overflows nor vanishes (Mills' ratio over √2π).
pub(super) fn normal_upper_scaled(z: f64) -> f64 {
    let t = 0.5 * z * z;
    if t < 1.0 {
        0.5 * gamma(0.5, t).upper * t.exp()
    } else {
        0.5 * (t / PI).sqrt() * upper_fraction(0.5, t)
    }
}

/// P(X <= x) and P(X > x) of the gamma law with this shape and scale 1, of which the smaller has
/// all digits.
#[must_use]
pub fn gamma_tails(shape: f64, x: f64) -> (f64, f64) {
    let Point { lower, upper, .. } = gamma(shape, x);
    (lower, upper)
}

/// The gamma law with scale 1 at x: the regularised incomplete gamma functions P and Q, and the
/// density (Numerical Recipes, 3rd ed., 6.2).
pub(super) fn gamma(shape: f64, x: f64) -> Point {
    if x <= 0.0 || x == f64::INFINITY {
        let lower = if x > 0.0 { 1.0 } else { 0.0 };
        return Point { lower, upper: 1.0 - lower, density: 0.0 };
    }
    let weight = poisson_weight(shape, x);
    let density = weight * shape / x;
    let (lower, upper) = if shape >= LARGE_SHAPE {
        gamma_tails_of_large_shape(shape, x)
    } else if x < shape.max(1.0) {
        let lower = (weight * lower_series(shape, x)).min(1.0);
        (lower, 1.0 - lower)
    } else {
        let upper = (weight * shape * upper_fraction(shape, x)).min(1.0);
        (1.0 - upper, upper)
    };
    Point { lower, upper, density }
}

/// x^a e^-x / Γ(a + 1): the Poisson probability of a with mean x, by Loader's saddle point
/// expansion (Fast and accurate computation of binomial probabilities, 2000).
pub(super) fn poisson_weight(a: f64, x: f64) -> f64 {
    if a < 1.0 {
        return (a * x.ln() - x - ln_gamma(a + 1.0)).exp();
    }
    (-stirling_error(a) - deviance(a, x)).exp() / (2.0 * PI * a).sqrt()
}

/// ln Γ(a + 1) - ln(√(2πa) (a/e)^a).
fn stirling_error(a: f64) -> f64 {
    if a < 16.0 {
        return ln_gamma(a + 1.0) - (a + 0.5) * a.ln() + a - 0.5 * (2.0 * PI).ln();
    }
    let r = 1.0 / (a * a);
    (1.0 / 12.0 - r * (1.0 / 360.0 - r * (1.0 / 1260.0 - r * (1.0 / 1680.0 - r / 1188.0)))) / a
}

/// a ln(a/x) + x - a, without cancellation for x near a.
fn deviance(a: f64, x: f64) -> f64 {
    if (a - x).abs() >= 0.1 * (a + x) {
        return a * (a / x).ln() + x - a;
    }
    let v = (a - x) / (a + x);
    let (mut sum, mut term) = ((a - x) * v, 2.0 * a * v);
    for j in 1..100 {
        term *= v * v;
        let next = sum + term / f64::from(2 * j + 1);
        if next == sum {
            break;
        }
        sum = next;
    }
    sum
}

/// The sum of x^n / ((a + 1) ... (a + n)).
fn lower_series(a: f64, x: f64) -> f64 {
    let (mut sum, mut term, mut divisor) = (1.0, 1.0, a);
    while term > sum * 1e-17 {
        divisor += 1.0;
        term *= x / divisor;
        sum += term;
    }
    sum
}

/// Legendre's continued fraction of Γ(a, x) / (x^a e^-x), by Lentz's method.
fn upper_fraction(a: f64, x: f64) -> f64 {
    const TINY: f64 = 1e-300;
    let mut b = x + 1.0 - a;
    let mut c = 1.0 / TINY;
    let mut d = 1.0 / b;
    let mut h = d;
    for i in 1..10_000 {
        let i = f64::from(i);
        let numerator = -i * (i - a);
        b += 2.0;
        d = numerator * d + b;
        d = 1.0 / if d.abs() < TINY { TINY } else { d };
        c = b + numerator / c;
        c = if c.abs() < TINY { TINY } else { c };
        h *= d * c;
        if (d * c - 1.0).abs() < 1e-16 {
            break;
        }
    }
    h
}

/// P and Q by integrating the density from x away from its peak, until nothing is added.
fn gamma_tails_of_large_shape(shape: f64, x: f64) -> (f64, f64) {
    let density = |t: f64| {
        if t > 0.0 { poisson_weight(shape, t) * shape / t } else { 0.0 }
    };
    let side = if x < shape { -1.0 } else { 1.0 };
    let width = side * 1.5 * shape.sqrt();
    let (mut tail, mut from, mut panel) = (0.0, x, 1.0);
    while panel > tail * 1e-17 {
        panel = gauss_kronrod(&density, from, from + width).0.abs();
        tail += panel;
        from += width;
    }
    if side < 0.0 { (tail, 1.0 - tail) } else { (1.0 - tail, tail) }
}

/// The x at which the gamma law with scale 1 has the given tail; the least positive number if x is
/// smaller still.
pub(super) fn gamma_quantile(shape: f64, tail: Tail) -> f64 {
    let guess = gamma_guess(shape, tail);
    if guess < 1e-290 {
        return f64::MIN_POSITIVE;
    }
    solve(tail, guess, |x| gamma(shape, x))
}

/// A first guess: Wilson and Hilferty's cube root law, or the power law near zero.
fn gamma_guess(shape: f64, tail: Tail) -> f64 {
    let (p, q, z) = match tail {
        Tail::Lower(p) => (p, 1.0 - p, normal_quantile(p)),
        Tail::Upper(q) => (1.0 - q, q, -normal_quantile(q)),
    };
    let power_law = || ((p.ln() + ln_gamma(shape + 1.0)) / shape).exp();
    if shape > 1.0 {
        let root = 1.0 - 1.0 / (9.0 * shape) + z / (3.0 * shape.sqrt());
        if root > 0.3 {
            return shape * root * root * root;
        }
        return power_law();
    }
    // Numerical Recipes, 3rd ed., 6.2.1: a power law below a share t, an exponential above it.
    let t = 1.0 - shape * (0.253 + shape * 0.12);
    if p < t { power_law() } else { 1.0 - (q / (1.0 - t)).ln() }
}
