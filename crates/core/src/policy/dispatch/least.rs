//! The policies that choose the server of the least cost.

use super::costs::{Costs, NEVER};
use super::{Dispatcher, Request, Server, Setting, View};

/// Chooses the cheapest server, any one of equals.
#[derive(Debug)]
pub(super) struct Least {
    costs: Costs,
    cost: fn(&Server) -> f64,
}

impl Least {
    pub(super) fn boxed(setting: &Setting, cost: fn(&Server) -> f64) -> Box<dyn Dispatcher> {
        Box::new(Least { costs: Costs::new(setting.weights.len()), cost })
    }
}

impl Dispatcher for Least {
    fn choose(&mut self, _: &Request, view: &mut View<'_>) -> Option<usize> {
        self.costs.cheapest(view.random)
    }

    fn changed(&mut self, server: usize, view: &mut View<'_>) {
        let one = &view.servers.all()[server];
        self.costs.set(server, if one.open { (self.cost)(one) } else { NEVER });
    }
}
