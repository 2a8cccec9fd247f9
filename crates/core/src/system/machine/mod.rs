//! Machines: cores under an operating system's scheduler. The README beside gives the order of
//! events.

mod balance;
mod bandwidth;
mod core;
mod discipline;
mod figures;
mod limit;
mod model;
mod node;
mod processor_sharing;
mod schedule;
mod scheduler;
mod service;
mod task;

pub use bandwidth::LimitSummary;
pub use figures::MachineSummary;
pub use limit::Limit;
pub use model::{MachineModel, ServiceModel, Threads};
pub(super) use node::MachineNode;
pub use schedule::{CoreAssignment, PlacementReason, Schedule, Turn};
pub(in crate::system) use task::Cause;
pub use thinktime_file::features::{self, Features};
pub use thinktime_file::system::{MachineTable, PriorityValue, ServiceTable, ThreadsValue};

use processor_sharing::ProcessorSharing;
use scheduler::Scheduler;
use task::{NO_TASK, TaskId, TaskOrigin, Work};
use thinktime_file::time::Nanos;

/// A machine in motion.
#[derive(Debug)]
pub(super) enum Machine {
    /// Each core runs one task at a time.
    Scheduler(Box<Scheduler>),
    /// All tasks run at once.
    ProcessorSharing(Box<ProcessorSharing>),
}

impl Machine {
    pub(super) fn new(number: u32, model: &MachineModel, seed: u64) -> Machine {
        match Scheduler::new(number, model, seed) {
            Some(scheduler) => Machine::Scheduler(Box::new(scheduler)),
            None => Machine::ProcessorSharing(Box::new(ProcessorSharing::new(model))),
        }
    }

    /// Makes an idle task.
    pub(super) fn start(&mut self, now: Nanos, origin: TaskOrigin) -> TaskId {
        match self {
            Machine::Scheduler(machine) => machine.start(now, origin),
            Machine::ProcessorSharing(machine) => machine.start(now, origin),
        }
    }

    /// Gives a task a burst of demand; it must not have one. `cause` is the event that it waited
    /// for.
    pub(super) fn run(
        &mut self,
        now: Nanos,
        task: TaskId,
        work: Work,
        demand: Nanos,
        cause: Cause,
    ) {
        match self {
            Machine::Scheduler(machine) => machine.run(now, task, work, demand, cause),
            Machine::ProcessorSharing(machine) => machine.run(now, task, work, demand),
        }
    }

    /// The rest of a task's burst.
    pub(super) fn left(&mut self, now: Nanos, task: TaskId) -> Nanos {
        match self {
            Machine::Scheduler(machine) => machine.left(now, task),
            Machine::ProcessorSharing(machine) => machine.left(now, task),
        }
    }

    /// Removes a task, in whatever state it is.
    pub(super) fn end(&mut self, now: Nanos, task: TaskId) {
        match self {
            Machine::Scheduler(machine) => machine.end(now, task),
            Machine::ProcessorSharing(machine) => machine.end(now, task),
        }
    }

    #[inline]
    pub(super) fn next_event(&self) -> Nanos {
        match self {
            Machine::Scheduler(machine) => machine.next_event(),
            Machine::ProcessorSharing(machine) => machine.next_event(),
        }
    }

    /// Acts on the event that is due; perhaps a task's burst is done. [`Machine::settle`] must
    /// follow.
    pub(super) fn advance(&mut self, now: Nanos) -> Option<TaskId> {
        match self {
            Machine::Scheduler(machine) => machine.advance(now),
            Machine::ProcessorSharing(machine) => machine.advance(now),
        }
    }

    /// The task whose burst was done has by now received another one, or no burst.
    pub(super) fn settle(&mut self, now: Nanos) {
        if let Machine::Scheduler(machine) = self {
            machine.settle(now);
        }
    }

    /// The service of a task, and the visitor it works for.
    pub(super) fn work(&self, task: TaskId) -> (u32, Work) {
        match self {
            Machine::Scheduler(machine) => machine.work(task),
            Machine::ProcessorSharing(machine) => machine.work(task),
        }
    }

    /// Restarts the averages and the schedule.
    pub(super) fn begin_measuring(&mut self, now: Nanos) {
        match self {
            Machine::Scheduler(machine) => {
                machine.begin_measuring(now);
                machine.schedule.begin();
            }
            Machine::ProcessorSharing(machine) => machine.begin_measuring(now),
        }
    }

    pub(super) fn summary(&self, now: Nanos) -> MachineSummary {
        match self {
            Machine::Scheduler(machine) => machine.summary(now),
            Machine::ProcessorSharing(machine) => machine.summary(now),
        }
    }

    /// The first turns of cores since the measuring began; `None` under processor sharing.
    pub(super) fn schedule(&self) -> Option<&Schedule> {
        match self {
            Machine::Scheduler(machine) => Some(&machine.schedule),
            Machine::ProcessorSharing(_) => None,
        }
    }
}

#[cfg(test)]
mod tests;
