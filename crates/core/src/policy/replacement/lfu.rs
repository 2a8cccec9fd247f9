//! The least frequently used is forgotten.

use std::collections::{BTreeMap, BTreeSet};

use super::{Entry, Item, Replacer};
use crate::random::Stream;

pub(super) const ENTRY: Entry = Entry {
    name: "lfu",
    summary: "the one with the fewest requests since it was stored; of several, the least \
              recently used",
    source: "S. Podlipnig, L. Böszörmenyi, A survey of web cache replacement strategies, ACM \
             Computing Surveys 35, 2003: in-cache LFU",
    build: || Box::<Lfu>::default(),
};

/// Counts begin anew if a target is stored again. Marks are the numbers of requests.
#[derive(Debug, Default)]
struct Lfu {
    last: u64,
    /// By target, its requests.
    counts: BTreeMap<u64, u64>,
    /// Requests, mark and target: the first is forgotten first.
    order: BTreeSet<(u64, u64, u64)>,
}

impl Lfu {
    fn rank(&mut self, target: u64, count: u64) -> u64 {
        self.last += 1;
        self.counts.insert(target, count);
        self.order.insert((count, self.last, target));
        self.last
    }

    /// Takes a target out of the order; gives its requests.
    fn take(&mut self, item: Item) -> u64 {
        let count = self.counts.remove(&item.target).unwrap_or(0);
        self.order.remove(&(count, item.mark, item.target));
        count
    }
}

impl Replacer for Lfu {
    fn store(&mut self, target: u64, _size: u64) -> u64 {
        self.rank(target, 1)
    }

    fn hit(&mut self, item: Item) -> u64 {
        let count = self.take(item);
        self.rank(item.target, count + 1)
    }

    fn remove(&mut self, item: Item) {
        self.take(item);
    }

    fn evict(&mut self, _random: &mut Stream) -> Option<u64> {
        let (_, _, gone) = self.order.pop_first()?;
        self.counts.remove(&gone);
        Some(gone)
    }
}
