//! Draws from distributions.

use super::{AnyLaw, Distribution, Law};
use crate::random::Stream;
use crate::time::Nanos;

impl Distribution {
    /// Draws one value after another, in the base unit.
    pub(crate) fn fill(&self, stream: &mut Stream, values: &mut [f64]) {
        each_law!(&self.law, law => values.iter_mut().for_each(|one| *one = law.sample(stream)));
    }

    /// Draws the first value of each stream, in the base unit.
    pub(crate) fn fill_from(&self, streams: impl Fn(usize) -> Stream, values: &mut [f64]) {
        each_law!(&self.law, law => {
            for (at, one) in values.iter_mut().enumerate() {
                *one = law.sample(&mut streams(at));
            }
        });
    }

    /// Draws a value in the base unit.
    #[inline]
    pub fn sample(&self, stream: &mut Stream) -> f64 {
        each_law!(&self.law, law => law.sample(stream))
    }

    /// Draws a time; values below zero count as zero.
    #[inline]
    pub fn sample_time(&self, stream: &mut Stream) -> Nanos {
        Nanos::from_secs_f64(self.sample(stream))
    }
}
