//! Tasks: threads as the scheduler sees them.

use std::ops::{Index, IndexMut};

use thinktime_file::time::Nanos;

/// Names a task in its machine's table; reused after the task has ended.
pub(crate) type TaskId = u32;

/// No task.
pub(crate) const NO_TASK: TaskId = TaskId::MAX;

/// The state of a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// Made, and still without work.
    New,
    /// In a run queue.
    Ready,
    /// On its core.
    Running,
    /// On its core, with its burst done: its next step is not known yet.
    Held,
    /// As held; it then ends.
    Ending,
    /// At its core, in no queue, until its service's limit lets it continue.
    Throttled,
    /// Waiting for something other than a core.
    Asleep,
    /// Not in use.
    Gone,
}

/// The event that a task waited for before it became ready.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Cause {
    /// A message, from the network or another service: an interrupt wakes it.
    #[default]
    Network,
    /// A timer.
    Timer,
    /// A disk, which cannot be interrupted.
    Disk,
    /// A place of a pool, or its parts: another task wakes it.
    Event,
}

/// The properties of a new task.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TaskOrigin {
    /// The service's number on the machine, which gives it back.
    pub(crate) service: u32,
    /// The number of levels from the best down to its static priority.
    pub(crate) level: u32,
    /// A bit for each core that it may run on.
    pub(crate) cores: u128,
    /// The task that creates it, if that is on the same machine.
    pub(crate) creator: TaskId,
}

/// The request that a task works for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Work {
    /// The service's own name for it.
    pub(crate) owner: u32,
    /// The kind of the request, for schedules.
    pub(crate) kind: u32,
    /// The request's session, for schedules.
    pub(crate) session: u64,
}

/// A task. The last fields belong to the kinds of time sharing, which define them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Task {
    pub(super) origin: TaskOrigin,
    /// Its number among all tasks of the machine, for schedules.
    pub(super) serial: u64,
    /// The request that it works for.
    pub(super) work: Work,
    pub(super) state: State,
    /// The core that it was given when it was new.
    pub(super) first_core: u32,
    /// The core whose queue it is in, or that it runs or ran on.
    pub(super) core: u32,
    /// The rest of its burst.
    pub(super) remaining: Nanos,
    /// When it entered its state.
    pub(super) since: Nanos,
    /// When it last left a core, and which; `None` before it ran.
    pub(super) left_core: Option<(Nanos, u32)>,
    pub(super) next: TaskId,
    pub(super) previous: TaskId,
    /// Its level now, 0 the best.
    pub(super) level: u32,
    /// The array of its queue that it is or was in.
    pub(super) array: usize,
    /// It was moved out of the expired array.
    pub(super) expired: bool,
    pub(super) slice_left: Nanos,
    pub(super) slice: Nanos,
    pub(super) boost: u32,
    pub(super) rescued: bool,
    pub(super) sleep_average: Nanos,
    /// The share of its wait for a core that will count as sleep, in 1024ths.
    pub(super) credit: u32,
    pub(super) weight: i64,
    /// The queue whose virtual time its own belongs to.
    pub(super) queue: u32,
    pub(super) virtual_time: i64,
    pub(super) deadline: i64,
    pub(super) lag: i64,
    /// It sleeps, and pays for its excess.
    pub(super) paying: bool,
    /// Orders equals in a queue by virtual time.
    pub(super) order: u64,
    /// Its running time since it was taken.
    pub(super) stint: Nanos,
}

const BLANK: Task = Task {
    origin: TaskOrigin { service: 0, level: 0, cores: u128::MAX, creator: NO_TASK },
    serial: 0,
    work: Work { owner: 0, kind: 0, session: 0 },
    state: State::Gone,
    first_core: 0,
    core: 0,
    remaining: Nanos::ZERO,
    since: Nanos::ZERO,
    left_core: None,
    next: NO_TASK,
    previous: NO_TASK,
    level: 0,
    array: 0,
    expired: false,
    slice_left: Nanos::ZERO,
    slice: Nanos::ZERO,
    boost: 0,
    rescued: false,
    sleep_average: Nanos::ZERO,
    credit: 0,
    weight: 0,
    queue: 0,
    virtual_time: 0,
    deadline: 0,
    lag: 0,
    paying: false,
    order: 0,
    stint: Nanos::ZERO,
};

impl Task {
    pub(super) fn may_run_on(&self, core: u32) -> bool {
        self.origin.cores & (1 << core) != 0
    }
}

/// All tasks of a machine.
#[derive(Debug, Default)]
pub(super) struct Tasks {
    tasks: Vec<Task>,
    free: Vec<TaskId>,
    born: u64,
}

impl Tasks {
    pub(super) fn add(&mut self, origin: TaskOrigin, now: Nanos) -> TaskId {
        self.born += 1;
        let task = Task {
            origin,
            serial: self.born - 1,
            state: State::New,
            since: now,
            level: origin.level,
            ..BLANK
        };
        if let Some(id) = self.free.pop() {
            self.tasks[id as usize] = task;
            return id;
        }
        self.tasks.push(task);
        self.tasks.len() as TaskId - 1
    }

    /// The tasks that wait in a core's queue, in the order in which they began to, of equals the
    /// one that was made first.
    pub(super) fn ready_on(&self, core: u32) -> Vec<TaskId> {
        let ready = |id: &TaskId| self[*id].state == State::Ready && self[*id].core == core;
        let mut found: Vec<TaskId> = (0..self.tasks.len() as TaskId).filter(ready).collect();
        found.sort_by_key(|id| (self[*id].since, self[*id].serial));
        found
    }

    pub(super) fn remove(&mut self, id: TaskId) {
        self[id].state = State::Gone;
        self.free.push(id);
    }
}

impl Index<TaskId> for Tasks {
    type Output = Task;
    #[inline]
    fn index(&self, id: TaskId) -> &Task {
        &self.tasks[id as usize]
    }
}

impl IndexMut<TaskId> for Tasks {
    #[inline]
    fn index_mut(&mut self, id: TaskId) -> &mut Task {
        &mut self.tasks[id as usize]
    }
}
