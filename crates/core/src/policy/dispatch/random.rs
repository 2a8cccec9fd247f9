//! Any server.

use super::{Dispatcher, Entry, Request, View, plain};

pub(super) const ENTRY: Entry = Entry {
    usage: "random",
    example: "random",
    summary: "any server, as likely as its weight says, whatever they have to do",
    source: "the split of a Poisson process: each server is a queue of its own",
    needs: &[],
    parse: |call| {
        plain(call, &ENTRY, |setting| {
            Box::new(Random { largest: setting.weights.iter().copied().fold(0.0, f64::max) })
        })
    },
};

#[derive(Debug)]
struct Random {
    /// The largest weight.
    largest: f64,
}

impl Dispatcher for Random {
    fn choose(&mut self, _: &Request, view: &mut View<'_>) -> Option<usize> {
        loop {
            let drawn = view.servers.any(view.random);
            let weight = view.servers.all()[drawn].weight;
            // Taken as often as its weight is a part of the largest: so no sum has to be kept.
            if weight == self.largest || view.random.uniform() * self.largest < weight {
                return Some(drawn);
            }
        }
    }
}
