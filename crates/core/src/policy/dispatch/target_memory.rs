//! What a policy remembers of targets: of those asked for lately, so that memory has a bound
//! however many different ones are asked for.

use std::collections::BTreeMap;

/// Something for each target, of which at least [`TargetMemory::LEAST`] that were asked for last
/// are remembered, and at most twice as many.
#[derive(Debug)]
pub(super) struct TargetMemory<T> {
    /// Those that were asked for since the last turn, and those of the time before.
    young: BTreeMap<u64, T>,
    old: BTreeMap<u64, T>,
    least: usize,
}

impl<T: Default> TargetMemory<T> {
    /// So many are always remembered.
    pub(super) const LEAST: usize = 500_000;

    pub(super) fn new() -> TargetMemory<T> {
        TargetMemory::of(Self::LEAST)
    }

    fn of(least: usize) -> TargetMemory<T> {
        TargetMemory { young: BTreeMap::new(), old: BTreeMap::new(), least }
    }

    /// What is remembered of a target that is asked for; a new one where nothing is.
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
        /// Against a list of all that were asked for, the last first.
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
