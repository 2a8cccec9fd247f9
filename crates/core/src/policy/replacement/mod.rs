//! Replacement policies: they choose what a full cache forgets.
//!
//! A policy is a [`Replacer`]: it learns what is stored and what is hit, and names the next target
//! to forget. The [`Cache`] keeps the contents, counts their bytes and calls it. One policy is one
//! file plus one line in the list below.

mod cache;
mod fifo;
mod greedy_dual_size;
mod lfu;
mod lru;
mod none;
mod random;
mod tinylfu;

pub use cache::{Cache, Limits};

use std::fmt::Debug;

use thinktime_file::error::{Invalid, unknown};

use crate::random::Stream;

/// A target that a cache holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Item {
    /// Its number.
    pub target: u64,
    /// Its size in bytes.
    pub size: u64,
    /// The number that the policy gave it last, for its own use.
    pub mark: u64,
}

/// A policy at work. It sees only its arguments, and never reads a clock.
pub trait Replacer: Debug + Send {
    /// Whether a requested target is stored that is not held. `lacking` is the number of bytes of
    /// others that must be forgotten for it. Called once for each such request, unless the target
    /// is larger than the whole cache.
    fn admits(&mut self, _target: u64, _lacking: u64) -> bool {
        true
    }

    /// A target of this size is stored; gives its mark.
    fn store(&mut self, target: u64, size: u64) -> u64;

    /// A request has found a target; gives its new mark.
    fn hit(&mut self, item: Item) -> u64;

    /// A target is no longer held, for another reason than lack of room.
    fn remove(&mut self, item: Item);

    /// Forgets a target for lack of room, and gives it; `None` if nothing is held.
    fn evict(&mut self, random: &mut Stream) -> Option<u64>;
}

/// A policy: its name in files, its rule, and its author.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Its name.
    pub name: &'static str,
    /// One sentence with its rule.
    pub summary: &'static str,
    /// The author of its description.
    pub source: &'static str,
    /// Makes one for an empty cache.
    pub build: fn() -> Box<dyn Replacer>,
}

/// All policies, in the order of the documentation.
pub const ENTRIES: [Entry; 7] = [
    lru::ENTRY,
    fifo::ENTRY,
    random::ENTRY,
    lfu::ENTRY,
    tinylfu::ENTRY,
    greedy_dual_size::ENTRY,
    none::ENTRY,
];

impl Entry {
    /// The policy of this name.
    ///
    /// # Errors
    /// When no policy has that name.
    pub fn parse(text: &str) -> Result<Entry, Invalid> {
        let found = ENTRIES.into_iter().find(|entry| entry.name == text);
        found.ok_or_else(|| unknown("replacement", text, ENTRIES.iter().map(|entry| entry.name)))
    }
}

#[cfg(test)]
mod tests;
