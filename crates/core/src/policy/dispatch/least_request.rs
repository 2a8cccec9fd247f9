//! Least request, with a bias if weights differ.

use std::sync::Arc;

use thinktime_file::units::Dimension;

use super::servers::cheapest;
use super::{Dispatcher, Entry, Request, Setting, View};
use crate::heap::Heap;

pub(super) const ENTRY: Entry = Entry {
    usage: "least-request(choices=2, bias=1)",
    example: "least-request(choices=2, bias=1)",
    summary: "the one of `choices` drawn servers with the fewest requests; if weights differ, \
              turns by weight / (requests + 1)^bias",
    source: "Envoy, policy LEAST_REQUEST",
    needs: &[],
    parse: |call| {
        let mut arguments = ENTRY.arguments(call, &["choices", "bias"])?;
        let choices = arguments.number_or("choices", Dimension::Number, 2.0)?;
        if !(2.0..=1000.0).contains(&choices) || choices.fract() != 0.0 {
            return Err(arguments.error("needs a whole number of choices from 2 to 1000"));
        }
        let bias = arguments.number_or("bias", Dimension::Number, 1.0)?;
        if !(0.0..=10.0).contains(&bias) {
            return Err(arguments.error("needs a `bias` from 0 to 10"));
        }
        arguments.finish()?;
        let choices = choices as usize;
        Ok(Arc::new(move |setting| {
            let same = setting.weights.iter().all(|weight| *weight == setting.weights[0]);
            Ok(if same {
                Box::new(Drawn { choices, drawn: Vec::new() })
            } else {
                Box::new(Scheduled::new(setting, bias))
            })
        }))
    },
};

/// Equal weights: some servers are drawn, each from all, so perhaps one twice.
#[derive(Debug)]
struct Drawn {
    choices: usize,
    drawn: Vec<usize>,
}

impl Dispatcher for Drawn {
    fn choose(&mut self, _: &Request, view: &mut View<'_>) -> Option<usize> {
        let any = |_| view.servers.any(view.random);
        self.drawn.clear();
        self.drawn.extend((0..self.choices).map(any));
        let all = view.servers.all();
        cheapest(&self.drawn, view.random, |at| all[at].in_progress)
    }
}

/// Different weights: earliest deadline first. A server's next deadline is its last one plus the
/// inverse of its weight at that time.
#[derive(Debug)]
struct Scheduled {
    bias: f64,
    /// Deadlines of servers, in the order of the bits of positive numbers: of all that are open,
    /// and of those that have closed until their turn comes.
    turns: Heap<usize>,
    /// Whether each has a deadline.
    listed: Vec<bool>,
    now: f64,
}

impl Scheduled {
    fn new(setting: &Setting, bias: f64) -> Scheduled {
        let mut turns = Heap::new();
        for (server, weight) in setting.weights.iter().enumerate() {
            turns.push((1.0 / weight).to_bits(), server);
        }
        Scheduled { bias, turns, listed: vec![true; setting.weights.len()], now: 0.0 }
    }

    /// Gives a server its next deadline.
    fn list(&mut self, server: usize, view: &View<'_>) {
        let one = view.servers.all()[server];
        let weight = one.weight / f64::from(one.in_progress + 1).powf(self.bias);
        self.turns.push((self.now + 1.0 / weight).to_bits(), server);
        self.listed[server] = true;
    }
}

impl Dispatcher for Scheduled {
    fn choose(&mut self, _: &Request, view: &mut View<'_>) -> Option<usize> {
        loop {
            let (deadline, server) = self.turns.pop()?;
            self.now = f64::from_bits(deadline);
            if view.servers.all()[server].open {
                self.list(server, view);
                return Some(server);
            }
            // With another turn, a heavy server would have many before a light open one has its
            // own.
            self.listed[server] = false;
        }
    }

    fn changed(&mut self, server: usize, view: &mut View<'_>) {
        if view.servers.all()[server].open && !self.listed[server] {
            self.list(server, view);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Servers;
    use super::*;
    use crate::random::{Purpose, Stream};
    use thinktime_file::time::Nanos;

    /// A closed server leaves the rotation when its turn comes, and takes part again when it opens.
    #[test]
    fn a_closed_server_has_no_more_turns() {
        let weights = vec![1e6, 1e-6, 1e-6];
        let setting = Setting { weights, classes: 1, work: None };
        let mut servers = Servers::new(&setting.weights);
        let mut policy = Scheduled::new(&setting, 1.0);
        let mut random = Stream::new(1, 0, Purpose::Dispatch);
        let request = Request::default();
        let mut choose = |policy: &mut Scheduled, servers: &Servers| {
            let mut view = View { now: Nanos::ZERO, servers, random: &mut random };
            (0..servers.all().len()).for_each(|at| policy.changed(at, &mut view));
            policy.choose(&request, &mut view)
        };
        assert_eq!(choose(&mut policy, &servers), Some(0));
        servers.set_open(0, false);
        assert_eq!(choose(&mut policy, &servers), Some(1));
        assert_eq!((policy.turns.len(), &policy.listed[..]), (2, &[false, true, true][..]));
        assert_eq!(choose(&mut policy, &servers), Some(2));
        servers.set_open(0, true);
        assert_eq!(choose(&mut policy, &servers), Some(0));
        assert_eq!(policy.turns.len(), 3);
    }
}
