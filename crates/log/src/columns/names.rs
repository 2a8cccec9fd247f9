//! Numbers for names: they count from 0 in the order in which the names first came.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::BuildHasherDefault;

use super::visit::{IdentityHasher, UNKNOWN};

/// The most distinct names; all others share the last number.
const NAMES_MAX: usize = 1 << 22;

/// Names and their numbers.
#[derive(Debug, Default)]
pub(super) struct Names {
    numbers: HashMap<u64, u32, BuildHasherDefault<IdentityHasher>>,
    names: Vec<Box<[u8]>>,
}

impl Names {
    /// Learns names by the hashes that stand for them.
    pub(super) fn learn(&mut self, told: &mut Vec<(u64, Box<[u8]>)>) {
        for (hash, name) in told.drain(..) {
            if self.names.len() < NAMES_MAX
                && let Entry::Vacant(vacant) = self.numbers.entry(hash)
            {
                vacant.insert(self.names.len() as u32);
                self.names.push(name);
            }
        }
    }

    /// The number of a name; that of all others if the table is full.
    #[inline]
    pub(super) fn number(&self, hash: u64) -> u32 {
        self.numbers.get(&hash).copied().unwrap_or(NAMES_MAX as u32)
    }

    /// The number of a name; `UNKNOWN` for an empty one.
    #[inline]
    pub(super) fn find(&self, hash: u64) -> u32 {
        self.numbers.get(&hash).copied().unwrap_or(UNKNOWN)
    }

    /// The names by their numbers.
    pub(super) fn finish(mut self) -> Vec<Box<[u8]>> {
        if self.names.len() == NAMES_MAX {
            self.names.push((*b"(others)").into());
        }
        self.names
    }
}
