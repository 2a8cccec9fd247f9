//! A finished histogram in little memory.

use serde::{Deserialize, Serialize};
use thinktime_file::time::Nanos;

use super::bins::{Bins, EIGHT, bin_of};
use crate::simd::wide;

/// The nonempty bins, in groups of eight.
///
/// Mostly that takes six bytes for eight bins instead of 64: so all finished sections of a run stay
/// in a processor's near caches. The code also avoids a branch for each bin: which bins of a group
/// are nonempty is as good as random.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Packed {
    /// Histograms whose sum this is.
    parts: Vec<Part>,
}

/// One histogram.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Part {
    /// Those whose counts fit into four bits each, the first bin's the lowest.
    few: Eights<u32>,
    /// Those whose counts fit into a byte each, the first bin's the lowest.
    some: Eights<u64>,
    /// All others.
    many: Eights<[u64; EIGHT]>,
}

/// Groups of eight bins.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Eights<Counts> {
    /// The number of each: its first bin is eight times that.
    numbers: Vec<u16>,
    counts: Vec<Counts>,
}

/// With more groups, parts are packed as one.
const EIGHTS_MAX: usize = 8192;

impl Packed {
    /// Packs the histogram, which is empty afterwards.
    pub(crate) fn of(bins: &mut Bins) -> Packed {
        let mut part = Part::default();
        part.few.reserve(bins.eights());
        wide(
            #[inline(always)]
            || {
                bins.drain(
                    #[inline(always)]
                    |number, any, counts| part.push(number, any, counts),
                );
            },
        );
        part.few.shrink_to_fit();
        part.some.shrink_to_fit();
        part.many.shrink_to_fit();
        Packed { parts: vec![part] }
    }

    /// Gives the nonempty groups, by number, with the counts of their bins; one may come more than
    /// once.
    #[inline(always)]
    pub(crate) fn each(&self, mut give: impl FnMut(usize, [u64; EIGHT])) {
        for part in &self.parts {
            part.few.each(|counts| spread(counts.into(), 4), &mut give);
            part.some.each(|counts| spread(counts, 8), &mut give);
            part.many.each(|counts| counts, &mut give);
        }
    }

    /// Adds its counts to those of a histogram.
    pub(crate) fn unpack_into(&self, bins: &mut Bins) {
        wide(
            #[inline(always)]
            || {
                self.each(
                    #[inline(always)]
                    |number, counts| bins.add_eight(number, counts),
                );
            },
        );
    }

    /// Adds another one; `scratch` is an empty histogram. Common bins are only sought when there
    /// are many.
    pub(crate) fn join(&mut self, other: Packed, scratch: &mut Bins) {
        self.parts.extend(other.parts);
        if self.parts.iter().map(Part::eights).sum::<usize>() > EIGHTS_MAX {
            self.unpack_into(scratch);
            *self = Packed::of(scratch);
        }
    }

    /// The numbers of times up to each of these, or in its bin, in one pass over all bins. Times
    /// must be in ascending order.
    pub(crate) fn up_to<const N: usize>(&self, times: [Nanos; N]) -> [u64; N] {
        wide(
            #[inline(always)]
            || self.counted_up_to(times),
        )
    }

    #[inline(always)]
    fn counted_up_to<const N: usize>(&self, times: [Nanos; N]) -> [u64; N] {
        let last = times.map(|time| bin_of(time.0));
        // The times above the one before; bins mostly come in their order, so that the place of the
        // last one is near.
        let (mut between, mut at) = ([0; N], 0);
        self.each(
            #[inline(always)]
            |number, counts| {
                let first = EIGHT * number;
                while at > 0 && first <= last[at - 1] {
                    at -= 1;
                }
                while at < N && first > last[at] {
                    at += 1;
                }
                // Mostly none of the times lies in between, so that all eight belong to the same.
                if at < N && first + EIGHT - 1 <= last[at] {
                    between[at] += counts.iter().sum::<u64>();
                    return;
                }
                for (bin, count) in (first..).zip(counts) {
                    while at < N && bin > last[at] {
                        at += 1;
                    }
                    if at < N {
                        between[at] += count;
                    }
                }
            },
        );
        let mut sum = 0;
        between.map(|count| {
            sum += count;
            sum
        })
    }
}

