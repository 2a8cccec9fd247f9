//! Nothing is kept.

use super::{Entry, Item, Replacer};
use crate::random::Stream;

pub(super) const ENTRY: Entry = Entry {
    name: "none",
    summary: "it keeps nothing, so that every request is a miss",
    source: "–",
    build: || Box::new(Nothing),
};

#[derive(Debug)]
struct Nothing;

impl Replacer for Nothing {
    fn admits(&mut self, _target: u64, _lacking: u64) -> bool {
        false
    }

    fn store(&mut self, _target: u64, _size: u64) -> u64 {
        0
    }

    fn hit(&mut self, item: Item) -> u64 {
        item.mark
    }

    fn remove(&mut self, _item: Item) {}

    fn evict(&mut self, _random: &mut Stream) -> Option<u64> {
        None
    }
}
