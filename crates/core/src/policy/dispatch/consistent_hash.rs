//! Consistent hashing with bounded loads.

use std::sync::Arc;

use super::{Dispatcher, Entry, Need, Request, Setting, View};
use crate::random::mix;
use crate::units::Dimension;

pub(super) const ENTRY: Entry = Entry {
    usage: "consistent-hash(balance=1.25)",
    example: "consistent-hash(balance=1.25)",
    summary: "the first server on a ring after the target's hash that has less than `balance` \
              times its share of all requests in progress",
    source: "V. Mirrokni, M. Thorup, M. Zadimoghaddam, Consistent hashing with bounded loads, \
             SODA 2018; HAProxy, `hash-balance-factor`",
    needs: &[Need::Targets],
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
    balance: f64,
    weights: f64,
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
        ConsistentHash { ring, balance, weights }
    }
}

impl Dispatcher for ConsistentHash {
    fn choose(&mut self, request: &Request, view: &mut View<'_>) -> Option<usize> {
        let (all, hash) = (view.servers.all(), mix(request.target));
        let fair = self.balance * (view.servers.in_progress() + 1) as f64 / self.weights;
        let has_room = |at: usize| {
            let one = all[at];
            one.open && f64::from(one.in_progress) < (fair * one.weight).ceil()
        };
        let from = self.ring.partition_point(|(place, _)| *place < hash);
        let (before, after) = self.ring.split_at(from);
        let mut ring = after.iter().chain(before).map(|(_, server)| *server as usize);
        // Where servers are closed, all others may be full: then the bound does not hold.
        ring.clone().find(|at| has_room(*at)).or_else(|| ring.find(|at| all[*at].open))
    }
}