/// Eight counts of this number of bits each. A loop, because `from_fn` is not always inlined.
#[inline(always)]
fn spread(counts: u64, bits: usize) -> [u64; EIGHT] {
    let mut eight = [0; EIGHT];
    for (at, count) in eight.iter_mut().enumerate() {
        *count = counts >> (bits * at) & ((1 << bits) - 1);
    }
    eight
}

impl Part {
    /// Adds a group of bins; `any` has all bits that any of its counts has.
    #[inline(always)]
    fn push(&mut self, number: usize, any: u64, counts: &[u64; EIGHT]) {
        // Every other one, so that pairs of counts take the same steps.
        let [c, d, e, f, g, h, i, j] = *counts;
        let packed = |bits: u32| {
            let every_other =
                |[a, b, c, d]: [u64; 4]| a | b << (2 * bits) | c << (4 * bits) | d << (6 * bits);
            every_other([c, e, g, i]) | every_other([d, f, h, j]) << bits
        };
        match any {
            0..16 => self.few.push(number, packed(4) as u32),
            16..256 => self.some.push(number, packed(8)),
            _ => self.many.push(number, *counts),
        }
    }

    fn eights(&self) -> usize {
        self.few.numbers.len() + self.some.numbers.len() + self.many.numbers.len()
    }
}

impl<Counts: Copy> Eights<Counts> {
    fn reserve(&mut self, number: usize) {
        self.numbers.reserve(number);
        self.counts.reserve(number);
    }

    fn shrink_to_fit(&mut self) {
        self.numbers.shrink_to_fit();
        self.counts.shrink_to_fit();
    }

    #[inline(always)]
    fn push(&mut self, number: usize, counts: Counts) {
        self.numbers.push(number as u16); // there are some 7,000
        self.counts.push(counts);
    }

    #[inline(always)]
    fn each(
        &self,
        unpacked: impl Fn(Counts) -> [u64; EIGHT],
        give: &mut impl FnMut(usize, [u64; EIGHT]),
    ) {
        for (number, counts) in self.numbers.iter().zip(&self.counts) {
            give(usize::from(*number), unpacked(*counts));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::array::from_fn;

    use super::*;
    use proptest::prelude::*;

    fn bins(times: &[u64]) -> Bins {
        let mut bins = Bins::default();
        times.iter().for_each(|time| bins.add(Nanos(*time)));
        bins
    }

    proptest! {
        /// Packing and merging lose nothing, whether that packs anew or not.
        #[test]
        fn packed_bins_hold_what_was_packed(
            some in prop::collection::vec(prop_oneof![0u64..300, any::<u64>()], 0..200),
            others in prop::collection::vec(prop_oneof![0u64..300, any::<u64>()], 0..200),
            times in 0usize..80,
            until in any::<u64>(),
        ) {
            let (mut all, mut both) = (some.clone(), Packed::of(&mut bins(&some)));
            for _ in 0..times {
                both.join(Packed::of(&mut bins(&others)), &mut Bins::default());
                all.extend(&others);
            }
            let mut unpacked = Bins::default();
            both.unpack_into(&mut unpacked);
            prop_assert!(unpacked.held().eq(bins(&all).held()));
            let upto = |until: Nanos| {
                all.iter().filter(|time| bin_of(**time) <= bin_of(until.0)).count() as u64
            };
            let untils = [Nanos(until / 2), Nanos(until), Nanos::MAX];
            prop_assert_eq!(both.up_to(untils), untils.map(upto));
        }
    }

    #[test]
    fn large_counts_are_kept() {
        let given = [(0, 15), (1, 1), (9, 16), (20, 255), (21, 256), (56_319, u64::MAX)];
        let mut part = Part::default();
        for (bin, count) in given {
            let counts = from_fn(|at| if at == bin % EIGHT { count } else { 0 });
            part.many.push(bin / EIGHT, counts);
        }
        let mut bins = Bins::default();
        Packed { parts: vec![part] }.unpack_into(&mut bins);
        let packed = Packed::of(&mut bins);
        let sizes = packed.parts.iter().map(|one| [one.few.numbers.len(), one.some.numbers.len()]);
        assert_eq!((sizes.collect::<Vec<_>>(), packed.parts[0].eights()), (vec![[1, 1]], 4));
        let mut found = Vec::new();
        packed.each(|number, counts| {
            let bins = (EIGHT * number..).zip(counts);
            found.extend(bins.filter(|(_, count)| *count > 0));
        });
        assert_eq!(found, given);
        assert_eq!(bin_of(u64::MAX), 56_319);
    }
}
