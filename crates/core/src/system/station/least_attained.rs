//! Least attained service: the jobs with the least service so far share the servers.
//!
//! Jobs with the same attained service form a group, which is served as one. Its jobs leave it only
//! when they are done, smallest demand first. Groups lie on a stack by attained service, the least
//! on top. An arrival opens a group on top. A group that catches up with the one below joins it:
//! the smaller heap is emptied into the larger one. So each job is moved at most log2(n) times,
//! whatever the number of jobs that share.

use thinktime_file::time::Nanos;

use super::super::equal_shares::{larger, smaller};
use super::super::ids::NodeId;
use super::super::jobs::{Handle, Jobs, Place};
use crate::heap::Heap;

#[derive(Debug)]
pub(super) struct LeastAttained {
    station: NodeId,
    servers: f64,
    /// There are no more groups in service than servers.
    served_max: usize,
    /// The most served first; the last ones are in service.
    groups: Stack,
    updated: Nanos,
    next: Nanos,
}

/// The stack of groups. Removed groups keep their memory, for groups to come.
#[derive(Debug, Default)]
struct Stack {
    all: Vec<Group>,
    /// The number of groups; the others are empty.
    height: usize,
}

/// Jobs with the same attained service.
#[derive(Debug)]
struct Group {
    /// In nanoseconds, at `updated`.
    attained: f64,
    /// By their demand, which gives the order of their ends.
    jobs: Heap<Handle>,
    /// The smallest demand: cached, because it is read more often than it changes.
    smallest: f64,
}

impl Group {
    #[inline]
    fn len(&self) -> f64 {
        // Handles have 32 bits, which one instruction converts.
        f64::from(self.jobs.len() as u32)
    }

    /// The rest of its smallest demand.
    #[inline]
    fn smallest_left(&self) -> f64 {
        self.smallest - self.attained
    }

    #[inline]
    fn push(&mut self, demand: u64, handle: Handle) {
        self.jobs.push(demand, handle);
        self.smallest = smaller(self.smallest, Nanos(demand).as_f64());
    }

    #[inline]
    fn find_smallest(&mut self) {
        self.smallest =
            self.jobs.peek().map_or(f64::INFINITY, |(demand, _)| Nanos(demand).as_f64());
    }
}

impl Stack {
    /// The groups that exist.
    #[inline(always)]
    fn groups(&self) -> &[Group] {
        &self.all[..self.height]
    }

    #[inline(always)]
    fn groups_mut(&mut self) -> &mut [Group] {
        &mut self.all[..self.height]
    }

    /// Puts an empty group on top, and gives its place.
    #[inline]
    fn open(&mut self) -> usize {
        if self.height == self.all.len() {
            self.all.push(Group { attained: 0.0, jobs: Heap::new(), smallest: f64::INFINITY });
        }
        let top = self.height;
        self.all[top].attained = 0.0;
        self.height += 1;
        top
    }

    /// Removes a group, which is empty.
    #[inline]
    fn close(&mut self, at: usize) {
        if at + 1 < self.height {
            self.groups_mut()[at..].rotate_left(1);
        }
        self.height -= 1;
    }

    /// Joins a group with the one below: the smaller heap is emptied into the larger one.
    fn join_with_below(&mut self, high: usize) {
        if let [.., below, above] = &mut self.groups_mut()[..=high] {
            if above.jobs.len() > below.jobs.len() {
                std::mem::swap(&mut above.jobs, &mut below.jobs);
                std::mem::swap(&mut above.smallest, &mut below.smallest);
            }
            while let Some((demand, handle)) = above.jobs.pop_any() {
                below.push(demand, handle);
            }
            above.smallest = f64::INFINITY;
        }
        self.close(high);
    }
}

impl LeastAttained {
    pub(super) fn new(station: NodeId, servers: u32) -> LeastAttained {
        LeastAttained {
            station,
            servers: servers.into(),
            served_max: servers as usize,
            groups: Stack::default(),
            updated: Nanos::ZERO,
            next: Nanos::MAX,
        }
    }

