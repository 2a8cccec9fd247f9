//! A core's queue under EEVDF, and its virtual time.

use std::collections::BTreeSet;

use super::{Task, TaskId, Tasks};

#[derive(Clone, Debug, Default)]
pub(super) struct RunQueue {
    /// The ready tasks, and those that sleep and pay, by deadline.
    pub(super) ready: BTreeSet<(i64, u64, TaskId)>,
    pub(super) running: Option<TaskId>,
    /// The task that ran until now, while its successor is found.
    pub(super) before: Option<TaskId>,
    /// The running task's turn was found to be over since the last check.
    pub(super) over: bool,
    /// Until this virtual time of the running task, its deadline when it got the core, no other
    /// task takes the core while it is eligible. A task that keeps the core after its turn is no
    /// longer protected.
    pub(super) protected: i64,
    pub(super) weight: i64,
    /// The sum of weight x virtual time.
    pub(super) moment: i128,
    /// The virtual time when the queue is empty.
    pub(super) last: i64,
}

impl RunQueue {
    pub(super) fn virtual_time(&self) -> i64 {
        match self.weight {
            0 => self.last,
            weight => self.moment.div_euclid(weight.into()) as i64,
        }
    }

    pub(super) fn is_eligible(&self, at: i64) -> bool {
        i128::from(at) * i128::from(self.weight) <= self.moment
    }

    pub(super) fn add(&mut self, task: &Task) {
        self.weight += task.weight;
        self.moment += i128::from(task.weight) * i128::from(task.virtual_time);
    }

    pub(super) fn subtract(&mut self, task: &Task) {
        self.last = self.virtual_time();
        self.weight -= task.weight;
        self.moment -= i128::from(task.weight) * i128::from(task.virtual_time);
    }

    /// The eligible task of the earliest deadline, the running one included.
    pub(super) fn best(&self, tasks: &Tasks) -> Option<TaskId> {
        let eligible = |id: &TaskId| self.is_eligible(tasks[*id].virtual_time);
        let mut ready = self.ready.iter().map(|(.., id)| *id);
        let first = ready.find(eligible);
        match (self.running.filter(eligible), first) {
            (Some(running), Some(other)) if tasks[other].deadline <= tasks[running].deadline => {
                Some(other)
            }
            (Some(running), _) => Some(running),
            // Rounding may leave no task eligible.
            (None, other) => other.or_else(|| self.ready.first().map(|(.., id)| *id)),
        }
    }
}
