//! How a run queue shares its core: one file a discipline.

mod arrays;
mod boosts;
mod deadline;
mod fair;
mod interactivity;
mod lists;
mod priorities;
mod weights;

use std::fmt::Debug;

use thinktime_file::time::Nanos;

use super::features::{Features, PreferredPriority, PreferredWaitingTime, TimeSharing};
use super::task::{Cause, Task, TaskId, Tasks};

/// How a task enters a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Entry {
    /// For the first time.
    New,
    /// After it slept.
    Woken,
    /// From another queue.
    Moved,
    /// It ran, and another task took its core.
    Preempted,
}

/// The order in which tasks are considered for a move.
#[derive(Clone, Copy, Debug)]
pub(super) struct Preference {
    pub(super) priority: PreferredPriority,
    pub(super) waiting: PreferredWaitingTime,
}

/// A discipline with the run queues of its machine. A running task is in no queue, but the queue
/// knows of it.
pub(super) trait QueueDiscipline: Debug + Send {
    /// A task is made.
    fn begin(&mut self, tasks: &mut Tasks, task: TaskId);
    /// A task wakes; it has slept since its `since`.
    fn wake(&mut self, tasks: &mut Tasks, task: TaskId, now: Nanos, cause: Cause);
    /// A task enters a queue.
    fn join(&mut self, tasks: &mut Tasks, queue: usize, task: TaskId, entry: Entry);
    /// A ready task leaves a queue, not to run.
    fn leave(&mut self, tasks: &mut Tasks, queue: usize, task: TaskId);
    /// Takes the best task to run, if there is one.
    fn take(&mut self, tasks: &mut Tasks, queue: usize, now: Nanos) -> Option<TaskId>;
    /// The running task has run for `ran` more, up to now.
    fn charge(&mut self, tasks: &mut Tasks, queue: usize, task: TaskId, ran: Nanos, now: Nanos);
    /// How long the running task may continue before [`QueueDiscipline::look`], counted from `now`.
    fn turn(&self, tasks: &Tasks, queue: usize, task: TaskId, now: Nanos) -> Nanos;
    /// Examines the running task, which is charged for all its running time. If its turn is over,
    /// it is in the queue again.
    fn look(&mut self, tasks: &mut Tasks, queue: usize, task: TaskId, now: Nanos) -> bool;
    /// The running task leaves its core without entering the queue: it sleeps, or ends.
    fn stop(&mut self, tasks: &mut Tasks, queue: usize, task: TaskId, ends: bool);
    /// Whether a ready task takes the core from the running one, all charged.
    fn outranks(&self, tasks: &Tasks, queue: usize, ready: TaskId, running: TaskId) -> bool;
    /// The first task that may be moved.
    fn movable(
        &self,
        tasks: &Tasks,
        queue: usize,
        preference: Preference,
        may: &dyn Fn(&Task) -> bool,
    ) -> Option<TaskId>;
    /// The interval at which [`QueueDiscipline::rescue`] must be called.
    fn rescues_every(&self) -> Option<Nanos> {
        None
    }
    /// Helps tasks that have waited for too long; gives the tasks that it helped.
    fn rescue(&mut self, tasks: &mut Tasks, queue: usize, now: Nanos) -> Vec<TaskId> {
        let _ = (tasks, queue, now);
        Vec::new()
    }
}

/// The discipline of these features for this many cores and queues; `None` under processor sharing.
pub(super) fn discipline(
    features: &Features,
    cores: u32,
    queues: usize,
) -> Option<Box<dyn QueueDiscipline>> {
    let arrays = features.run_queues.arrays;
    match &features.time_sharing {
        TimeSharing::Priorities(rules) => {
            Some(Box::new(priorities::PriorityDiscipline::new(rules, arrays, cores, queues)))
        }
        TimeSharing::VirtualRuntime(rules) => {
            Some(Box::new(fair::FairDiscipline::new(rules, cores, queues)))
        }
        TimeSharing::VirtualDeadline(rules) => {
            Some(Box::new(deadline::DeadlineDiscipline::new(rules, cores, queues)))
        }
        TimeSharing::ProcessorSharing => None,
    }
}

/// The factor by which times grow with the number of cores: 1 + log2 of it, up to 8 (Linux,
/// `sched_tunable_scaling`).
fn growth(scaled: bool, cores: u32) -> u64 {
    if scaled { 1 + u64::from(cores.clamp(1, 8).ilog2()) } else { 1 }
}

/// The time from `now` until the first tick at or after `now + wait`.
fn until_tick(now: Nanos, wait: Nanos, tick: Option<Nanos>) -> Nanos {
    let at = now + wait;
    match tick {
        Some(tick) if !at.is_never() => Nanos(at.0.div_ceil(tick.0) * tick.0).since(now),
        _ => wait,
    }
}
