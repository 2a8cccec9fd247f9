//! The least recently used is forgotten.

use std::collections::BTreeSet;

use super::{Entry, Item, Replacer};
use crate::random::Stream;

pub(super) const ENTRY: Entry = Entry {
    name: "lru",
    summary: "the least recently used",
    source: "W. F. King, Analysis of demand paging algorithms, IFIP Congress 1971",
    build: || Box::<Lru>::default(),
};

/// Marks are the numbers of requests.
#[derive(Debug, Default)]
struct Lru {
    last: u64,
    order: BTreeSet<(u64, u64)>,
}

impl Replacer for Lru {
    fn store(&mut self, target: u64, _size: u64) -> u64 {
        self.last += 1;
        self.order.insert((self.last, target));
        self.last
    }

    fn hit(&mut self, item: Item) -> u64 {
        self.remove(item);
        self.store(item.target, item.size)
    }

    fn remove(&mut self, item: Item) {
        self.order.remove(&(item.mark, item.target));
    }

    fn evict(&mut self, _random: &mut Stream) -> Option<u64> {
        self.order.pop_first().map(|(_, target)| target)
    }
}
