//! Weights by nice value, and virtual time.

use thinktime_file::time::Nanos;

/// For nice -20 to 19: each step is a factor of about 1.25, and nice 0 is 1024 (Linux,
/// `sched_prio_to_weight`).
const WEIGHTS: [i64; 40] = [
    88761, 71755, 56483, 46273, 36291, 29154, 23254, 18705, 14949, 11916, 9548, 7620, 6100, 4904,
    3906, 3121, 2501, 1991, 1586, 1277, 1024, 820, 655, 526, 423, 335, 272, 215, 172, 137, 110, 87,
    70, 56, 45, 36, 29, 23, 18, 15,
];

/// The weight of nice 0, at which virtual time runs as fast as real time.
pub(super) const UNIT: i64 = 1024;

/// The weight of a level, 0 for nice -20.
pub(super) fn weight(level: u32) -> i64 {
    WEIGHTS[level as usize]
}

/// The virtual time that a task of this weight passes in a real time.
#[inline]
pub(super) fn virtual_span(real: Nanos, weight: i64) -> i64 {
    if weight == UNIT {
        return real.0 as i64;
    }
    (i128::from(real.0) * i128::from(UNIT) / i128::from(weight)) as i64
}

/// The shortest real time in which a task of this weight passes a virtual time.
#[inline]
pub(super) fn real_span(span: i64, weight: i64) -> Nanos {
    if span <= 0 {
        return Nanos::ZERO;
    }
    if weight == UNIT {
        return Nanos(span as u64);
    }
    let (span, weight, unit) = (i128::from(span), i128::from(weight), i128::from(UNIT));
    Nanos(((span * weight + unit - 1) / unit) as u64)
}
