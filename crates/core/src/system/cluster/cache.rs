//! The memory contents of a server.

use std::collections::{BTreeMap, BTreeSet};

use thinktime_file::error::{Invalid, unknown};
use thinktime_file::system::CacheTable;
use thinktime_file::units::{Dimension, Quantity};

use crate::system::read::ReadResult;

/// How a cache chooses the target to forget.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Replacement {
    /// The least recently used.
    Lru,
    /// The one that has been there longest, requested again or not.
    Fifo,
    /// The one of the least credit. A target's credit, set on each request, is 1 / size more than
    /// that of the last target forgotten (P. Cao, S. Irani, Cost-aware WWW proxy caching
    /// algorithms, USITS 1997, GreedyDual-Size with cost 1).
    GreedyDualSize,
    /// Nothing is kept: every request is a miss.
    None,
}

/// The names of all of them.
const NAMES: [&str; 4] = ["lru", "fifo", "greedy-dual-size", "none"];

impl Replacement {
    /// Its name in a file.
    ///
    /// # Errors
    /// When no policy has that name.
    pub(super) fn parse(text: &str) -> Result<Replacement, Invalid> {
        match text {
            "lru" => Ok(Replacement::Lru),
            "fifo" => Ok(Replacement::Fifo),
            "greedy-dual-size" => Ok(Replacement::GreedyDualSize),
            "none" => Ok(Replacement::None),
            _ => Err(unknown("replacement", text, NAMES.into_iter())),
        }
    }
}

/// A cache that each server of a cluster has.
#[derive(Clone, Debug)]
pub struct CacheModel {
    /// Its size in bytes.
    pub bytes: u64,
    /// The order in which it forgets.
    pub replacement: Replacement,
    /// The request names whose responses it holds; `None` for all.
    pub holds: Option<Vec<String>>,
}

impl CacheModel {
    pub(super) fn from_table(table: &CacheTable) -> ReadResult<CacheModel> {
        let size =
            Quantity::parse(&table.size.text()).and_then(|size| size.expect(Dimension::Size));
        let size = size.map_err(|error| ("size".to_owned(), error))?;
        if !(1.0..=1e18).contains(&size) {
            return Err(("size".to_owned(), Invalid::new("must be from 1 B to 10^18 B")));
        }
        let replacement =
            Replacement::parse(table.replacement.as_deref().unwrap_or(CacheTable::REPLACEMENT))
                .map_err(|error| ("replacement".to_owned(), error))?;
        Ok(CacheModel { bytes: size as u64, replacement, holds: table.holds.clone() })
    }
}

/// A cache of this many bytes. A request costs log n.
#[derive(Clone, Debug)]
pub(super) struct Cache {
    replacement: Replacement,
    capacity: u64,
    bytes: u64,
    /// By target, its size and its credit.
    held: BTreeMap<u64, (u64, u64)>,
    /// By credit, then by target: the first is forgotten first.
    order: BTreeSet<(u64, u64)>,
    /// The credit of the last target forgotten, or the number of the last request.
    level: u64,
}

/// Credits are multiples of 2^-40: 1 / size stays distinct up to 1 TiB, and they last for 2^24
/// times the credit of a byte.
const ONE: u64 = 1 << 40;

impl Cache {
    pub(super) fn new(replacement: Replacement, capacity: u64) -> Cache {
        let (held, order) = (BTreeMap::new(), BTreeSet::new());
        Cache { replacement, capacity, bytes: 0, held, order, level: 0 }
    }

    /// A request for a target of this size; says whether it is held. Afterwards it is, unless it is
    /// larger than the whole cache.
    pub(super) fn ask(&mut self, target: u64, size: u64) -> bool {
        if self.asked_again(target, size) {
            return true;
        }
        let known = self.held.remove(&target);
        if let Some((its, credit)) = known {
            self.order.remove(&(credit, target));
            self.bytes -= its;
        }
        if size > self.capacity || self.replacement == Replacement::None {
            return known.is_some();
        }
        while self.capacity - self.bytes < size {
            let Some((credit, gone)) = self.order.pop_first() else { break };
            self.bytes -= self.held.remove(&gone).map_or(0, |(its, _)| its);
            if self.replacement == Replacement::GreedyDualSize {
                self.level = credit;
            }
        }
        let credit = self.credit(size);
        self.held.insert(target, (size, credit));
        self.order.insert((credit, target));
        self.bytes += size;
        known.is_some()
    }

    /// Whether a target is held with the same size; it then may have a new credit. This is the
    /// outcome of most requests, and nothing need be evicted.
    fn asked_again(&mut self, target: u64, size: u64) -> bool {
        let Some((_, before)) = self.held.get(&target).copied().filter(|(its, _)| *its == size)
        else {
            return false;
        };
        if self.replacement == Replacement::Fifo {
            return true;
        }
        let credit = self.credit(size);
        if credit != before {
            self.order.remove(&(before, target));
            self.order.insert((credit, target));
            self.held.insert(target, (size, credit));
        }
        true
    }

