//! All jobs in service at once, at equal shares of the servers.
//!
//! With n jobs on c servers each is served at the rate min(1, c/n). The station's *virtual time*
//! runs at that rate; a job that arrives at virtual time v with demand s leaves at virtual time
//! v + s, whatever comes between (Kleinrock, Queueing Systems 2, ch. 4.4). So an arrival and a
//! departure cost a heap operation each, however many jobs there are.

use super::super::jobs::{Handle, Jobs, Place};
use crate::heap::Heap;
use crate::time::Nanos;

#[derive(Debug)]
pub(super) struct Shared {
    station: u32,
    servers: f64,
    /// Jobs by the virtual time of their departure; a positive float's bits keep its order.
    jobs: Heap<Handle>,
    /// Virtual time in nanoseconds, at `updated`.
    virtual_now: f64,
    updated: Nanos,
    next: Nanos,
}

/// Virtual time is set back to zero beyond this, where a float still resolves 0.0002 ns.
const VIRTUAL_TIME_MAX: f64 = (1u64 << 40) as f64;

impl Shared {
    pub(super) fn new(station: u32, servers: u32) -> Shared {
        Shared {
            station,
            servers: servers.into(),
            jobs: Heap::new(),
            virtual_now: 0.0,
            updated: Nanos::ZERO,
            next: Nanos::MAX,
        }
    }

    #[inline]
    pub(super) fn next_event(&self) -> Nanos {
        self.next
    }

    #[inline]
    pub(super) fn arrive(&mut self, now: Nanos, handle: Handle, jobs: &mut Jobs) {
        self.pass(now);
        let job = &mut jobs[handle];
        job.place = Place::Service(self.station);
        let departs = self.virtual_now + job.demand.0 as f64;
        self.jobs.push(departs.to_bits(), handle);
        self.find_next();
    }

    /// The next departure, which is due at [`Shared::next_event`].
    #[inline]
    pub(super) fn advance(&mut self, now: Nanos) -> Option<Handle> {
        let (key, handle) = self.jobs.pop()?;
        // Set rather than summed up: rounding to nanoseconds never accumulates.
        self.virtual_now = f64::from_bits(key);
        self.updated = now;
        if self.jobs.len() == 0 {
            self.virtual_now = 0.0;
        } else if self.virtual_now > VIRTUAL_TIME_MAX {
            let passed = self.virtual_now;
            self.jobs.map_keys(|key| (f64::from_bits(key) - passed).to_bits());
            self.virtual_now = 0.0;
        }
        self.find_next();
        Some(handle)
    }

    /// A job leaves unfinished.
    pub(super) fn withdraw(&mut self, now: Nanos, handle: Handle) {
        self.pass(now);
        self.jobs.remove(|one| *one == handle);
        self.find_next();
    }

    #[inline]
    fn rate(&self) -> f64 {
        (self.servers / self.jobs.len() as f64).min(1.0)
    }

    /// Lets virtual time run up to `now`.
    #[inline]
    fn pass(&mut self, now: Nanos) {
        if let Some((key, _)) = self.jobs.peek() {
            let passed = now.since(self.updated).0 as f64 * self.rate();
            // The next departure is due no later than its rounded time: never run past it.
            self.virtual_now = (self.virtual_now + passed).min(f64::from_bits(key));
        }
        self.updated = now;
    }

    #[inline]
    fn find_next(&mut self) {
        self.next = match self.jobs.peek() {
            None => Nanos::MAX,
            Some((key, _)) => {
                let left = (f64::from_bits(key) - self.virtual_now).max(0.0) / self.rate();
                self.updated + Nanos((left + 0.5) as u64)
            }
        };
    }
}
