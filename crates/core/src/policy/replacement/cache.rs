//! A cache: what it holds, and for how long.

use std::collections::{BTreeMap, VecDeque};

use thinktime_file::time::Nanos;

use super::{Entry, Item, Replacer};
use crate::random::Stream;

/// The bounds of a cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The bytes that it can hold; `u64::MAX` for no bound.
    pub bytes: u64,
    /// How long it holds a target from when it was stored, requested again or not; `None` for no
    /// bound.
    pub ttl: Option<Nanos>,
}

/// A cache with these limits. A request costs log n.
#[derive(Debug)]
pub struct Cache {
    replacement: Entry,
    replacer: Box<dyn Replacer>,
    limits: Limits,
    random: Stream,
    bytes: u64,
    held: BTreeMap<u64, Held>,
    /// The times at which targets expire, the earliest first. Some have been forgotten before.
    expiries: VecDeque<(Nanos, u64)>,
}

/// A target in the cache.
#[derive(Clone, Copy, Debug)]
struct Held {
    size: u64,
    mark: u64,
    expires: Nanos,
}

impl Cache {
    /// An empty cache, which takes its random draws from this stream.
    #[must_use]
    pub fn new(replacement: Entry, limits: Limits, random: Stream) -> Cache {
        Cache {
            replacement,
            replacer: (replacement.build)(),
            limits,
            random,
            bytes: 0,
            held: BTreeMap::new(),
            expiries: VecDeque::new(),
        }
    }

    /// A request for a target of this size, not before earlier ones; says whether it is held.
    /// Afterwards it is, unless the policy refuses it or it is larger than the whole cache. A
    /// target of a new size counts as held, and is stored anew.
    pub fn ask(&mut self, now: Nanos, target: u64, size: u64) -> bool {
        if self.limits.ttl.is_some() {
            self.expire(now);
        }
        if let Some(held) = self.held.get_mut(&target).filter(|held| held.size == size) {
            held.mark = self.replacer.hit(Item { target, size, mark: held.mark });
            return true;
        }
        let known = self.remove(target);
        if size <= self.limits.bytes {
            let lacking = size.saturating_sub(self.limits.bytes - self.bytes);
            if self.replacer.admits(target, lacking) {
                self.store(now, target, size);
            }
        }
        known
    }

    /// The contents are lost. Random draws continue.
    pub fn clear(&mut self) {
        self.replacer = (self.replacement.build)();
        self.bytes = 0;
        self.held.clear();
        self.expiries.clear();
    }

    fn store(&mut self, now: Nanos, target: u64, size: u64) {
        while self.limits.bytes - self.bytes < size {
            let Some(gone) = self.replacer.evict(&mut self.random) else { break };
            self.bytes -= self.held.remove(&gone).map_or(0, |held| held.size);
        }
        let expires = self.limits.ttl.map_or(Nanos::MAX, |ttl| now + ttl);
        if self.limits.ttl.is_some() {
            self.expiries.push_back((expires, target));
        }
        let mark = self.replacer.store(target, size);
        self.held.insert(target, Held { size, mark, expires });
        self.bytes += size;
    }

    /// Says whether the target was held.
    fn remove(&mut self, target: u64) -> bool {
        let Some(Held { size, mark, .. }) = self.held.remove(&target) else { return false };
        self.replacer.remove(Item { target, size, mark });
        self.bytes -= size;
        true
    }

    /// Targets leave whose time is over. All live equally long, so they expire in the order in
    /// which they were stored.
    fn expire(&mut self, now: Nanos) {
        while let Some((expires, target)) = self.expiries.pop_front() {
            if expires > now {
                self.expiries.push_front((expires, target));
                return;
            }
            // It may have been forgotten since, and stored again.
            if self.held.get(&target).is_some_and(|held| held.expires == expires) {
                self.remove(target);
            }
        }
    }
}
