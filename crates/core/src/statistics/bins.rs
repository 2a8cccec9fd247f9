//! A histogram of times with three significant digits, for millions of entries a second.

use hdrhistogram::Histogram;
use serde::{Deserialize, Serialize};
use thinktime_file::time::Nanos;

/// Counts by bins that are at most 0.1 % wide: one a nanosecond below 2048 ns, then 1024 to every
/// power of two. These are the bins of an HdrHistogram of three digits, without its bookkeeping.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(from = "Vec<(u32, u64)>", into = "Vec<(u32, u64)>")]
pub(crate) struct Bins {
    counts: Vec<u64>,
}

/// Bins to a power of two, as a power of two.
const DIGITS: u32 = 10;
/// The number of bins is a multiple of this.
pub(crate) const EIGHT: usize = 8;

impl Bins {
    #[inline(always)]
    pub(crate) fn add(&mut self, time: Nanos) {
        let bin = bin_of(time.0);
        self.grow_to(bin);
        self.counts[bin] += 1;
    }

    /// Adds many.
    #[inline(always)]
    pub(crate) fn add_all(&mut self, times: &[Nanos]) {
        for time in times {
            self.add(*time);
        }
    }

    /// The nonempty bins, with their counts.
    pub(crate) fn held(&self) -> impl Iterator<Item = (usize, u64)> + '_ {
        self.counts.iter().copied().enumerate().filter(|(_, count)| *count > 0)
    }

    /// The number of groups of eight, most of which are empty.
    pub(crate) fn eights(&self) -> usize {
        self.counts.len() / EIGHT
    }

    /// Gives the bins in groups of eight, in their order, and empties them: the number of each
    /// group, all bits that any of its counts has, and the counts. Empty groups are left out.
    #[inline(always)]
    pub(crate) fn drain(&mut self, mut taken: impl FnMut(usize, u64, &[u64; EIGHT])) {
        let (eights, _) = self.counts.as_chunks_mut::<EIGHT>();
        for (number, eight) in eights.iter_mut().enumerate() {
            let any = any_of(eight);
            if any > 0 {
                taken(number, any, eight);
                *eight = [0; EIGHT];
            }
        }
    }

    /// Adds the counts of the group of eight with this number.
    #[inline(always)]
    pub(crate) fn add_eight(&mut self, number: usize, counts: [u64; EIGHT]) {
        if number >= self.eights() {
            self.grow(EIGHT * number);
        }
        let (eights, _) = self.counts.as_chunks_mut::<EIGHT>();
        eights[number].iter_mut().zip(counts).for_each(|(mine, theirs)| *mine += theirs);
    }

    #[inline(always)]
    fn grow_to(&mut self, bin: usize) {
        if bin >= self.counts.len() {
            self.grow(bin);
        }
    }

    #[cold]
    fn grow(&mut self, bin: usize) {
        self.counts.resize((bin + 1).next_multiple_of(EIGHT), 0);
    }

    pub(crate) fn merge(&mut self, other: &Bins) {
        if self.counts.len() < other.counts.len() {
            self.counts.resize(other.counts.len(), 0);
        }
        self.counts.iter_mut().zip(&other.counts).for_each(|(mine, theirs)| *mine += theirs);
    }

    /// For each of these numbers, which are 1 or more and in ascending order, the largest time of
    /// the first bin that contains this many times, with the bins before it; zero beyond the last
    /// time. One pass over all bins, eight at a time as far as no number lies among them.
    pub(crate) fn nth<const N: usize>(&self, numbers: [u64; N]) -> [Nanos; N] {
        let (mut found, mut known, mut below) = ([Nanos::ZERO; N], 0, 0);
        for (first, eight) in self.eights_from() {
            // Without checks, eight are added at a time; the number of all times fits into a word.
            let until = eight.iter().fold(below, |sum: u64, count| sum.wrapping_add(*count));
            while known < N && numbers[known] <= until {
                found[known] = Nanos(largest_in(first + within(eight, numbers[known] - below)));
                known += 1;
            }
            below = until;
        }
        found
    }

    /// The sum and the sum of squares of the times in seconds, each the largest of its bin.
    pub(crate) fn sums_s(&self) -> [f64; 2] {
        let (mut sum, mut squares) = (0.0, 0.0);
        for (first, eight) in self.eights_from().filter(|(_, eight)| any_of(eight) > 0) {
            // A group of eight lies within one power of two, and its bins are equally wide.
            let shortest = largest_in(first);
            let width = (largest_in(first + 1) - shortest) as f64;
            for (number, count) in eight.iter().enumerate() {
                let (time, count) = (shortest as f64 + number as f64 * width, *count as f64);
                sum += count * time;
                squares += count * time * time;
            }
        }
        [1e-9 * sum, 1e-18 * squares]
    }

    /// The groups of eight, each with the number of its first bin.
    fn eights_from(&self) -> impl Iterator<Item = (usize, &[u64; EIGHT])> {
        let (eights, _) = self.counts.as_chunks::<EIGHT>();
        eights.iter().enumerate().map(|(number, eight)| (EIGHT * number, eight))
    }

    /// The times, each the largest of its bin, with their counts.
    pub(crate) fn times(&self) -> impl Iterator<Item = (Nanos, u64)> + '_ {
        self.held().map(|(bin, count)| (Nanos(largest_in(bin)), count))
    }

    /// As an HdrHistogram, for files.
    pub(crate) fn histogram(&self) -> Histogram<u64> {
        let mut histogram = Histogram::new(3).expect("three digits are a valid precision");
        for (Nanos(time), count) in self.times() {
            histogram.record_n(time, count).expect("a histogram that grows takes any value");
        }
        histogram
    }
}

