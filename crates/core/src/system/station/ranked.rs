//! One job a server: the best-ranking jobs are in service, the others wait.

use std::collections::VecDeque;

use super::Visit;
use crate::heap::Heap;
use crate::policy::scheduling::{Discipline, Rank};
use crate::time::Nanos;

#[derive(Debug)]
pub(super) struct Ranked {
    servers: usize,
    discipline: Discipline,
    running: Vec<Running>,
    waiting: Waiting,
    /// The smallest `ends` of those running, kept beside them because it is asked for often.
    next: Nanos,
}

/// A job in service.
#[derive(Clone, Copy, Debug)]
struct Running {
    visit: Visit,
    ends: Nanos,
}

/// A job that waits, perhaps after some service.
#[derive(Clone, Copy, Debug)]
struct Waiter {
    visit: Visit,
    remaining: Nanos,
}

/// The waiting line: a plain one where all rank the same, a heap where not.
#[derive(Debug)]
enum Waiting {
    InOrder(VecDeque<Waiter>),
    ByRank(Heap<Waiter>),
}

impl Ranked {
    pub(super) fn new(servers: u32, discipline: Discipline) -> Ranked {
        let waiting = match discipline.rank {
            Rank::Equal => Waiting::InOrder(VecDeque::new()),
            Rank::Demand | Rank::Remaining => Waiting::ByRank(Heap::new()),
        };
        let servers = servers as usize;
        Ranked { servers, discipline, running: Vec::new(), waiting, next: Nanos::MAX }
    }

    #[inline]
    pub(super) fn next_completion(&self) -> Nanos {
        self.next
    }

    #[inline]
    pub(super) fn arrive(&mut self, now: Nanos, visit: Visit) {
        let arriving = Waiter { visit, remaining: visit.demand };
        if self.running.len() < self.servers {
            self.start(now, arriving);
        } else if let Some(worst) = self.pushed_out_by(now, &arriving) {
            let pushed = self.running.swap_remove(worst);
            self.wait(Waiter { visit: pushed.visit, remaining: pushed.ends.since(now) });
            self.start(now, arriving);
        } else {
            self.wait(arriving);
        }
    }

    #[inline]
    pub(super) fn complete(&mut self, now: Nanos) -> Option<Visit> {
        let at = match self.running.as_slice() {
            [_] => 0,
            all => all.iter().position(|job| job.ends == self.next)?,
        };
        let done = self.running.swap_remove(at);
        debug_assert_eq!(done.ends, now);
        let next = match &mut self.waiting {
            Waiting::InOrder(line) => line.pop_front(),
            Waiting::ByRank(heap) => heap.pop().map(|(_, waiter)| waiter),
        };
        match next {
            Some(waiter) => self.start(now, waiter),
            None => self.find_next(),
        }
        Some(done.visit)
    }

    #[inline]
    fn start(&mut self, now: Nanos, waiter: Waiter) {
        self.running.push(Running { visit: waiter.visit, ends: now + waiter.remaining });
        self.find_next();
    }

    #[inline]
    fn find_next(&mut self) {
        self.next = self.running.iter().map(|job| job.ends).min().unwrap_or(Nanos::MAX);
    }

    #[inline]
    fn wait(&mut self, waiter: Waiter) {
        let key = self.rank(&waiter.visit, waiter.remaining);
        match &mut self.waiting {
            Waiting::InOrder(line) => line.push_back(waiter),
            Waiting::ByRank(heap) => heap.push(key, waiter),
        }
    }

    #[inline]
    fn rank(&self, visit: &Visit, remaining: Nanos) -> u64 {
        match self.discipline.rank {
            Rank::Equal => 0,
            Rank::Demand => visit.demand.0,
            Rank::Remaining => remaining.0,
        }
    }

    /// The running job that must give way to the arriving one, if any: the worst-ranking one,
    /// when it ranks behind.
    fn pushed_out_by(&self, now: Nanos, arriving: &Waiter) -> Option<usize> {
        if !self.discipline.preemptive {
            return None;
        }
        let rank = |job: &Running| self.rank(&job.visit, job.ends.since(now));
        let (worst, job) = self.running.iter().enumerate().max_by_key(|(_, job)| rank(job))?;
        (self.rank(&arriving.visit, arriving.remaining) < rank(job)).then_some(worst)
    }
}
