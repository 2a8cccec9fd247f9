//! Least attained service: those who were served least so far share the servers.
//!
//! Jobs with the same attained service form a group, which is served as one and stays together
//! for good: its jobs leave it only when they are done, smallest demand first. Groups lie on a
//! stack by attained service, the least on top. An arrival opens a group on top; a group that
//! catches up with the one below joins it, the smaller heap being emptied into the larger one. So
//! each job is moved at most log2(n) times, whatever the number of jobs that share.

use super::super::equal_shares::{larger, smaller};
use super::super::jobs::{Handle, Jobs, Place};
use super::super::node::NodeId;
use crate::heap::Heap;
use crate::time::Nanos;

#[derive(Debug)]
pub(super) struct Attained {
    station: NodeId,
    servers: f64,
    /// The most served first; the last ones are in service.
    groups: Vec<Group>,
    updated: Nanos,
    next: Nanos,
    /// Empty heaps, for groups to come.
    spare: Vec<Heap<Handle>>,
}

/// Jobs with the same attained service.
#[derive(Debug)]
struct Group {
    /// In nanoseconds, at `updated`.
    attained: f64,
    /// By their demand, which tells who is done first.
    jobs: Heap<Handle>,
}

impl Group {
    #[inline]
    fn len(&self) -> f64 {
        self.jobs.len() as f64
    }

    /// What is left of its smallest demand.
    #[inline]
    fn smallest_left(&self) -> f64 {
        self.jobs.peek().map_or(f64::INFINITY, |(demand, _)| demand as f64 - self.attained)
    }
}

impl Attained {
    pub(super) fn new(station: NodeId, servers: u32) -> Attained {
        Attained {
            station,
            servers: servers.into(),
            groups: Vec::new(),
            updated: Nanos::ZERO,
            next: Nanos::MAX,
            spare: Vec::new(),
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
        match self.groups.last_mut() {
            Some(top) if top.attained == 0.0 => top.jobs.push(job.demand.0, handle),
            _ => {
                let mut heap = self.spare.pop().unwrap_or_else(Heap::new);
                heap.push(job.demand.0, handle);
                self.groups.push(Group { attained: 0.0, jobs: heap });
            }
        }
        self.find_next();
    }

    /// What is due at [`Attained::next_event`]: a job is done, or a group catches up.
    pub(super) fn advance(&mut self, now: Nanos) -> Option<Handle> {
        self.pass(now);
        let due = match self.groups.as_slice() {
            // Mostly one group has all the servers.
            [rest @ .., top] if top.len() >= self.servers => {
                (top.smallest_left() < 0.5).then_some(rest.len())
            }
            all => {
                let mut served = self.served();
                served.find(|(at, _)| all[*at].smallest_left() < 0.5).map(|(at, _)| at)
            }
        };
        let done = due.and_then(|at| {
            let (_, handle) = self.groups[at].jobs.pop()?;
            if self.groups[at].jobs.len() == 0 {
                self.spare.push(self.groups.remove(at).jobs);
            }
            Some(handle)
        });
        self.join_neighbours();
        self.find_next();
        done
    }

    /// A job leaves unfinished.
    pub(super) fn withdraw(&mut self, now: Nanos, handle: Handle) {
        self.pass(now);
        for group in &mut self.groups {
            group.jobs.remove(|one| *one == handle);
        }
        self.groups.retain(|group| group.jobs.len() > 0);
        self.find_next();
    }

    /// The groups in service with the rate at which each of their jobs is served, from the top.
    #[inline]
    fn served(&self) -> impl Iterator<Item = (usize, f64)> + use<'_> {
        let mut left = self.servers;
        (0..self.groups.len()).rev().map_while(move |at| {
            let jobs = self.groups[at].len();
            let rate = smaller(left / jobs, 1.0);
            left -= jobs.min(left);
            (rate > 0.0).then_some((at, rate))
        })
    }

    /// Serves up to `now`.
    #[inline]
    fn pass(&mut self, now: Nanos) {
        let elapsed = now.since(self.updated).0 as f64;
        self.updated = now;
        let mut left = self.servers;
        for group in self.groups.iter_mut().rev() {
            let jobs = group.jobs.len() as f64;
            group.attained += elapsed * smaller(left / jobs, 1.0);
            left -= jobs;
            if left <= 0.0 {
                break;
            }
        }
    }

    /// Joins groups that are within half a nanosecond, the resolution of time.
    fn join_neighbours(&mut self) {
        let mut above = self.groups.len();
        while above > 1 {
            above -= 1;
            let (low, high) = (above - 1, above);
            if self.groups[low].attained - self.groups[high].attained >= 0.5 {
                // Only groups in service move: those further down are as they were.
                if self.groups.len() - above > self.servers as usize {
                    break;
                }
                continue;
            }
            let mut small = self.groups.remove(high).jobs;
            let large = &mut self.groups[low].jobs;
            if small.len() > large.len() {
                std::mem::swap(&mut small, large);
            }
            while let Some((demand, handle)) = small.pop_any() {
                large.push(demand, handle);
            }
            self.spare.push(small);
        }
    }

    #[inline]
    fn find_next(&mut self) {
        let soonest = match self.groups.as_slice() {
            [] => return self.next = Nanos::MAX,
            // Mostly one group has all the servers.
            [rest @ .., top] if top.len() >= self.servers => {
                let left = top.smallest_left();
                let gap = rest.last().map_or(left, |below| below.attained - top.attained);
                smaller(left, gap) * top.len() / self.servers
            }
            _ => self.soonest(),
        };
        self.next = self.updated + Nanos::nearest(larger(soonest, 0.0));
    }

    /// Nanoseconds until a job is done or a group catches up with the one below.
    fn soonest(&self) -> f64 {
        let mut soonest = f64::INFINITY;
        let mut served = self.served().peekable();
        while let Some((at, rate)) = served.next() {
            let group = &self.groups[at];
            soonest = soonest.min(group.smallest_left() / rate);
            let Some(below) = at.checked_sub(1).map(|below| &self.groups[below]) else { break };
            let gaining = rate - served.peek().map_or(0.0, |(_, slower)| *slower);
            if gaining > 1e-12 {
                soonest = soonest.min((below.attained - group.attained) / gaining);
            }
        }
        soonest
    }
}
