//! Any server.

use super::{Dispatcher, Entry, Request, View, plain};

pub(super) const ENTRY: Entry = Entry {
    usage: "random",
    example: "random",
    summary: "any server, with a probability by its weight, whatever its load",
    source: "the split of a Poisson process: each server is a queue of its own",
    needs: &[],
    parse: |call| plain(call, &ENTRY, |_| Box::new(Random)),
};

/// After this many servers that are drawn and rejected, one is drawn by the weights of all: the law
/// is the same, and very unequal weights cost no more than that.
const DRAWS_MAX: u32 = 16;

#[derive(Debug)]
struct Random;

impl Dispatcher for Random {
    fn choose(&mut self, _: &Request, view: &mut View<'_>) -> Option<usize> {
        let shares = view.servers.shares();
        let largest = shares.largest();
        for _ in 0..DRAWS_MAX {
            let drawn = view.servers.any(view.random);
            let weight = view.servers.all()[drawn].weight;
            // Accepted with the probability of its weight divided by the largest.
            if weight == largest || view.random.uniform() * largest < weight {
                return Some(drawn);
            }
        }
        Some(shares.at(view.random.uniform()))
    }
}
