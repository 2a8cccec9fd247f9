//! All jobs in service at once at one server, at shares in proportion to their weights.
//!
//! With weights that sum to W a job of weight w is served at the rate w / W. *Virtual time* runs at
//! the rate 1 / W. A job that comes at virtual time v with demand s is done at v + s / w, whatever
//! comes between.

use thinktime_file::time::Nanos;

use super::super::equal_shares::{larger, smaller};
use super::super::ids::NodeId;
use super::super::jobs::{Handle, Jobs, Place};
use crate::queue::Queue;

#[derive(Debug)]
pub(super) struct Weighted {
    station: NodeId,
    /// By the virtual time at which they are done; a positive float's bits keep its order.
    work: Queue<Job>,
    /// The number of jobs of each weight that has come.
    weights: Vec<(f64, u64)>,
    /// The sum of the weights of those that are there.
    total: f64,
    /// Virtual time in nanoseconds, at `updated`.
    virtual_now: f64,
    updated: Nanos,
    next: Nanos,
}

#[derive(Clone, Copy, Debug)]
struct Job {
    handle: Handle,
    weight: f64,
}

/// Virtual time is set back to zero beyond this, where a float still resolves 0.0002 ns.
const VIRTUAL_TIME_MAX: f64 = (1u64 << 40) as f64;

impl Weighted {
    pub(super) fn new(station: NodeId) -> Weighted {
        Weighted {
            station,
            work: Queue::new(),
            weights: Vec::new(),
            total: 0.0,
            virtual_now: 0.0,
            updated: Nanos::ZERO,
            next: Nanos::MAX,
        }
    }

    pub(super) fn next_event(&self) -> Nanos {
        self.next
    }

    /// A job arrives, whose rank is its weight.
    pub(super) fn arrive(&mut self, now: Nanos, handle: Handle, jobs: &mut Jobs) {
        self.pass(now);
        let job = &mut jobs[handle];
        job.place = Place::Service(self.station);
        let weight = f64::from_bits(job.rank);
        let done = self.virtual_now + job.demand.as_f64() / weight;
        self.work.push(done.to_bits(), Job { handle, weight });
        match self.weights.iter_mut().find(|(of, _)| *of == weight) {
            Some((_, number)) => *number += 1,
            None => self.weights.push((weight, 1)),
        }
        self.find_next();
    }

    /// The next departure, which is due at [`Weighted::next_event`].
    pub(super) fn advance(&mut self, now: Nanos) -> Option<Handle> {
        let (key, job) = self.work.pop()?;
        // Set rather than summed up: rounding to nanoseconds never accumulates.
        (self.virtual_now, self.updated) = (f64::from_bits(key), now);
        self.leave(job.weight);
        if self.work.len() == 0 {
            self.virtual_now = 0.0;
        } else if self.virtual_now > VIRTUAL_TIME_MAX {
            let passed = self.virtual_now;
            self.work.map_keys(|key| (f64::from_bits(key) - passed).to_bits());
            self.virtual_now = 0.0;
        }
        self.find_next();
        Some(job.handle)
    }

    /// The rest of a present job's demand.
    pub(super) fn left(&mut self, now: Nanos, handle: Handle, jobs: &Jobs) -> Nanos {
        self.pass(now);
        let done = self.work.key_of(|one| one.handle == handle).map(f64::from_bits);
        let left = done.unwrap_or(self.virtual_now) - self.virtual_now;
        Nanos::nearest(larger(left * f64::from_bits(jobs[handle].rank), 0.0))
    }

    /// A job leaves unfinished.
    pub(super) fn withdraw(&mut self, now: Nanos, handle: Handle, jobs: &Jobs) {
        self.pass(now);
        self.work.remove(|one| one.handle == handle);
        self.leave(f64::from_bits(jobs[handle].rank));
        self.find_next();
    }

    fn leave(&mut self, weight: f64) {
        let mut weights = self.weights.iter_mut();
        weights.find(|(of, _)| *of == weight).into_iter().for_each(|(_, number)| *number -= 1);
    }

    /// Lets virtual time run up to `now`.
    fn pass(&mut self, now: Nanos) {
        if let Some((key, _)) = self.work.peek() {
            let passed = now.since(self.updated).as_f64() / self.total;
            // The next job is due no later than its rounded time: never run past it.
            self.virtual_now = smaller(self.virtual_now + passed, f64::from_bits(key));
        }
        self.updated = now;
    }

    /// The jobs have changed, or virtual time has.
    fn find_next(&mut self) {
        // Summed up anew, so that nothing is left of a large weight that has gone.
        self.total = self.weights.iter().map(|(weight, number)| weight * *number as f64).sum();
        self.next = match self.work.peek() {
            None => Nanos::MAX,
            Some((key, _)) => {
                let left = larger(f64::from_bits(key) - self.virtual_now, 0.0) * self.total;
                self.updated + Nanos::nearest(left)
            }
        };
    }
}