/// Nonempty bins, by number, with their counts: the form in which histograms are written down.
impl From<Bins> for Vec<(u32, u64)> {
    fn from(bins: Bins) -> Vec<(u32, u64)> {
        bins.held().map(|(bin, count)| (bin as u32, count)).collect()
    }
}

impl From<Vec<(u32, u64)>> for Bins {
    fn from(held: Vec<(u32, u64)>) -> Bins {
        let mut bins = Bins::default();
        let last = bin_of(u64::MAX);
        for (bin, count) in held.into_iter().map(|(bin, count)| (bin as usize, count)) {
            // Refuses invalid bins: damaged data must not take all memory.
            if bin <= last {
                bins.grow_to(bin);
                bins.counts[bin] = bins.counts[bin].saturating_add(count);
            }
        }
        bins
    }
}

/// All bits that any of these counts has.
#[inline(always)]
fn any_of(counts: &[u64; EIGHT]) -> u64 {
    counts.iter().fold(0, |any, count| any | count)
}

/// The first of these bins that contains this many times, with those before it.
fn within(counts: &[u64; EIGHT], mut number: u64) -> usize {
    let contains = |count: &u64| {
        let contains = number <= *count;
        number = number.saturating_sub(*count);
        contains
    };
    // No caller asks for a number beyond their sum, whose bin would be the last.
    counts.iter().position(contains).unwrap_or(EIGHT - 1)
}

#[inline(always)]
pub(crate) fn bin_of(time: u64) -> usize {
    // Times below 2048 have a shift of 0 and are their own bins.
    let shift = (63 - (time | 1).leading_zeros()).saturating_sub(DIGITS);
    ((u64::from(shift) << DIGITS) + (time >> shift)) as usize
}

/// The largest time of a bin.
fn largest_in(bin: usize) -> u64 {
    let shift = ((bin >> DIGITS) as u32).saturating_sub(1);
    let steps = bin as u64 - (u64::from(shift) << DIGITS);
    // The last bin's end is one more than the largest possible number.
    (u128::from(steps + 1) << shift).wrapping_sub(1) as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// A time lies in its bin, and the bin is at most 0.1 % wide and in order.
        #[test]
        fn bins_hold_their_times(time in prop_oneof![0u64..5000, any::<u64>()]) {
            let bin = bin_of(time);
            let largest = largest_in(bin);
            prop_assert!(time <= largest);
            prop_assert_eq!(bin_of(largest), bin);
            prop_assert!((largest - time) as f64 <= 0.001 * time as f64);
            if let Some(next) = largest.checked_add(1) {
                prop_assert_eq!(bin_of(next), bin + 1);
            }
        }

        /// Numbers and sums are those of the times, each the largest of its bin.
        #[test]
        fn numbers_and_sums_are_those_of_the_times(
            mut times in prop::collection::vec((0u32..40).prop_flat_map(|it| 0..2u64 << it), 1..60),
        ) {
            let mut bins = Bins::default();
            times.iter().for_each(|time| bins.add(Nanos(*time)));
            times.sort_unstable();
            let largest = |number: u64| Nanos(largest_in(bin_of(times[number as usize - 1])));
            let many = times.len();
            let numbers = [1, many.div_ceil(2), many, many].map(|it| it as u64);
            prop_assert_eq!(bins.nth(numbers), numbers.map(largest));
            prop_assert_eq!(bins.nth([numbers[3] + 1]), [Nanos::ZERO]);
            let seconds = |number: usize| largest(number as u64 + 1).as_secs_f64();
            let sum: f64 = (0..times.len()).map(seconds).sum();
            let squares: f64 = (0..times.len()).map(|it| seconds(it).powi(2)).sum();
            let [found, found_squares] = bins.sums_s();
            prop_assert!((found - sum).abs() <= 1e-12 * sum);
            prop_assert!((found_squares - squares).abs() <= 1e-12 * squares);
        }

        /// They are the bins of an HdrHistogram.
        #[test]
        fn bins_are_those_of_an_hdr_histogram(time in 0u64..1 << 40) {
            let histogram = Histogram::<u64>::new_with_bounds(1, 1 << 41, 3).unwrap();
            prop_assert_eq!(histogram.highest_equivalent(time), largest_in(bin_of(time)));
        }
    }
}
