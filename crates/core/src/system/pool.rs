//! A pool: places (threads, connections) that requests take and give back.

use std::collections::VecDeque;

use super::PoolModel;
use super::jobs::{Handle, Jobs, Place};
use super::station::{Monitor, StationSummary};
use crate::time::Nanos;

/// A pool in motion; who finds no place waits, first come, first served.
#[derive(Debug)]
pub(super) struct Pool {
    number: u32,
    free: u64,
    waiting: VecDeque<Handle>,
    /// Those who wait and have not gone.
    waiting_count: u64,
    queue_limit: u64,
    monitor: Monitor,
}

/// What comes of asking for a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Acquired {
    Granted,
    Waits,
    Refused,
}

impl Pool {
    pub(super) fn new(number: u32, model: &PoolModel) -> Pool {
        Pool {
            number,
            free: model.size.into(),
            waiting: VecDeque::new(),
            waiting_count: 0,
            queue_limit: model.queue_limit,
            monitor: Monitor::new(model.size),
        }
    }

    fn bit(&self) -> u64 {
        1 << self.number
    }

    pub(super) fn acquire(&mut self, now: Nanos, handle: Handle, jobs: &mut Jobs) -> Acquired {
        if self.free == 0 && self.waiting_count >= self.queue_limit {
            return Acquired::Refused;
        }
        self.monitor.arrive(now, Nanos::ZERO);
        let job = &mut jobs[handle];
        job.entered = now;
        if self.free > 0 {
            self.free -= 1;
            job.held |= self.bit();
            return Acquired::Granted;
        }
        job.place = Place::Pool(self.number);
        self.waiting.push_back(handle);
        self.waiting_count += 1;
        Acquired::Waits
    }

    /// Gives a place back; says who gets it.
    pub(super) fn release(
        &mut self,
        now: Nanos,
        handle: Handle,
        jobs: &mut Jobs,
    ) -> Option<Handle> {
        self.monitor.depart(now);
        jobs[handle].held &= !self.bit();
        while let Some(next) = self.waiting.pop_front() {
            if jobs.still_waits(next) {
                self.waiting_count -= 1;
                let job = &mut jobs[next];
                (job.place, job.held) = (Place::Between, job.held | self.bit());
                return Some(next);
            }
        }
        self.free += 1;
        None
    }

    /// One who waits goes away; it stays in the line, as gone.
    pub(super) fn withdraw(&mut self, now: Nanos) {
        self.monitor.depart(now);
        self.waiting_count -= 1;
    }

    pub(super) fn begin_measuring(&mut self, now: Nanos) {
        self.monitor.begin(now);
    }

    pub(super) fn summary(&self, now: Nanos) -> StationSummary {
        self.monitor.summary(now)
    }
}
