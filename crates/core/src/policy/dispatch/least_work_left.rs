//! Least work left.

use super::costs::{Costs, NEVER};
use super::{Dispatcher, Entry, Need, Request, View, plain};
use crate::time::Nanos;

pub(super) const ENTRY: Entry = Entry {
    usage: "least-work-left",
    example: "least-work-left",
    summary: "the server that would be idle first if nobody else came",
    source: "M. Harchol-Balter, Performance Modeling and Design of Computer Systems, ch. 24: with \
             FCFS servers the same as one central queue",
    needs: &[Need::Work],
    parse: |call| {
        plain(call, &ENTRY, |setting| {
            let number = setting.weights.len();
            Box::new(LeastWorkLeft {
                idle_at: vec![Nanos::ZERO; number],
                costs: Costs::new(number),
            })
        })
    },
};

/// Each server is taken to work off what it was sent, one request after another, without a pause.
#[derive(Debug)]
struct LeastWorkLeft {
    /// When each server has done all that it was sent.
    idle_at: Vec<Nanos>,
    costs: Costs,
}

impl Dispatcher for LeastWorkLeft {
    fn choose(&mut self, request: &Request, view: &mut View<'_>) -> Option<usize> {
        let chosen = self.costs.cheapest(view.random)?;
        // Weights do not count: a server's work is what the requests say.
        self.idle_at[chosen] = self.idle_at[chosen].max(view.now) + request.work;
        Some(chosen)
    }

    fn changed(&mut self, server: usize, view: &mut View<'_>) {
        let one = view.servers.all()[server];
        if one.in_progress == 0 {
            self.idle_at[server] = self.idle_at[server].min(view.now);
        }
        // A time of up to 100 days is a whole number of nanoseconds in this type too.
        let cost = if one.open { self.idle_at[server].0 as f64 } else { NEVER };
        self.costs.set(server, cost);
    }
}
