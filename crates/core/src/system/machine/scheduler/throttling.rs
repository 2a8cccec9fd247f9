//! Tasks of services that have a CPU limit: when they leave the queues, and when they come back.

use super::super::task::Task;
use super::{Entry, Nanos, Scheduler, State, TaskId};

impl Scheduler {
    /// If the runtime of the running task's group is used up, and not its burst, more is drawn. A
    /// task whose group's pool is empty leaves its core. Gives whether it left.
    pub(super) fn exhausts(&mut self, core: usize, now: Nanos) -> bool {
        let at = &self.cores[core];
        let id = at.task;
        let is_done = now.since(at.from) >= self.tasks[id].remaining;
        let Some(bandwidth) = self.bandwidth.as_mut().filter(|one| one.due(core) <= now) else {
            return false;
        };
        if is_done {
            return false;
        }
        if bandwidth.charge(core, now) {
            self.refresh(core);
            return true;
        }
        self.charge(core, now);
        self.requeue(core, now);
        let queue = self.queue(core);
        self.discipline.join(&mut self.tasks, queue, id, Entry::Preempted);
        self.take_next(core, now);
        true
    }

    /// A core without a task, whose last one used up its group's runtime: the others of the group
    /// leave the queue.
    pub(super) fn throttle(&mut self, core: usize, now: Nanos) {
        let group = self.bandwidth.as_mut().and_then(|one| one.throttle(core, now));
        let Some((bandwidth, group)) = self.bandwidth.as_ref().zip(group) else { return };
        let mut ids = self.tasks.ready_on(core as u32);
        ids.retain(|id| bandwidth.is_of(self.tasks[*id].origin.service, group));
        for id in ids {
            self.park(core, now, id);
            self.waits(now, -1);
            self.count(core, id, now, -1);
        }
    }

    /// A task that came into a core's queue leaves it at once if its group is throttled there.
    pub(super) fn withholds(&mut self, core: usize, now: Nanos, id: TaskId) -> bool {
        let service = self.tasks[id].origin.service;
        let admits = self.bandwidth.as_mut().is_none_or(|one| one.admits(core, service, now));
        if !admits {
            self.park(core, now, id);
        }
        !admits
    }

    /// A task in a core's queue leaves it until its group is no longer throttled there.
    fn park(&mut self, core: usize, now: Nanos, id: TaskId) {
        let queue = self.queue(core);
        self.discipline.leave(&mut self.tasks, queue, id);
        let task = &mut self.tasks[id];
        task.state = State::Throttled;
        if let Some(bandwidth) = &mut self.bandwidth {
            bandwidth.park(core, task.origin.service, id, now);
        }
    }

    /// A task that waits for its group ends.
    pub(super) fn forget(&mut self, core: usize, now: Nanos, id: TaskId) {
        if let Some(bandwidth) = &mut self.bandwidth {
            bandwidth.forget(core, self.tasks[id].origin.service, id, now);
        }
    }

    pub(super) fn is_throttled(&self, core: usize, task: &Task) -> bool {
        let bandwidth = self.bandwidth.as_ref();
        bandwidth.is_some_and(|one| one.is_throttled(core, task.origin.service))
    }

    /// The timers of limits that are due: tasks come back. As in the kernel none of them takes a
    /// busy core at once.
    pub(super) fn unthrottle(&mut self, now: Nanos) {
        let freed = self.bandwidth.as_mut().map_or_else(Vec::new, |one| one.advance(now));
        for (core, ids) in freed {
            let is_idle = self.cores[core].is_idle();
            if !is_idle {
                self.charge(core, now);
            }
            let queue = self.queue(core);
            for id in ids {
                self.tasks[id].state = State::Ready;
                self.discipline.join(&mut self.tasks, queue, id, Entry::Woken);
                self.waits(now, 1);
                self.count(core, id, now, 1);
            }
            if is_idle {
                self.dispatch(core, now);
            } else {
                self.refresh(core);
            }
        }
    }
}
