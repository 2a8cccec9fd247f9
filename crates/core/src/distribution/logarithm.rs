//! The natural logarithm, for draws.
//!
//! Half of a simulated request's arithmetic is logarithms. This one is inlined, without a branch
//! and without a call. It is the same on every machine, so that a seed gives the same sample
//! everywhere. The platform's costs about twice as much, and its last digit varies.
//!
//! The method is the usual one (Tang, ACM Transactions on Mathematical Software 16, 1990): with
//! x = 2^k z and z near the point c of a table, ln x = k ln 2 + ln c + ln(1 + (z - c) / c).

use std::f64::consts::LN_2;

use super::streams::MANY;
use crate::simd::wide;

const BITS: u32 = 7;
const POINTS: usize = 1 << BITS;
/// z lies between this number, 0.6875, and twice as much: around 1, where k is 0.
const LEAST: u64 = 0x3fe6 << 48;

/// A point of the table.
#[derive(Clone, Copy)]
struct Point {
    c: f64,
    inverse: f64,
    logarithm: f64,
}

static TABLE: [Point; POINTS] = table();

const fn table() -> [Point; POINTS] {
    let mut points = [Point { c: 1.0, inverse: 1.0, logarithm: 0.0 }; POINTS];
    let mut at = 0;
    while at < POINTS {
        let least = f64::from_bits(LEAST + ((at as u64) << (52 - BITS)));
        let next = f64::from_bits(LEAST + ((at as u64 + 1) << (52 - BITS)));
        let c = 0.5 * (least + next);
        // Both neighbours of 1 use 1 itself, so that logarithms near 0 keep all their digits.
        if !(least == 1.0 || next == 1.0) {
            points[at] = Point { c, inverse: 1.0 / c, logarithm: series(c) };
        }
        at += 1;
    }
    points
}

/// ln c = 2 artanh((c - 1) / (c + 1)), by its series: the argument is at most 0.19.
const fn series(c: f64) -> f64 {
    let t = (c - 1.0) / (c + 1.0);
    let mut sum = 0.0;
    let mut power = 25;
    while power > 0 {
        sum = sum * t * t + 1.0 / power as f64;
        power -= 2;
    }
    2.0 * t * sum
}

/// The point near z, if x = 2^k z.
#[inline(always)]
fn point_of(x: f64) -> &'static Point {
    &TABLE[(x.to_bits().wrapping_sub(LEAST) >> (52 - BITS)) as usize % POINTS]
}

/// ln x, from the point near z.
#[inline(always)]
fn near(x: f64, point: &Point) -> f64 {
    let offset = x.to_bits().wrapping_sub(LEAST);
    // Wide registers convert only numbers of 32 bits.
    let k = ((offset as i64) >> 52) as i32;
    let z = f64::from_bits(x.to_bits().wrapping_sub(offset & (0xfff << 52)));
    // z - c is exact.
    let r = (z - point.c) * point.inverse;
    f64::from(k) * LN_2 + point.logarithm + near_one(r)
}

/// ln(1 + r) for a small r.
#[inline(always)]
fn near_one(r: f64) -> f64 {
    let square = r * r;
    let low = 1.0 / 3.0 + r * (-0.25);
    let high = 0.2 + r * (-1.0 / 6.0) + square * (1.0 / 7.0 + r * (-0.125));
    r + square * (-0.5 + r * (low + square * high))
}

/// ln x for a positive normal x, to within two units of the last place.
#[inline(always)]
pub(super) fn ln(x: f64) -> f64 {
    near(x, point_of(x))
}

/// The products of factors and logarithms, of which `next` gives one pair after another; the same
/// as by [`ln`]. In several loops: only one looks up the table, and in the others the compiler
/// handles several values with each instruction.
#[inline(always)]
pub(super) fn ln_all(mut next: impl FnMut(usize) -> (f64, f64)) -> [f64; MANY] {
    wide(
        #[inline(always)]
        || {
            let (mut values, mut numbers) = ([0.0; MANY], [0.0; MANY]);
            for at in 0..MANY {
                (values[at], numbers[at]) = next(at);
            }
            // A loop: `map` of an array is not always inlined.
            let mut points = [TABLE[0]; MANY];
            for at in 0..MANY {
                points[at] = *point_of(numbers[at]);
            }
            for at in 0..MANY {
                values[at] *= near(numbers[at], &points[at]);
            }
            values
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(x: f64) {
        let (ours, theirs) = (ln(x), x.ln());
        assert!((ours - theirs).abs() <= 4.5e-16 * theirs.abs(), "ln {x:e}: {ours}, {theirs}");
    }

    proptest! {
        #[test]
        fn it_is_the_platforms(u in 0.0f64..1.0) {
            check(u.max(f64::MIN_POSITIVE));
        }

        #[test]
        fn it_is_the_platforms_at_any_size(bits in 1u64 << 52..0x7ff0_0000_0000_0000) {
            check(f64::from_bits(bits));
        }

        #[test]
        fn it_keeps_its_digits_near_one(small in -0.01f64..0.01) {
            check(1.0 + small);
        }
    }

    proptest! {
        #[test]
        fn many_at_a_time_are_the_same(values in prop::array::uniform32(1e-9f64..10.0)) {
            let one_by_one = values.map(ln);
            prop_assert_eq!(ln_all(|at| (1.0, values[at])), one_by_one);
        }
    }

    #[test]
    fn its_ends_are_right() {
        assert_eq!(ln(1.0), 0.0);
        for x in [f64::MIN_POSITIVE, 0.5, 0.6875, 1.375, 2.0, f64::MAX] {
            check(x);
        }
        let least = 0.5f64.powi(53);
        check(least);
        check(1.0 - least);
    }

    /// Draws by inversion keep the order of their uniforms.
    #[test]
    fn it_increases() {
        let mut last = f64::NEG_INFINITY;
        for step in 1..200_000u32 {
            let value = ln(f64::from(step) / 200_000.0);
            assert!(value > last);
            last = value;
        }
    }
}
