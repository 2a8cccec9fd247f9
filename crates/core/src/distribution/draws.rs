//! Draws from distributions.

use thinktime_file::time::Nanos;

use super::streams::{MANY, One, OwnStreams};
use super::{AnyLaw, Distribution, Law};
use crate::random::Stream;

impl Distribution {
    /// The supremum of the powers whose moment E[X^power] is finite: the shape of a Pareto law, and
    /// infinite for most others.
    #[must_use]
    pub fn tail_index(&self) -> f64 {
        each_law!(&self.law, law => law.tail_index())
    }

    /// Draws one value after another, in the base unit.
    pub(crate) fn fill(&self, stream: &mut Stream, values: &mut [f64; MANY]) {
        // A copy with no other reference stays in registers.
        let mut own = stream.clone();
        each_law!(&self.law, law => law.fill(&mut One(&mut own), values));
        *stream = own;
    }

    /// Draws the first value of each stream, in the base unit.
    pub(crate) fn fill_from(&self, streams: impl Fn(usize) -> Stream, values: &mut [f64; MANY]) {
        each_law!(&self.law, law => law.fill(&mut OwnStreams(streams), values));
    }

    /// Draws a value in the base unit.
    #[inline]
    pub fn sample(&self, stream: &mut Stream) -> f64 {
        each_law!(&self.law, law => law.sample(stream))
    }

    /// Draws a value, rounded to the nearest whole number, and up from a half; values below zero
    /// count as zero.
    #[inline]
    pub(crate) fn sample_whole(&self, stream: &mut Stream) -> u64 {
        nearest_whole(self.sample(stream))
    }

    /// Draws the first value of a stream, as a time; values below zero count as zero.
    #[inline]
    pub(crate) fn first_time(&self, stream: impl FnOnce() -> Stream) -> Nanos {
        let value = match &self.law {
            // If a law is short, most of a stream made in place is never computed.
            AnyLaw::Exponential(law) => law.sample(&mut stream()),
            AnyLaw::Constant(law) => law.sample(&mut stream()),
            _ => self.sample(&mut stream()),
        };
        Nanos::from_secs_f64(value)
    }

    /// The probability that a draw, rounded, is this whole number.
    pub(crate) fn rounded_to(&self, number: f64) -> f64 {
        self.mass(number - 0.5, (number + 0.5).next_down())
    }

    /// Draws a time; values below zero count as zero.
    #[inline]
    pub fn sample_time(&self, stream: &mut Stream) -> Nanos {
        Nanos::from_secs_f64(self.sample(stream))
    }
}

/// As `x.round() as u64`, without a call: not every processor has an instruction that rounds.
#[inline(always)]
fn nearest_whole(x: f64) -> u64 {
    let whole = x as u64;
    whole.saturating_add(u64::from(x - whole as f64 >= 0.5))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_nearest_whole_number_is_that_of_the_library(
            x in prop_oneof![any::<f64>(), -2.0..1e6, 0.0..1e19],
            whole in 0_u64..1 << 54,
        ) {
            let half = whole as f64 + 0.5;
            for x in [x, half, half.next_down(), half.next_up()] {
                prop_assert_eq!(nearest_whole(x), x.round() as u64, "{}", x);
            }
        }
    }
}
