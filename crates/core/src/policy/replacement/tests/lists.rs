//! Each policy against a list that is searched from its beginning.

use proptest::prelude::*;
use thinktime_file::time::Nanos;

use super::cache;
use crate::lru::Lru;

/// A list of what is held. What leaves first by the policy is found anew on each request.
#[derive(Default)]
struct Plain {
    held: Vec<Entry>,
    /// The last requests, halved as the paper has it: pairs of a target and a count.
    counts: Vec<(u64, u64)>,
    sample: usize,
    requests: u64,
}

#[derive(Clone, Copy)]
struct Entry {
    target: u64,
    size: u64,
    stored: u64,
    used: u64,
    hits: u64,
}

const ROOM: u64 = 40;

impl Plain {
    /// Whether it hits; `worst` gives the order in which targets are forgotten, and `admits`
    /// compares the requests of a new target with those of one that is held.
    fn ask(
        &mut self,
        now: u64,
        target: u64,
        ttl: u64,
        worst: fn(&Entry) -> (u64, u64),
        admits: fn(u64, u64) -> bool,
    ) -> bool {
        self.requests += 1;
        let (size, used) = (size(target), self.requests);
        self.held.retain(|one| now < one.stored + ttl);
        self.count(target);
        if let Some(one) = self.held.iter_mut().find(|one| one.target == target) {
            (one.used, one.hits) = (used, one.hits + 1);
            return true;
        }
        let mut left = self.held.clone();
        left.sort_by_key(worst);
        while left.iter().map(|one| one.size).sum::<u64>() + size > ROOM {
            if !admits(self.counted(target), self.counted(left[0].target)) {
                return false;
            }
            left.remove(0);
        }
        left.push(Entry { target, size, stored: now, used, hits: 0 });
        self.held = left;
        false
    }

    fn counted(&self, target: u64) -> u64 {
        self.counts.iter().find(|one| one.0 == target).map_or(0, |one| one.1)
    }

    fn count(&mut self, target: u64) {
        if self.counted(target) == 0 {
            self.counts.retain(|one| one.0 != target);
            self.counts.push((target, 0));
        }
        let its = self.counts.iter_mut().find(|one| one.0 == target).unwrap();
        its.1 = 15.min(its.1 + 1);
        self.sample += 1;
        if self.sample >= 10 * self.held.len().max(1) {
            self.sample /= 2;
            self.counts.iter_mut().for_each(|one| one.1 /= 2);
        }
    }
}

/// A target has one size.
fn size(target: u64) -> u64 {
    1 + target % 7
}

/// Targets, popular ones more often, and the times between requests.
fn requests() -> impl Strategy<Value = Vec<(u64, u64)>> {
    let target = prop_oneof![0..6_u64, 0..40_u64];
    prop::collection::vec((target, 0..4_u64), 1..600)
}

const FOREVER: u64 = 1 << 60;

proptest! {
    #[test]
    fn the_list_and_the_cache_agree(all in requests()) {
        type Rule = (&'static str, fn(&Entry) -> (u64, u64), fn(u64, u64) -> bool);
        let rules: [Rule; 4] = [
            ("lru", |one| (one.used, 0), |_, _| true),
            ("fifo", |one| (0, one.stored), |_, _| true),
            ("lfu", |one| (one.hits, one.used), |_, _| true),
            ("tinylfu", |one| (one.used, 0), |new, old| new > old),
        ];
        for (policy, worst, admits) in rules {
            for ttl in [None, Some(37)] {
                let (mut cache, mut list) = (cache(policy, ROOM, ttl), Plain::default());
                let mut now = 0;
                for (target, gap) in &all {
                    now += gap;
                    let found = cache.ask(Nanos(now), *target, size(*target));
                    let right = list.ask(now, *target, ttl.unwrap_or(FOREVER), worst, admits);
                    prop_assert_eq!(found, right, "{} with ttl {:?}", policy, ttl);
                }
            }
        }
    }

    /// Compares with the program's other cache. Targets change their sizes.
    #[test]
    fn the_least_recently_used_is_forgotten(
        requests in prop::collection::vec((0..30_u32, 1..40_u64), 1..400)
    ) {
        let (mut cache, mut list) = (cache("lru", 100, None), Lru::new(100));
        for (object, size) in requests {
            let size = size.min(u64::from(object) + 3);
            let size = if object % 3 == 0 { 1 + u64::from(object) } else { size };
            prop_assert_eq!(cache.ask(Nanos::ZERO, object.into(), size), list.ask(object, size));
        }
    }

    /// Whatever a random cache forgets, a time to live ends all: a target hits only if it came
    /// within that time before, and always if there is room.
    #[test]
    fn a_random_cache_forgets_by_time_as_well(all in requests()) {
        for room in [ROOM, FOREVER] {
            let mut cache = cache("random", room, Some(37));
            let (mut now, mut stored) = (0, [None::<u64>; 40]);
            for (target, gap) in &all {
                now += gap;
                let last = &mut stored[*target as usize];
                let could = last.is_some_and(|at| now < at + 37);
                let hit = cache.ask(Nanos(now), *target, size(*target));
                prop_assert!(!hit || could);
                prop_assert!(room == ROOM || hit == could);
                if !hit {
                    *last = Some(now);
                }
            }
        }
    }

    /// Compares with the algorithm as the paper states it: H is a list that is searched, and all
    /// credits fall by the least one when a target must go.
    #[test]
    fn greedy_dual_size_is_that_of_the_paper(
        requests in prop::collection::vec(0..25_u64, 1..400)
    ) {
        let size = |object: u64| [1_u64, 2, 4, 8, 16, 32][(object % 6) as usize];
        let mut cache = cache("greedy-dual-size", 64, None);
        let mut held: Vec<(u64, f64)> = Vec::new();
        for object in requests {
            let found = held.iter().position(|(one, _)| *one == object);
            let known = found.map(|at| held.remove(at)).is_some();
            let used = |all: &[(u64, f64)]| all.iter().map(|(one, _)| size(*one)).sum::<u64>();
            while used(&held) + size(object) > 64 {
                let least = held.iter().map(|(_, credit)| *credit).fold(f64::MAX, f64::min);
                let mut all: Vec<(f64, u64)> = held.iter().map(|(o, c)| (*c, *o)).collect();
                all.sort_by(|a, b| a.partial_cmp(b).unwrap());
                let gone = all[0].1;
                held.retain(|(one, _)| *one != gone);
                held.iter_mut().for_each(|(_, credit)| *credit -= least);
            }
            held.push((object, 1.0 / size(object) as f64));
            prop_assert_eq!(cache.ask(Nanos::ZERO, object, size(object)), known);
        }
    }
}
