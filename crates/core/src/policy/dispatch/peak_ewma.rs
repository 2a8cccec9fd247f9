//! Peak EWMA: by response times, with a quick reaction to a slow one.

use std::sync::Arc;

use thinktime_file::time::Nanos;
use thinktime_file::units::Dimension;

use super::servers::cheapest;
use super::{Dispatcher, Entry, Request, View};

pub(super) const ENTRY: Entry = Entry {
    usage: "peak-ewma(decay=10s)",
    example: "peak-ewma(decay=10s)",
    summary: "the one of two drawn servers with the smaller product of its response time, averaged \
              with `decay` but never below the last peak's decay, and its requests with this one",
    source: "Twitter Finagle, Linkerd, tower: the balancers of that name",
    needs: &[],
    parse: |call| {
        let mut arguments = ENTRY.arguments(call, &["decay"])?;
        let decay_s = arguments.number_or("decay", Dimension::Time, 10.0)?;
        if !(decay_s > 0.0 && decay_s.is_finite()) {
            return Err(arguments.error("needs a positive time for `decay`"));
        }
        arguments.finish()?;
        Ok(Arc::new(move |setting| {
            let servers = vec![None; setting.weights.len()];
            Ok(Box::new(PeakEwma { decay_s, servers, drawn: Vec::new() }))
        }))
    },
};

/// The cost of a server that has requests, and no estimate yet: more than any other, as in Finagle.
const UNKNOWN_S: f64 = 1e6;

#[derive(Debug)]
struct PeakEwma {
    decay_s: f64,
    /// The estimate of each server's response time, if there is one.
    servers: Vec<Option<Estimate>>,
    drawn: Vec<usize>,
}

#[derive(Clone, Copy, Debug)]
struct Estimate {
    seconds: f64,
    at: Nanos,
}

impl PeakEwma {
    /// The remaining share of an estimate from this time.
    fn left(&self, estimate: Estimate, now: Nanos) -> f64 {
        (-now.since(estimate.at).as_secs_f64() / self.decay_s).exp()
    }

    fn cost(&self, server: usize, in_progress: u32, now: Nanos) -> f64 {
        match self.servers[server] {
            None if in_progress == 0 => 0.0,
            None => UNKNOWN_S + f64::from(in_progress),
            Some(estimate) => {
                estimate.seconds * self.left(estimate, now) * f64::from(in_progress + 1)
            }
        }
    }
}

impl Dispatcher for PeakEwma {
    fn choose(&mut self, _: &Request, view: &mut View<'_>) -> Option<usize> {
        view.servers.sample(2, view.random, &mut self.drawn);
        let (all, now) = (view.servers.all(), view.now);
        cheapest(&self.drawn, view.random, |at| self.cost(at, all[at].in_progress, now))
    }

    fn ended(&mut self, server: usize, response: Nanos, view: &mut View<'_>) {
        let response = response.as_secs_f64();
        let seconds = match self.servers[server] {
            Some(estimate) if response <= estimate.seconds => {
                let left = self.left(estimate, view.now);
                estimate.seconds * left + response * (1.0 - left)
            }
            // A peak counts at once.
            _ => response,
        };
        self.servers[server] = Some(Estimate { seconds, at: view.now });
    }
}
