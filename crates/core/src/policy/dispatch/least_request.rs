//! Least request, with a bias where weights differ.

use std::sync::Arc;

use super::servers::cheapest;
use super::{Dispatcher, Entry, Request, Setting, View};
use crate::heap::Heap;
use crate::units::Dimension;

pub(super) const ENTRY: Entry = Entry {
    usage: "least-request(choices=2, bias=1)",
    example: "least-request(choices=2, bias=1)",
    summary: "of `choices` that are drawn, the one with the fewest requests; where weights differ, \
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

/// Equal weights: some are drawn, each any of all, so perhaps one twice.
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

/// Different weights: earliest deadline first, where a server's next deadline is the inverse of its
/// weight later, as it is when its turn comes.
#[derive(Debug)]
struct Scheduled {
    bias: f64,
    /// Deadlines of servers, in the order of the bits of positive numbers.
    turns: Heap<usize>,
    now: f64,
}

impl Scheduled {
    fn new(setting: &Setting, bias: f64) -> Scheduled {
        let mut turns = Heap::new();
        for (server, weight) in setting.weights.iter().enumerate() {
            turns.push((1.0 / weight).to_bits(), server);
        }
        Scheduled { bias, turns, now: 0.0 }
    }
}

impl Dispatcher for Scheduled {
    fn choose(&mut self, _: &Request, view: &mut View<'_>) -> Option<usize> {
        loop {
            let (deadline, server) = self.turns.pop()?;
            self.now = f64::from_bits(deadline);
            let one = view.servers.all()[server];
            let weight = one.weight / f64::from(one.in_progress + 1).powf(self.bias);
            self.turns.push((self.now + 1.0 / weight).to_bits(), server);
            if one.open {
                return Some(server);
            }
        }
    }
}
