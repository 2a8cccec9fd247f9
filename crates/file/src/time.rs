//! Time as whole nanoseconds, the only clock unit inside Thinktime.

use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign, Sub};

use serde::{Deserialize, Serialize};

/// A point in time, or a span of it, in whole nanoseconds.
///
/// Points count from the start of the run. The range is 584 years. Additions saturate:
/// [`Nanos::MAX`] stands for "never", so that an endless wait stays endless.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct Nanos(pub u64);

const SHIFT: f64 = (1u64 << 52) as f64;

impl Nanos {
    /// The start of the run, or no time at all.
    pub const ZERO: Nanos = Nanos(0);
    /// Never.
    pub const MAX: Nanos = Nanos(u64::MAX);

    /// The nearest whole nanosecond to `seconds`; negative numbers and NaN give zero, and
    /// numbers beyond the range give [`Nanos::MAX`].
    #[inline(always)]
    #[must_use]
    pub fn from_secs_f64(seconds: f64) -> Nanos {
        let nanoseconds = seconds * 1e9;
        if (0.0..SHIFT).contains(&nanoseconds) {
            return Nanos::shifted(nanoseconds);
        }
        // A float-to-integer cast saturates and sends NaN to zero, so no check is needed.
        Nanos(nanoseconds as u64)
    }

    /// As [`Nanos::from_secs_f64`], for many: without a branch for each, two at a time.
    #[inline]
    #[allow(clippy::manual_range_contains, reason = "it would branch")]
    pub fn from_all_secs<const N: usize>(seconds: &[f64; N]) -> [Nanos; N] {
        let mut times = [Nanos::ZERO; N];
        let mut common = true;
        for at in 0..N {
            let nanoseconds = seconds[at] * 1e9;
            common &= (nanoseconds >= 0.0) & (nanoseconds < SHIFT);
            times[at] = Nanos::shifted(nanoseconds);
        }
        if common { times } else { seconds.map(Nanos::from_secs_f64) }
    }

    /// Added to 2^52, a smaller number leaves its nearest integer in the last bits. This is faster
    /// than a cast, and every draw needs one.
    #[inline(always)]
    fn shifted(nanoseconds: f64) -> Nanos {
        Nanos((nanoseconds + SHIFT).to_bits().wrapping_sub(SHIFT.to_bits()))
    }

    /// The nearest whole nanosecond to a number of them that is 0 or more.
    #[inline(always)]
    pub fn nearest(nanoseconds: f64) -> Nanos {
        const SIGNED_END: f64 = (1u64 << 63) as f64;
        let above = nanoseconds + 0.5;
        // Processors convert to signed numbers; converting to unsigned ones takes twice as long.
        if above < SIGNED_END { Nanos(above as i64 as u64) } else { Nanos::far(above) }
    }

    /// Out of line, because inlining would compute it for all.
    #[cold]
    fn far(nanoseconds: f64) -> Nanos {
        Nanos(nanoseconds as u64)
    }

    /// The number of nanoseconds, rounded to a float.
    #[inline(always)]
    pub fn as_f64(self) -> f64 {
        // Processors convert signed numbers by one instruction, and unsigned ones by six.
        let signed = self.0 as i64;
        if signed >= 0 { signed as f64 } else { self.far_as_f64() }
    }

    #[cold]
    fn far_as_f64(self) -> f64 {
        self.0 as f64
    }

    /// This time in seconds.
    #[inline]
    #[must_use]
    pub fn as_secs_f64(self) -> f64 {
        self.0 as f64 / 1e9
    }

    /// `self - earlier`, or zero if `earlier` is the later one.
    #[inline]
    #[must_use]
    pub fn since(self, earlier: Nanos) -> Nanos {
        Nanos(self.0.saturating_sub(earlier.0))
    }

    /// Whether this stands for "never".
    #[inline]
    #[must_use]
    pub fn is_never(self) -> bool {
        self == Nanos::MAX
    }
}

impl Add for Nanos {
    type Output = Nanos;
    #[inline]
    fn add(self, other: Nanos) -> Nanos {
        Nanos(self.0.saturating_add(other.0))
    }
}

impl AddAssign for Nanos {
    #[inline]
    fn add_assign(&mut self, other: Nanos) {
        *self = *self + other;
    }
}

impl Sub for Nanos {
    type Output = Nanos;
    /// # Panics
    /// When `other` is the later one: use [`Nanos::since`] if that is possible.
    #[inline]
    fn sub(self, other: Nanos) -> Nanos {
        assert!(self.0 >= other.0, "a span of time cannot be negative: {self:?} - {other:?}");
        Nanos(self.0 - other.0)
    }
}

impl Sum for Nanos {
    fn sum<I: Iterator<Item = Nanos>>(times: I) -> Nanos {
        times.fold(Nanos::ZERO, Add::add)
    }
}

impl fmt::Display for Nanos {
    /// Writes the time with the largest unit that leaves a number of 1 or more, as in `12.5ms`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        crate::units::format_time(self.as_secs_f64()).fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_round_to_the_nearest_nanosecond_and_saturate() {
        assert_eq!(Nanos::from_secs_f64(1.5e-9), Nanos(2));
        assert_eq!(Nanos::from_secs_f64(-1.0), Nanos::ZERO);
        assert_eq!(Nanos::from_secs_f64(f64::NAN), Nanos::ZERO);
        assert!(Nanos::from_secs_f64(f64::INFINITY).is_never());
        assert!((Nanos::from_secs_f64(3.25).as_secs_f64() - 3.25).abs() < 1e-12);
    }

    #[test]
    fn many_are_as_they_are_one_by_one() {
        for odd in [2.5, -1.0, f64::NAN, f64::INFINITY, 5e6, 1e12] {
            let seconds = [1.5e-9, 0.0, odd, 3.25];
            assert_eq!(Nanos::from_all_secs(&seconds), seconds.map(Nanos::from_secs_f64));
        }
    }

    #[test]
    fn nanoseconds_round_to_the_nearest() {
        for (given, expected) in [(0.0, 0), (0.49, 0), (0.5, 1), (2.5, 3), (1e19, 10u64.pow(19))] {
            assert_eq!(Nanos::nearest(given), Nanos(expected));
        }
        assert!(Nanos::nearest(f64::INFINITY).is_never());
    }

    #[test]
    fn all_are_converted_as_by_a_cast() {
        for nanoseconds in [0, 1, (1 << 53) + 1, i64::MAX as u64, 1 << 63, u64::MAX] {
            assert_eq!(Nanos(nanoseconds).as_f64(), nanoseconds as f64);
        }
    }

    #[test]
    fn never_stays_never() {
        assert!((Nanos::MAX + Nanos(1)).is_never());
    }

    #[test]
    fn times_print_with_their_unit() {
        assert_eq!(Nanos(12_500_000).to_string(), "12.5ms");
        assert_eq!(Nanos(0).to_string(), "0s");
    }
}
