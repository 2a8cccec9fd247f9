//! The normal law.

use std::f64::consts::{FRAC_1_SQRT_2, PI, SQRT_2};

/// Beyond this, the tail times e^{z²/2} is its continued fraction.
const FAR: f64 = 5.0;

/// The number of terms of that fraction is this over z², plus some: the error is below 1e-14.
const TERMS: f64 = 1500.0;
const LEAST_TERMS: f64 = 8.0;

/// P(Z > z), with full precision for small values.
pub(super) fn upper(z: f64) -> f64 {
    0.5 * libm::erfc(z * FRAC_1_SQRT_2)
}

/// P(Z <= z) and P(Z > z); the smaller has full precision.
pub(super) fn tails(z: f64) -> (f64, f64) {
    let small = upper(z.abs());
    if z < 0.0 { (small, 1.0 - small) } else { (1.0 - small, small) }
}

/// e^{power} P(Z > z), where the first factor alone may overflow.
pub(super) fn upper_times(power: f64, z: f64) -> f64 {
    if z < FAR { power.exp() * upper(z) } else { (power - 0.5 * z * z).exp() * scaled_tail(z) }
}

/// e^{z²/2} P(Z > z) for z from `FAR` on: Laplace's fraction 1 / (z + 1 / (z + 2 / (z + ...))).
fn scaled_tail(z: f64) -> f64 {
    let mut fraction = z;
    let mut term = (TERMS / (z * z)).ceil() + LEAST_TERMS;
    while term > 0.0 {
        fraction = z + term / fraction;
        term -= 1.0;
    }
    1.0 / (fraction * (2.0 * PI).sqrt())
}

/// erfcx(x) = e^{x²} erfc(x), the scaled complementary error function.
pub(super) fn erfcx(x: f64) -> f64 {
    let z = x * SQRT_2;
    if z < FAR { (x * x).exp() * libm::erfc(x) } else { 2.0 * scaled_tail(z) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values of Abramowitz and Stegun's table 7.1, and of the first terms of its 7.1.23.
    #[test]
    fn the_scaled_function_is_that_of_the_tables() {
        for (x, expected) in
            [(0.0, 1.0), (1.0, 0.427_583_576_155_807), (-1.0, 5.008_980_080_762_28)]
        {
            assert!((erfcx(x) / expected - 1.0).abs() < 1e-12, "{x}");
        }
        let (x, inverse) = (1000.0, 1e-6);
        let expected = (1.0 - inverse / 2.0 + 0.75 * inverse * inverse) / (x * PI.sqrt());
        assert!((erfcx(x) / expected - 1.0).abs() < 1e-14);
    }

    /// Values of Abramowitz and Stegun's table 26.1 and, far out, of its 26.2.14.
    #[test]
    fn tails_are_those_of_the_tables() {
        for (z, expected) in [(0.0, 0.5), (1.0, 0.158_655_253_931_457), (5.0, 2.866_515_718_79e-7)]
        {
            assert!((upper(z) / expected - 1.0).abs() < 1e-10, "{z}");
            let (lower, same) = tails(-z);
            assert!((lower / expected - 1.0).abs() < 1e-10 && (lower + same - 1.0).abs() < 1e-15);
        }
        assert!((upper_times(0.0, 10.0) / 7.619_853_024_16e-24 - 1.0).abs() < 1e-10);
    }

    #[test]
    fn the_fraction_goes_on_where_the_function_ends() {
        for z in [5.0, 5.5, 8.0, 20.0] {
            assert!((upper_times(0.0, z) / upper(z) - 1.0).abs() < 1e-12, "{z}");
        }
        let large = upper_times(5000.0, 100.0);
        assert!((large / 3.989_024_3e-3 - 1.0).abs() < 1e-6, "{large}");
    }
}
