//! One server that serves several jobs together: it takes those that wait, up to a number, and all
//! of them leave at the end.
//!
//! Bailey, 'On queueing processes with bulk service', JRSS B 16 (1954), is the case without a wait
//! for more.

mod model;
#[cfg(test)]
mod tests;

use std::collections::VecDeque;

use thinktime_file::time::Nanos;

use super::super::ids::NodeId;
use super::super::jobs::{Handle, Jobs, Place};
pub use model::BatchModel;

#[derive(Debug)]
pub(super) struct Batch {
    station: NodeId,
    /// As those of the model.
    most: usize,
    wait: Nanos,
    /// With the times of their arrival; some may be gone.
    line: VecDeque<(Handle, Nanos)>,
    /// The jobs in the line that are not gone.
    waiting: usize,
    /// The jobs in service, in the order in which they leave.
    served: VecDeque<Handle>,
    begins: Nanos,
    /// When the service ends, or the next one may begin.
    due: Nanos,
}

impl Batch {
    pub(super) fn new(station: NodeId, model: BatchModel) -> Batch {
        Batch {
            station,
            most: model.most as usize,
            wait: model.wait,
            line: VecDeque::new(),
            waiting: 0,
            served: VecDeque::new(),
            begins: Nanos::ZERO,
            due: Nanos::MAX,
        }
    }

    pub(super) fn next_event(&self) -> Nanos {
        self.due
    }

    /// A job arrives. Gives the next event.
    pub(super) fn arrive(&mut self, now: Nanos, handle: Handle, jobs: &mut Jobs) -> Nanos {
        let job = &mut jobs[handle];
        (job.place, job.remaining) = (Place::Waiting(self.station), job.demand);
        self.line.push_back((handle, now));
        self.waiting += 1;
        if self.served.is_empty() {
            self.due = self.due.min(self.begin_at(now));
        }
        self.due
    }

    /// The event at [`Batch::next_event`]: a batch begins, or a job of one that ends is done.
    pub(super) fn advance(&mut self, now: Nanos, jobs: &mut Jobs) -> Option<Handle> {
        let Some(handle) = self.served.pop_front() else {
            self.drop_gone(jobs);
            self.due = self.begin_at(now);
            if self.due <= now {
                self.begin(now, jobs);
            }
            return None;
        };
        jobs[handle].remaining = Nanos::ZERO;
        if self.served.is_empty() {
            self.due = self.begin_at(now);
        }
        Some(handle)
    }

    /// A job leaves unfinished. The others of its batch are served as long as with it.
    pub(super) fn withdraw(&mut self, now: Nanos, (handle, in_service): (Handle, bool)) {
        if in_service {
            self.served.retain(|one| *one != handle);
            if self.served.is_empty() {
                self.due = self.begin_at(now);
            }
        } else {
            self.waiting -= 1;
        }
    }

    /// The service that a present job has had.
    pub(super) fn served(&self, now: Nanos, handle: Handle, jobs: &Jobs) -> Nanos {
        match jobs[handle].place {
            Place::Service(_) => now.since(self.begins).min(jobs[handle].demand),
            _ => Nanos::ZERO,
        }
    }

    /// When the idle server begins with the jobs that wait: at once if a batch is full, else when
    /// the first has waited long enough.
    fn begin_at(&self, now: Nanos) -> Nanos {
        match self.line.front() {
            _ if self.waiting == 0 => Nanos::MAX,
            Some((_, came)) if self.waiting < self.most => now.max(*came + self.wait),
            _ => now,
        }
    }

    fn begin(&mut self, now: Nanos, jobs: &mut Jobs) {
        let mut longest = Nanos::ZERO;
        while self.served.len() < self.most
            && let Some((handle, _)) = self.line.pop_front()
        {
            self.waiting -= 1;
            let job = &mut jobs[handle];
            job.place = Place::Service(self.station);
            longest = longest.max(job.demand);
            self.served.push_back(handle);
            self.drop_gone(jobs);
        }
        (self.begins, self.due) = (now, now + longest);
    }

    /// Takes those from the head of the line that are gone.
    fn drop_gone(&mut self, jobs: &mut Jobs) {
        while let Some((handle, _)) = self.line.front()
            && !jobs.still_waits(*handle)
        {
            self.line.pop_front();
        }
    }
}
