//! Prequal: a choice by probes of servers that were answered before the request came.

use std::sync::Arc;

use thinktime_file::time::Nanos;
use thinktime_file::units::Dimension;

use super::{Dispatcher, Entry, PolicyInput, Probe, Request, View};

pub(super) const ENTRY: Entry = Entry {
    usage: "prequal(probes=3, quantile=0.84)",
    example: "prequal(probes=3, quantile=0.84)",
    summary: "each request probes some servers; among the latest answers, the fastest server of \
              those with few requests, else the one with the fewest",
    source: "B. Wydrowski, R. Kleinberg, S. Rumble, A. Archer, Load is not what you should \
             balance: introducing Prequal, NSDI 2024",
    needs: &[PolicyInput::Probes],
    parse: |call| {
        let mut arguments = ENTRY.arguments(call, &["probes", "quantile"])?;
        let probes = arguments.number_or("probes", Dimension::Number, 3.0)?;
        let quantile = arguments.number_or("quantile", Dimension::Number, 0.84)?;
        if !(1.0..=100.0).contains(&probes) || !(0.0..=1.0).contains(&quantile) {
            return Err(
                arguments.error("needs from 1 to 100 `probes` and a `quantile` from 0 to 1")
            );
        }
        arguments.finish()?;
        Ok(Arc::new(move |setting| {
            let uses = uses(probes, setting.weights.len());
            let fresh =
                Prequal { probes, quantile, uses, pool: Vec::new(), owed: 0.0, worst: true };
            Ok(Box::new(fresh))
        }))
    },
};

/// The most answers that are kept, and their greatest age.
const POOL_MAX: usize = 16;
const AGE_MAX: Nanos = Nanos(1_000_000_000);
/// Answers that each request removes.
const REMOVED: f64 = 1.0;
/// With fewer answers than this, any server is chosen.
const POOL_MIN: usize = 2;

/// The mean number of uses of an answer, so that the pool neither runs dry nor grows old (the
/// paper, equation 1, with delta = 1): at least once, and no more if there are few servers.
fn uses(probes: f64, servers: usize) -> f64 {
    let spare = (1.0 - POOL_MAX as f64 / servers as f64) * probes - REMOVED;
    (2.0 / spare).max(1.0)
}

#[derive(Debug)]
struct Prequal {
    probes: f64,
    quantile: f64,
    uses: f64,
    /// Answers, the oldest first.
    pool: Vec<Answer>,
    /// The fraction of a probe that is still owed, if the number of probes a request is not whole.
    owed: f64,
    /// Whether the next answer to be removed is the worst, and not the oldest.
    worst: bool,
}

#[derive(Clone, Copy, Debug)]
struct Answer {
    server: usize,
    told: Probe,
    at: Nanos,
    /// The number of its remaining uses.
    left: f64,
}

impl Prequal {
    /// The number of requests above which a server is hot.
    fn threshold(&self) -> u32 {
        let mut all = [0; POOL_MAX];
        let all = &mut all[..self.pool.len()];
        all.iter_mut().zip(&self.pool).for_each(|(to, from)| *to = from.told.in_progress);
        all.sort_unstable();
        let place = (self.quantile * all.len() as f64).ceil() as usize;
        all[place.saturating_sub(1)]
    }

    /// The place of the best by the hot-cold lexicographic rule, or of the worst.
    fn by_rule(&self, best: bool) -> Option<usize> {
        if self.pool.is_empty() {
            return None;
        }
        let threshold = self.threshold();
        let rank = |at: &usize| {
            let Probe { in_progress, response } = self.pool[*at].told;
            let hot = in_progress > threshold;
            (hot, if hot { u64::from(in_progress) } else { response.0 })
        };
        let places = 0..self.pool.len();
        if best { places.min_by_key(rank) } else { places.max_by_key(rank) }
    }

    fn remove_one(&mut self) {
        let place =
            if self.worst { self.by_rule(false) } else { (!self.pool.is_empty()).then_some(0) };
        self.worst = !self.worst;
        if let Some(place) = place {
            self.pool.remove(place);
        }
    }
}

impl Dispatcher for Prequal {
    fn choose(&mut self, _: &Request, view: &mut View<'_>) -> Option<usize> {
        let (now, all) = (view.now, view.servers.all());
        self.pool.retain(|one| now.since(one.at) <= AGE_MAX && all[one.server].open);
        if self.pool.len() < POOL_MIN {
            return Some(view.servers.any(view.random));
        }
        let place = self.by_rule(true)?;
        let answer = &mut self.pool[place];
        let chosen = answer.server;
        answer.told.in_progress += 1;
        answer.left -= 1.0;
        if answer.left < 1.0 {
            self.pool.remove(place);
        }
        self.remove_one();
        Some(chosen)
    }

    fn probes(&mut self, view: &mut View<'_>, wanted: &mut Vec<usize>) {
        self.owed += self.probes;
        view.servers.sample(self.owed as usize, view.random, wanted);
        self.owed = self.owed.fract();
    }

    fn probed(&mut self, server: usize, told: Probe, view: &mut View<'_>) {
        self.pool.retain(|one| one.server != server);
        if self.pool.len() == POOL_MAX {
            self.pool.remove(0);
        }
        // A fraction of a use counts as a whole one with that probability, so that the mean is
        // kept.
        let part = self.uses.fract();
        let more = part > 0.0 && view.random.uniform() < part;
        let left = self.uses.floor() + f64::from(u8::from(more));
        self.pool.push(Answer { server, told, at: view.now, left });
    }
}
