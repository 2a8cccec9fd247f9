//! Smooth weighted round robin.

use super::smooth::Turns;
use super::{Dispatcher, Entry, Request, View, plain};

pub(super) const ENTRY: Entry = Entry {
    usage: "weighted-round-robin",
    example: "weighted-round-robin",
    summary: "one server after another, as often as its weight says, its turns spread evenly",
    source: "nginx, upstream round robin since 1.3.1: weights 5, 1, 1 give a a b a c a a",
    needs: &[],
    parse: |call| {
        plain(call, &ENTRY, |setting| {
            Box::new(WeightedRoundRobin {
                turns: Turns::new(&setting.weights.as_slice().into(), 0),
            })
        })
    },
};

#[derive(Debug)]
struct WeightedRoundRobin {
    turns: Turns,
}

impl Dispatcher for WeightedRoundRobin {
    fn choose(&mut self, _: &Request, view: &mut View<'_>) -> Option<usize> {
        self.turns.next(view.servers)
    }

    fn changed(&mut self, server: usize, view: &mut View<'_>) {
        Turns::update(std::slice::from_mut(&mut self.turns), server, view);
    }
}
