//! GreedyDual-Size, at a cost of 1.

use std::collections::BTreeSet;

use super::{Entry, Item, Replacer};
use crate::random::Stream;

pub(super) const ENTRY: Entry = Entry {
    name: "greedy-dual-size",
    summary: "the one of the least credit: 1 / size more, on each request, than that of the last \
              one forgotten; so it keeps small responses rather than large ones",
    source: "P. Cao, S. Irani, Cost-aware WWW proxy caching algorithms, USITS 1997",
    build: || Box::<GreedyDualSize>::default(),
};

/// Credits are multiples of 2^-40: 1 / size stays distinct up to 1 TiB, and they last for 2^24
/// times the credit of a byte.
const ONE: u64 = 1 << 40;

/// Marks are credits.
#[derive(Debug, Default)]
struct GreedyDualSize {
    /// The credit of the last target forgotten.
    level: u64,
    order: BTreeSet<(u64, u64)>,
}

impl Replacer for GreedyDualSize {
    fn store(&mut self, target: u64, size: u64) -> u64 {
        let credit = self.level + ONE / size.max(1);
        self.order.insert((credit, target));
        credit
    }

    fn hit(&mut self, item: Item) -> u64 {
        // Most often nothing has been forgotten since, and its credit stays.
        if item.mark == self.level + ONE / item.size.max(1) {
            return item.mark;
        }
        self.remove(item);
        self.store(item.target, item.size)
    }

    fn remove(&mut self, item: Item) {
        self.order.remove(&(item.mark, item.target));
    }

    fn evict(&mut self, _random: &mut Stream) -> Option<u64> {
        let (credit, target) = self.order.pop_first()?;
        self.level = credit;
        Some(target)
    }
}