    /// The credit of the current target.
    fn credit(&mut self, size: u64) -> u64 {
        if self.replacement == Replacement::GreedyDualSize {
            return self.level + ONE / size.max(1);
        }
        self.level += 1;
        self.level
    }

    /// Nothing is held any more.
    pub(super) fn clear(&mut self) {
        *self = Cache::new(self.replacement, self.capacity);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::lru::Lru;
    use crate::random::{Purpose, StreamFamily};

    #[test]
    fn a_cache_that_keeps_nothing_never_hits() {
        let mut cache = Cache::new(Replacement::None, 100);
        assert_eq!([cache.ask(1, 1), cache.ask(1, 1)], [false, false]);
    }

    /// Gelenbe, A unified approach to the evaluation of a class of replacement algorithms, IEEE
    /// Transactions on Computers 22 (1973): of independent requests, the probability of a content
    /// is in proportion to the product of its targets' probabilities.
    #[test]
    fn hit_ratios_of_fifo_are_those_of_gelenbe() {
        let shares = [0.5, 0.3, 0.2];
        let (mut cache, mut hits) = (Cache::new(Replacement::Fifo, 2), 0);
        let mut random = StreamFamily::new(7, Purpose::Target).stream(0);
        const REQUESTS: u32 = 400_000;
        for _ in 0..REQUESTS {
            let drawn = random.uniform();
            let target = if drawn < shares[0] { 0 } else { 1 + u64::from(drawn >= 0.8) };
            hits += u32::from(cache.ask(target, 1));
        }
        // Of the pairs: (0.15 * 0.8 + 0.1 * 0.7 + 0.06 * 0.5) / 0.31. Were the seed not fixed, an
        // error of more than 0.005, some 7 standard deviations, would come once in 10^11 runs.
        let found = f64::from(hits) / f64::from(REQUESTS);
        assert!((found - 0.22 / 0.31).abs() < 0.005, "{found}");
    }

    proptest! {
        /// Compares with a queue.
        #[test]
        fn the_first_that_came_is_forgotten(
            requests in prop::collection::vec(0..9_u64, 1..300)
        ) {
            let mut cache = Cache::new(Replacement::Fifo, 20);
            let mut queue: Vec<u64> = Vec::new();
            for target in requests {
                let known = queue.contains(&target);
                if !known {
                    while queue.iter().sum::<u64>() + queue.len() as u64 + target + 1 > 20 {
                        queue.remove(0);
                    }
                    queue.push(target);
                }
                prop_assert_eq!(cache.ask(target, target + 1), known);
            }
        }

        /// Compares with the program's other cache, which is a list and not a tree.
        #[test]
        fn the_least_recently_used_is_forgotten(
            requests in prop::collection::vec((0..30_u32, 1..40_u64), 1..400)
        ) {
            let (mut cache, mut list) = (Cache::new(Replacement::Lru, 100), Lru::new(100));
            for (object, size) in requests {
                // A target has one size.
                let size = size.min(u64::from(object) + 3);
                let size = if object % 3 == 0 { 1 + u64::from(object) } else { size };
                prop_assert_eq!(cache.ask(object.into(), size), list.ask(object, size));
            }
        }

        /// Compares with the algorithm as the paper states it: H is a list that is searched, and
        /// all credits fall by the least one when a target must go.
        #[test]
        fn greedy_dual_size_is_that_of_the_paper(
            requests in prop::collection::vec(0..25_u64, 1..400)
        ) {
            let size = |object: u64| [1_u64, 2, 4, 8, 16, 32][(object % 6) as usize];
            let mut cache = Cache::new(Replacement::GreedyDualSize, 64);
            let mut held: Vec<(u64, f64)> = Vec::new();
            for object in requests {
                let found = held.iter().position(|(one, _)| *one == object);
                let known = found.map(|at| held.remove(at)).is_some();
                let used =
                    |all: &[(u64, f64)]| all.iter().map(|(one, _)| size(*one)).sum::<u64>();
                while used(&held) + size(object) > 64 {
                    let least = held.iter().map(|(_, credit)| *credit).fold(f64::MAX, f64::min);
                    let mut all: Vec<(f64, u64)> = held.iter().map(|(o, c)| (*c, *o)).collect();
                    all.sort_by(|a, b| a.partial_cmp(b).unwrap());
                    let gone = all[0].1;
                    held.retain(|(one, _)| *one != gone);
                    held.iter_mut().for_each(|(_, credit)| *credit -= least);
                }
                held.push((object, 1.0 / size(object) as f64));
                prop_assert_eq!(cache.ask(object, size(object)), known);
            }
        }
    }
}
