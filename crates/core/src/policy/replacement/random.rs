//! Any target is forgotten, one as likely as another.

use std::collections::BTreeMap;

use super::{Entry, Item, Replacer};
use crate::random::Stream;

pub(super) const ENTRY: Entry = Entry {
    name: "random",
    summary: "any, one as likely as another",
    source: "E. Gelenbe, A unified approach to the evaluation of a class of replacement \
             algorithms, IEEE Transactions on Computers 22, 1973",
    build: || Box::<Random>::default(),
};

/// Marks are not used: a place in the list may become that of another target.
#[derive(Debug, Default)]
struct Random {
    targets: Vec<u64>,
    /// By target, its place in the list.
    places: BTreeMap<u64, usize>,
}

impl Random {
    fn take(&mut self, place: usize) -> u64 {
        let gone = self.targets.swap_remove(place);
        if let Some(moved) = self.targets.get(place) {
            self.places.insert(*moved, place);
        }
        self.places.remove(&gone);
        gone
    }
}

impl Replacer for Random {
    fn store(&mut self, target: u64, _size: u64) -> u64 {
        self.places.insert(target, self.targets.len());
        self.targets.push(target);
        0
    }

    fn hit(&mut self, item: Item) -> u64 {
        item.mark
    }

    fn remove(&mut self, item: Item) {
        if let Some(place) = self.places.get(&item.target).copied() {
            self.take(place);
        }
    }

    fn evict(&mut self, random: &mut Stream) -> Option<u64> {
        if self.targets.is_empty() {
            return None;
        }
        let place = random.below(self.targets.len() as u64) as usize;
        Some(self.take(place))
    }
}