    #[inline]
    pub(super) fn next_event(&self) -> Nanos {
        self.next
    }

    #[inline(always)]
    pub(super) fn arrive(&mut self, now: Nanos, handle: Handle, jobs: &mut Jobs) {
        self.pass(now);
        let job = &mut jobs[handle];
        job.place = Place::Service(self.station);
        let top = match self.groups.groups().last() {
            Some(top) if top.attained == 0.0 => self.groups.height - 1,
            _ => self.groups.open(),
        };
        self.groups.all[top].push(job.demand.0, handle);
        self.find_next();
    }

    /// The event that is due at [`LeastAttained::next_event`]: a job is done, or a group catches
    /// up.
    #[inline(always)]
    pub(super) fn advance(&mut self, now: Nanos) -> Option<Handle> {
        self.pass(now);
        let due = match self.groups.groups() {
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
            let group = &mut self.groups.groups_mut()[at];
            let (_, handle) = group.jobs.pop()?;
            group.find_smallest();
            if group.jobs.len() == 0 {
                self.groups.close(at);
            }
            Some(handle)
        });
        self.join_neighbours();
        self.find_next();
        done
    }

    /// The service that a present job has had.
    pub(super) fn attained(&mut self, now: Nanos, handle: Handle) -> Nanos {
        self.pass(now);
        let mut groups = self.groups.groups().iter();
        let its = groups.find(|one| one.jobs.key_of(|other| *other == handle).is_some());
        its.map_or(Nanos::ZERO, |group| Nanos::nearest(group.attained))
    }

    /// A job leaves unfinished.
    pub(super) fn withdraw(&mut self, now: Nanos, handle: Handle) {
        self.pass(now);
        for at in (0..self.groups.height).rev() {
            let group = &mut self.groups.groups_mut()[at];
            group.jobs.remove(|one| *one == handle);
            group.find_smallest();
            if group.jobs.len() == 0 {
                self.groups.close(at);
            }
        }
        self.find_next();
    }

    /// The groups in service, from the top, with the rate at which each of their jobs is served.
    #[inline]
    fn served(&self) -> impl Iterator<Item = (usize, f64)> + use<'_> {
        let mut left = self.servers;
        let groups = self.groups.groups();
        (0..groups.len()).rev().map_while(move |at| {
            let jobs = groups[at].len();
            let rate = smaller(left / jobs, 1.0);
            left -= jobs.min(left);
            (rate > 0.0).then_some((at, rate))
        })
    }

    /// Serves up to `now`.
    #[inline]
    fn pass(&mut self, now: Nanos) {
        let elapsed = now.since(self.updated).as_f64();
        self.updated = now;
        let mut left = self.servers;
        for group in self.groups.groups_mut().iter_mut().rev() {
            let jobs = group.len();
            group.attained += elapsed * smaller(left / jobs, 1.0);
            left -= jobs;
            if left <= 0.0 {
                break;
            }
        }
    }

    /// Joins groups that are within half a nanosecond, the resolution of time.
    #[inline]
    fn join_neighbours(&mut self) {
        let mut high = self.groups.height;
        while high > 1 {
            high -= 1;
            let all = self.groups.groups();
            if all[high - 1].attained - all[high].attained < 0.5 {
                self.groups.join_with_below(high);
            } else if self.groups.height - high > self.served_max {
                // Only groups in service move: those further down are unchanged.
                break;
            }
        }
    }

    #[inline]
    fn find_next(&mut self) {
        let soonest = match self.groups.groups() {
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
        let (groups, mut served) = (self.groups.groups(), self.served().peekable());
        while let Some((at, rate)) = served.next() {
            let group = &groups[at];
            soonest = soonest.min(group.smallest_left() / rate);
            let Some(below) = at.checked_sub(1).map(|below| &groups[below]) else { break };
            let gaining = rate - served.peek().map_or(0.0, |(_, slower)| *slower);
            if gaining > 1e-12 {
                soonest = soonest.min((below.attained - group.attained) / gaining);
            }
        }
        soonest
    }
}
