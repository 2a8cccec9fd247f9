//! Least work left.

use thinktime_file::time::Nanos;

use super::costs::{Costs, NEVER};
use super::{Dispatcher, Entry, PolicyInput, Request, View, plain};

pub(super) const ENTRY: Entry = Entry {
    usage: "least-work-left",
    example: "least-work-left",
    summary: "the server that would be idle first if nobody else came",
    source: "M. Harchol-Balter, Performance Modeling and Design of Computer Systems, ch. 24: with \
             FCFS servers the same as one central queue",
    needs: &[PolicyInput::Work],
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

/// Each server is assumed to work off its requests one after another, without a pause.
#[derive(Debug)]
struct LeastWorkLeft {
    /// When each server has done all of its requests.
    idle_at: Vec<Nanos>,
    costs: Costs,
}

impl Dispatcher for LeastWorkLeft {
    fn choose(&mut self, request: &Request, view: &mut View<'_>) -> Option<usize> {
        let chosen = self.costs.cheapest(view.random)?;
        // Weights do not count: the requests give a server's work.
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
