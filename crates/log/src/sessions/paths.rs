//! How often each path was asked for.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;

use super::visit::{Known, Visit};

/// So many different paths are counted; what comes later and is new counts as others.
const PATHS_MAX: usize = 1 << 20;

/// How often each path was asked for.
#[derive(Debug, Default)]
pub(super) struct Paths {
    counts: HashMap<u64, PathCount, BuildHasherDefault<Known>>,
    others: u64,
}

/// One path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PathCount {
    /// The path, cut to 200 bytes.
    pub path: Box<[u8]>,
    /// Requests for it.
    pub count: u64,
    /// Of these, those that began a page.
    pub pages: u64,
}

impl Paths {
    /// Learns the names of paths.
    pub(super) fn name(&mut self, paths: &mut Vec<(u64, Box<[u8]>)>) {
        for (number, path) in paths.drain(..) {
            if self.counts.len() < PATHS_MAX {
                let fresh = || PathCount { path, ..PathCount::default() };
                self.counts.entry(number).or_insert_with(fresh);
            }
        }
    }

    #[inline]
    pub(super) fn add(&mut self, visit: &Visit, page: bool) {
        match self.counts.get_mut(&visit.path) {
            Some(path) => {
                path.count += 1;
                path.pages += u64::from(page);
            }
            None => self.others += 1,
        }
    }

    /// All paths that were asked for, the most popular first, and the requests for others.
    pub(super) fn finish(self) -> (Vec<PathCount>, u64) {
        #[allow(clippy::iter_over_hash_type, reason = "they are sorted")]
        let mut all: Vec<PathCount> =
            self.counts.into_values().filter(|path| path.count > 0).collect();
        all.sort_unstable_by(|a, b| b.count.cmp(&a.count).then_with(|| a.path.cmp(&b.path)));
        (all, self.others)
    }
}
