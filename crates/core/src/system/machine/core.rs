//! One core, and its counters.

use thinktime_file::time::Nanos;

use super::task::{NO_TASK, TaskId};

#[derive(Clone, Debug)]
pub(super) struct Core {
    /// The task that has it, or [`NO_TASK`].
    pub(super) task: TaskId,
    /// The number of the task that had it before: continuing with that one needs no switch.
    pub(super) last: u64,
    /// The time from which the task runs, or is charged.
    pub(super) from: Nanos,
    /// When the core next needs attention.
    pub(super) due: Nanos,
    /// When it turned to its task.
    pub(super) taken: Nanos,
    /// The tasks that it has or that are in its queue.
    pub(super) number: u64,
    busy: Nanos,
    busy_since: Option<Nanos>,
    /// Task-nanoseconds of `number`.
    present: u128,
    changed: Nanos,
}

/// No task has run yet.
const NOBODY_YET: u64 = u64::MAX;

impl Core {
    pub(super) fn new() -> Core {
        Core {
            task: NO_TASK,
            last: NOBODY_YET,
            from: Nanos::ZERO,
            due: Nanos::MAX,
            taken: Nanos::ZERO,
            number: 0,
            busy: Nanos::ZERO,
            busy_since: None,
            present: 0,
            changed: Nanos::ZERO,
        }
    }

    #[inline]
    pub(super) fn is_idle(&self) -> bool {
        self.task == NO_TASK
    }

    #[inline]
    pub(super) fn set_number(&mut self, now: Nanos, number: u64) {
        self.present += u128::from(now.since(self.changed).0) * u128::from(self.number);
        (self.number, self.changed) = (number, now);
    }

    #[inline]
    pub(super) fn begin_busy(&mut self, now: Nanos) {
        self.busy_since.get_or_insert(now);
    }

    #[inline]
    pub(super) fn end_busy(&mut self, now: Nanos) {
        if let Some(since) = self.busy_since.take() {
            self.busy += now.since(since);
        }
    }

    pub(super) fn begin_measuring(&mut self, now: Nanos) {
        self.busy = Nanos::ZERO;
        self.busy_since = self.busy_since.map(|_| now);
        (self.present, self.changed) = (0, now);
    }

    /// The time with a task, and the integral of the number of tasks.
    pub(super) fn measured(&self, now: Nanos) -> (Nanos, u128) {
        let going_on = self.busy_since.map_or(Nanos::ZERO, |since| now.since(since));
        let present = u128::from(now.since(self.changed).0) * u128::from(self.number);
        (self.busy + going_on, self.present + present)
    }
}
