//! TinyLFU: a target is stored only if it is requested more often than what it would replace.

use std::collections::BTreeMap;

use super::{Entry, Item, Replacer};
use crate::random::Stream;

pub(super) const ENTRY: Entry = Entry {
    name: "tinylfu",
    summary: "the least recently used, if the new one has had more requests lately; otherwise the \
              new one is not kept",
    source: "G. Einziger, R. Friedman, B. Manes, TinyLFU: a highly efficient cache admission \
             policy, ACM Transactions on Storage 13(4), 2017: TinyLFU before LRU, without a window",
    build: || Box::<TinyLfu>::default(),
};

/// The sample has this many requests for each target that is held.
const SAMPLE: u64 = 10;

/// A count needs no more: it has four bits.
const COUNT_MAX: u8 = 15;

/// The paper estimates the counts by a sketch, to save memory. They are exact here. Marks are the
/// numbers of requests.
#[derive(Debug, Default)]
struct TinyLfu {
    last: u64,
    /// By mark, target and size: the first is forgotten first.
    order: BTreeMap<u64, (u64, u64)>,
    /// By target, held or not, its requests in the sample; not 0.
    counts: BTreeMap<u64, u8>,
    /// The requests in the sample.
    sample: u64,
}

impl TinyLfu {
    /// Notes a request. If the sample is complete, all counts are halved, and so is the sample.
    fn count(&mut self, target: u64) {
        let count = self.counts.entry(target).or_insert(0);
        *count = (*count + 1).min(COUNT_MAX);
        self.sample += 1;
        if self.sample >= SAMPLE * (self.order.len() as u64).max(1) {
            self.sample /= 2;
            self.counts.retain(|_, count| {
                *count /= 2;
                *count > 0
            });
        }
    }

    fn counted(&self, target: u64) -> u8 {
        self.counts.get(&target).copied().unwrap_or(0)
    }
}

impl Replacer for TinyLfu {
    /// A target that would replace several must have had more requests than each of them.
    fn admits(&mut self, target: u64, lacking: u64) -> bool {
        self.count(target);
        let own = self.counted(target);
        let mut freed = 0;
        for (other, size) in self.order.values() {
            if freed >= lacking {
                return true;
            }
            if self.counted(*other) >= own {
                return false;
            }
            freed += size;
        }
        true
    }

    fn store(&mut self, target: u64, size: u64) -> u64 {
        self.last += 1;
        self.order.insert(self.last, (target, size));
        self.last
    }

    fn hit(&mut self, item: Item) -> u64 {
        self.count(item.target);
        self.remove(item);
        self.store(item.target, item.size)
    }

    fn remove(&mut self, item: Item) {
        self.order.remove(&item.mark);
    }

    fn evict(&mut self, _random: &mut Stream) -> Option<u64> {
        self.order.pop_first().map(|(_, (target, _))| target)
    }
}
