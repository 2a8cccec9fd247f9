//! A finished histogram in little memory.

use super::bins::{Bins, EIGHT, bin_of};
use crate::time::Nanos;

/// The bins that hold something, as words of 16 bits: in the upper half of a word the step from the
/// bin before, in the lower half the count. Where a step does not fit, the half is [`WIDE`] and the
/// step is the next word; where a count does not, the half is 0 and the count is the next four
/// words, the lowest first.
///
/// Mostly that takes two bytes for a bin instead of eight for each bin from zero on: so all
/// finished sections of a run stay in a processor's near caches.
#[derive(Clone, Debug, Default)]
pub(super) struct Packed {
    /// Histograms of which this is the sum.
    parts: Vec<Vec<u16>>,
}

/// Steps and counts from here on do not fit.
const WIDE: u64 = 255;
/// The words of a count.
const COUNT_WORDS: usize = 4;
/// With more words, parts are packed as one.
const WORDS_MAX: usize = 12288;

impl Packed {
    /// What the histogram holds, which then is empty.
    pub(super) fn of(bins: &mut Bins) -> Packed {
        let (mut words, mut last) = (Vec::new(), 0);
        bins.drain(|first, counts| last = push_eight(&mut words, last, first, counts));
        words.shrink_to_fit();
        Packed { parts: vec![words] }
    }

    /// Gives the bins that hold something with their counts; a bin may come more than once.
    #[inline(always)]
    pub(super) fn each(&self, mut give: impl FnMut(usize, u64)) {
        for part in &self.parts {
            let mut bin = 0;
            let mut words = part.iter().map(|word| u64::from(*word));
            while let Some(word) = words.next() {
                let (mut step, mut count) = (word >> 8, word & 255);
                if step == WIDE {
                    step = words.next().unwrap_or_default();
                }
                if count == 0 {
                    let parts = words.by_ref().take(COUNT_WORDS);
                    count = parts.zip(0..).fold(0, |sum, (part, at)| sum | part << (16 * at));
                }
                bin += step as usize;
                give(bin, count);
            }
        }
    }

    /// Takes in another one; `scratch` is an empty histogram. Which bins both hold is only looked
    /// at when there are many words.
    pub(super) fn join(&mut self, other: Packed, scratch: &mut Bins) {
        self.parts.extend(other.parts);
        if self.parts.iter().map(Vec::len).sum::<usize>() > WORDS_MAX {
            scratch.take_in(self);
            *self = Packed::of(scratch);
        }
    }

    /// The numbers of times up to each of these, or in its bin, by one look at all bins. Times must
    /// be in ascending order.
    pub(super) fn up_to<const N: usize>(&self, times: [Nanos; N]) -> [u64; N] {
        let last = times.map(|time| bin_of(time.0));
        // Of those above the one before; bins mostly come in their order, so that the place of the
        // last one is near.
        let (mut between, mut at) = ([0; N], 0);
        self.each(|bin, count| {
            while at > 0 && bin <= last[at - 1] {
                at -= 1;
            }
            while at < N && bin > last[at] {
                at += 1;
            }
            if at < N {
                between[at] += count;
            }
        });
        let mut sum = 0;
        between.map(|count| {
            sum += count;
            sum
        })
    }
}

/// Adds eight bins from `first` on; `last` is the last one before them that holds something, and
/// the new one is given.
#[inline(always)]
fn push_eight(words: &mut Vec<u16>, mut last: usize, first: usize, counts: &[u64; EIGHT]) -> usize {
    let any = counts.iter().fold(0, |any, count| any | count);
    if any >= WIDE || (first + EIGHT - last) as u64 > WIDE {
        return push_one_by_one(words, last, first, counts);
    }
    // Which bins hold something is as good as random. So, without a branch, each has its word
    // written, and one that holds nothing has it written over by the next.
    let (mut taken, mut number) = ([0; EIGHT], 0);
    for (bin, count) in (first..).zip(counts) {
        taken[number % EIGHT] = ((bin - last) << 8) as u16 | *count as u16;
        let holds = *count > 0;
        number += usize::from(holds);
        last = if holds { bin } else { last };
    }
    let before = words.len();
    words.extend_from_slice(&taken);
    words.truncate(before + number);
    last
}

#[inline(never)]
fn push_one_by_one(
    words: &mut Vec<u16>,
    mut last: usize,
    first: usize,
    counts: &[u64; EIGHT],
) -> usize {
    for (bin, count) in (first..).zip(counts).filter(|(_, count)| **count > 0) {
        let step = (bin - last) as u64;
        last = bin;
        if step < WIDE && *count < WIDE {
            words.push((step << 8 | count) as u16);
        } else {
            push_wide(words, step, *count);
        }
    }
    last
}

#[cold]
fn push_wide(words: &mut Vec<u16>, step: u64, count: u64) {
    let half = if count < WIDE { count } else { 0 };
    words.push((step.min(WIDE) << 8 | half) as u16);
    words.extend((step >= WIDE).then_some(step as u16));
    let parts = (0..COUNT_WORDS).map(|at| (count >> (16 * at)) as u16);
    words.extend(parts.filter(|_| half == 0));
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn bins(times: &[u64]) -> Bins {
        let mut bins = Bins::default();
        times.iter().for_each(|time| bins.add(Nanos(*time)));
        bins
    }

    proptest! {
        /// Nothing is lost by packing and by joining, whether that packs anew or not.
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
            unpacked.take_in(&both);
            prop_assert!(unpacked.held().eq(bins(&all).held()));
            let upto = |until: Nanos| {
                all.iter().filter(|time| bin_of(**time) <= bin_of(until.0)).count() as u64
            };
            let untils = [Nanos(until / 2), Nanos(until), Nanos::MAX];
            prop_assert_eq!(both.up_to(untils), untils.map(upto));
        }
    }

    #[test]
    fn large_steps_and_counts_are_kept() {
        let given = [(0, 255), (254, 254), (509, 256), (57_000, u64::MAX)];
        let (mut words, mut last) = (Vec::new(), 0);
        for (bin, count) in given {
            push_wide(&mut words, (bin - last) as u64, count);
            last = bin;
        }
        let mut found = Vec::new();
        Packed { parts: vec![words] }.each(|bin, count| found.push((bin, count)));
        assert_eq!(found, given);
    }
}
