//! When sessions began: all of them, or whole minutes at even distances if there are too many.

use std::collections::BTreeMap;

/// The length of a block, within which no start is left out.
pub const BLOCK_NS: i64 = 60_000_000_000;
/// The most starts kept.
const KEPT_MAX: usize = 2_000_000;

/// A sample of the start times of sessions, by whole blocks.
#[derive(Debug)]
pub(super) struct Starts {
    blocks: BTreeMap<i64, Vec<i64>>,
    stride: i64,
    kept: usize,
}

impl Default for Starts {
    fn default() -> Starts {
        Starts { blocks: BTreeMap::new(), stride: 1, kept: 0 }
    }
}

impl Starts {
    pub(super) fn add(&mut self, time_ns: i64) {
        let block = time_ns.div_euclid(BLOCK_NS);
        if block.rem_euclid(self.stride) != 0 {
            return;
        }
        self.blocks.entry(block).or_default().push(time_ns);
        self.kept += 1;
        if self.kept > KEPT_MAX && self.blocks.len() > 1 {
            self.stride *= 2;
            let stride = self.stride;
            self.blocks.retain(|block, _| block.rem_euclid(stride) == 0);
            self.kept = self.blocks.values().map(Vec::len).sum();
        }
    }

    /// The times in order, and the number of minutes of which one was kept.
    pub(super) fn finish(mut self) -> (Vec<i64>, u64) {
        self.blocks.values_mut().for_each(|times| times.sort_unstable());
        let times = self.blocks.into_values().flatten().collect();
        (times, self.stride.unsigned_abs())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn too_many_are_thinned_out_by_whole_minutes() {
        let mut starts = Starts::default();
        (0..200_i64).rev().for_each(|n| starts.add(n * BLOCK_NS / 4));
        let (times, stride) = starts.finish();
        assert_eq!((times.len(), stride, times[1]), (200, 1, BLOCK_NS / 4));
        let mut starts = Starts::default();
        (0..3_000_000_i64).for_each(|n| starts.add(n * BLOCK_NS / 10_000));
        let (times, stride) = starts.finish();
        assert_eq!((times.len(), stride), (1_500_000, 2));
        assert!(times.windows(2).all(|pair| pair[0] < pair[1]));
    }
}
