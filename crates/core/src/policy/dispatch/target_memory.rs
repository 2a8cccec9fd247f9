//! A policy's memory of targets: the recent ones, so that memory is bounded however many different
//! targets occur.

use std::collections::BTreeMap;

/// A value for each target. At least the last [`TargetMemory::LEAST`] targets are remembered, and
/// at most twice as many.
#[derive(Debug)]
pub(super) struct TargetMemory<T> {
    /// The targets since the last turn, and those of the time before.
    young: BTreeMap<u64, T>,
    old: BTreeMap<u64, T>,
    least: usize,
}

impl<T: Default> TargetMemory<T> {
    /// At least this many are always remembered.
    pub(super) const LEAST: usize = 500_000;

    pub(super) fn new() -> TargetMemory<T> {
        TargetMemory::of(Self::LEAST)
    }

    fn of(least: usize) -> TargetMemory<T> {
        TargetMemory { young: BTreeMap::new(), old: BTreeMap::new(), least }
    }

    /// The value of a requested target; a new one if it is not known.
    pub(super) fn of_target(&mut self, target: u64) -> &mut T {
        if !self.young.contains_key(&target) {
            if self.young.len() == self.least {
                self.old = std::mem::take(&mut self.young);
            }
            let known = self.old.remove(&target).unwrap_or_default();
            self.young.insert(target, known);
        }
        self.young.entry(target).or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Compares with a list of all requested targets, the last first.
        #[test]
        fn those_asked_for_last_are_remembered(asked in prop::collection::vec(0..30_u64, 1..300)) {
            let mut remembered: TargetMemory<u32> = TargetMemory::of(5);
            let mut last: Vec<(u64, u32)> = Vec::new();
            for target in asked {
                let place = last.iter().position(|(one, _)| *one == target);
                let (_, times) = place.map_or((target, 0), |at| last.remove(at));
                let found = remembered.of_target(target);
                prop_assert!(*found == times || (*found == 0 && place.is_none_or(|at| at >= 5)));
                *found += 1;
                last.insert(0, (target, *found));
                prop_assert!(remembered.young.len() + remembered.old.len() <= 10);
            }
        }
    }
}
