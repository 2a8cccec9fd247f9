//! Consistent hashing with bounded loads.

use std::sync::Arc;

use thinktime_file::units::Dimension;

use super::{Dispatcher, Entry, PolicyInput, Request, Setting, View};
use crate::random::mix;

pub(super) const ENTRY: Entry = Entry {
    usage: "consistent-hash(balance=1.25)",
    example: "consistent-hash(balance=1.25)",
    summary: "the first server on a ring after the target's hash that has less than `balance` \
              times its share of all requests in progress",
    source: "V. Mirrokni, M. Thorup, M. Zadimoghaddam, Consistent hashing with bounded loads, \
             SODA 2018; HAProxy, `hash-balance-factor`",
    needs: &[PolicyInput::Targets],
    parse: |call| {
        let mut arguments = ENTRY.arguments(call, &["balance"])?;
        let balance = arguments.number_or("balance", Dimension::Number, 1.25)?;
        if !(balance > 1.0 && balance.is_finite()) {
            return Err(arguments.error("needs a `balance` above 1"));
        }
        arguments.finish()?;
        Ok(Arc::new(move |setting| Ok(Box::new(ConsistentHash::new(setting, balance)))))
    },
};

/// Places on the ring of a server of mean weight: with 100 the shares differ by some 10 %.
const PLACES: f64 = 100.0;

#[derive(Debug)]
struct ConsistentHash {
    /// The places on the ring, in order, each with its server.
    ring: Vec<(u64, u32)>,
    /// By the first bits of a hash, the beginning of such hashes on the ring: only one or two
    /// places share these bits, so that no search is needed.
    begins: Vec<u32>,
    /// The number of the other bits.
    behind: u32,
    balance: f64,
}

impl ConsistentHash {
    fn new(setting: &Setting, balance: f64) -> ConsistentHash {
        let weights: f64 = setting.weights.iter().sum();
        let mean = weights / setting.weights.len() as f64;
        let mut ring = Vec::new();
        for (server, weight) in (0_u32..).zip(&setting.weights) {
            let places = (PLACES * weight / mean).round().max(1.0) as u64;
            let place = |at| (mix(mix(u64::from(server)).wrapping_add(at)), server);
            ring.extend((0..places).map(place));
        }
        ring.sort_unstable();
        let behind = u64::BITS - ring.len().ilog2().max(1);
        let (mut begins, mut at) = (Vec::new(), 0);
        for bits in 0..=u64::MAX >> behind {
            while ring.get(at).is_some_and(|(place, _)| *place < bits << behind) {
                at += 1;
            }
            begins.push(at as u32);
        }
        ConsistentHash { ring, begins, behind, balance }
    }

    /// The first place of at least this hash; the end if there is no such place.
    fn place_of(&self, hash: u64) -> usize {
        let mut at = self.begins[(hash >> self.behind) as usize] as usize;
        while self.ring.get(at).is_some_and(|(place, _)| *place < hash) {
            at += 1;
        }
        at
    }
}

impl Dispatcher for ConsistentHash {
    fn choose(&mut self, request: &Request, view: &mut View<'_>) -> Option<usize> {
        let (all, hash) = (view.servers.all(), mix(request.target));
        // Of the open servers: if closed ones were counted, all others might be full.
        let weights = view.servers.shares().sum();
        let fair = self.balance * (view.servers.in_progress() + 1) as f64 / weights;
        let has_room = |at: usize| {
            let one = all[at];
            one.open && f64::from(one.in_progress) < (fair * one.weight).ceil()
        };
        let (before, after) = self.ring.split_at(self.place_of(hash));
        let mut ring = after.iter().chain(before).map(|(_, server)| *server as usize);
        // By rounding alone all may be full.
        ring.clone().find(|at| has_room(*at)).or_else(|| ring.find(|at| all[*at].open))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_place_is_what_a_search_finds() {
        for servers in [1, 2, 7, 100] {
            let setting = Setting { weights: vec![1.0; servers], classes: 1, work: None };
            let hashes = ConsistentHash::new(&setting, 1.25);
            let places = hashes.ring.iter().map(|one| one.0);
            let near =
                places.flat_map(|place| [place.wrapping_sub(1), place, place.wrapping_add(1)]);
            for hash in near.chain([0, u64::MAX]).chain((0..1000).map(mix)) {
                let searched = hashes.ring.partition_point(|(place, _)| *place < hash);
                assert_eq!(hashes.place_of(hash), searched);
            }
        }
    }
}
