//! Round robin.

use super::smooth::Turns;
use super::{Dispatcher, Entry, Request, View, plain};

pub(super) const ENTRY: Entry = Entry {
    usage: "round-robin",
    example: "round-robin",
    summary: "one server after another, whatever their weights",
    source: "L. Kleinrock, Queueing Systems 2, 1976",
    needs: &[],
    parse: |call| plain(call, &ENTRY, |_| Box::new(RoundRobin { turns: Turns::Plain(0) })),
};

#[derive(Debug)]
struct RoundRobin {
    turns: Turns,
}

impl Dispatcher for RoundRobin {
    fn choose(&mut self, _: &Request, view: &mut View<'_>) -> Option<usize> {
        self.turns.next(view.servers)
    }
}
