//! Ready tasks under one queue for all cores.

use super::{Nanos, Scheduler, State, TaskId};

impl Scheduler {
    /// Under one queue any idle core takes the task, the one it ran on first; else it contends with
    /// the worst running task.
    pub(super) fn ready_anywhere(&mut self, now: Nanos, id: TaskId) {
        let task = self.tasks[id];
        let may = |core: &usize| task.may_run_on(*core as u32);
        let idle = |core: &usize| self.cores[*core].is_idle() && may(core);
        let all = 0..self.cores.len();
        if let Some(core) = Some(task.core as usize).filter(idle).or_else(|| all.clone().find(idle))
        {
            self.tasks[id].core = core as u32;
            return self.dispatch(core, now);
        }
        self.contend_anywhere(now, id);
    }

    /// Under one queue a task contends with the worst running task.
    pub(super) fn contend_anywhere(&mut self, now: Nanos, id: TaskId) {
        let task = self.tasks[id];
        if task.state != State::Ready {
            return;
        }
        let busy = |core: &usize| !self.cores[*core].is_idle() && task.may_run_on(*core as u32);
        let level = |core: &usize| self.tasks[self.cores[*core].task].level;
        if let Some(core) = (0..self.cores.len()).filter(busy).rev().max_by_key(level) {
            self.tasks[id].core = core as u32;
            self.contend(now, id);
        }
    }
}
