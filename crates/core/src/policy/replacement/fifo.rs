//! First in, first out.

use std::collections::BTreeSet;

use super::{Entry, Item, Replacer};
use crate::random::Stream;

pub(super) const ENTRY: Entry = Entry {
    name: "fifo",
    summary: "the one that has been there longest, requested again or not",
    source: "E. Gelenbe, A unified approach to the evaluation of a class of replacement \
             algorithms, IEEE Transactions on Computers 22, 1973",
    build: || Box::<Fifo>::default(),
};

/// Marks are the numbers of stored targets.
#[derive(Debug, Default)]
struct Fifo {
    last: u64,
    order: BTreeSet<(u64, u64)>,
}

impl Replacer for Fifo {
    fn store(&mut self, target: u64, _size: u64) -> u64 {
        self.last += 1;
        self.order.insert((self.last, target));
        self.last
    }

    fn hit(&mut self, item: Item) -> u64 {
        item.mark
    }

    fn remove(&mut self, item: Item) {
        self.order.remove(&(item.mark, item.target));
    }

    fn evict(&mut self, _random: &mut Stream) -> Option<u64> {
        self.order.pop_first().map(|(_, target)| target)
    }
}
