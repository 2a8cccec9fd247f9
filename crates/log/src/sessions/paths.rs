//! How often each path was asked for, and by which method.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::hash::BuildHasherDefault;

use super::visit::{GET, Known, Visit};

/// So many different paths are counted; what comes later and is new counts as others.
const PATHS_MAX: usize = 1 << 20;

/// How often each path was asked for.
#[derive(Debug, Default)]
pub(super) struct Paths {
    counts: HashMap<u64, PathCount, BuildHasherDefault<Known>>,
    /// Those of `counts` that were not asked for by GET, by path and method: few in most logs.
    other_methods: HashMap<(u64, u8), u64>,
    others: u64,
}

/// One path, as it was asked for by one method.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PathCount {
    /// The path, cut to 200 bytes.
    pub path: Box<[u8]>,
    /// The place of the method in [`METHODS`](super::METHODS).
    pub method: u8,
    /// Requests for it.
    pub count: u64,
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
    pub(super) fn add(&mut self, visit: &Visit) {
        match self.counts.get_mut(&visit.path) {
            None => self.others += 1,
            Some(path) if visit.method == GET => path.count += 1,
            Some(_) => *self.other_methods.entry((visit.path, visit.method)).or_default() += 1,
        }
    }

    /// All paths that were asked for by each method, the most popular first, and the requests for
    /// others.
    pub(super) fn finish(self) -> (Vec<PathCount>, u64) {
        let by_another = |((path, method), count): (&(u64, u8), &u64)| {
            let path = self.counts[path].path.clone();
            PathCount { path, method: *method, count: *count }
        };
        let mut all: Vec<PathCount> = self.other_methods.iter().map(by_another).collect();
        all.extend(self.counts.into_values().filter(|path| path.count > 0));
        let key = |one: &PathCount| (Reverse(one.count), one.method);
        all.sort_unstable_by(|a, b| key(a).cmp(&key(b)).then_with(|| a.path.cmp(&b.path)));
        (all, self.others)
    }
}
