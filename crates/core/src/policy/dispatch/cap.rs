//! CAP, the client-aware policy.

use super::smooth::Turns;
use super::{Dispatcher, Entry, PolicyInput, Request, View, plain};

pub(super) const ENTRY: Entry = Entry {
    usage: "cap",
    example: "cap",
    summary: "one server after another within each class of requests, so that each server gets the \
              same mix",
    source: "E. Casalicchio, M. Colajanni, A client-aware dispatching algorithm for web clusters \
             providing multiple services, WWW10, 2001",
    needs: &[PolicyInput::Classes],
    parse: |call| {
        plain(call, &ENTRY, |setting| {
            // The paper leaves open where a class begins. If all began at the same server, that one
            // would get the first request of each.
            let weights = setting.weights.as_slice().into();
            let turns = |class| Turns::new(&weights, class % setting.weights.len());
            Box::new(Cap { turns: (0..setting.classes).map(turns).collect() })
        })
    },
};

/// A pointer around the servers for each class.
#[derive(Debug)]
struct Cap {
    turns: Vec<Turns>,
}

impl Dispatcher for Cap {
    fn choose(&mut self, request: &Request, view: &mut View<'_>) -> Option<usize> {
        self.turns[request.class as usize].next(view.servers)
    }

    fn changed(&mut self, server: usize, view: &mut View<'_>) {
        Turns::update(&mut self.turns, server, view);
    }
}
