//! A machine whose tasks all run at once, at equal shares of all cores (processor sharing).

use thinktime_file::time::Nanos;

use super::super::equal_shares::EqualShares;
use super::MachineModel;
use super::figures::{Counts, MachineSummary};
use super::task::{State, TaskId, TaskOrigin, Tasks, Work};

#[derive(Debug)]
pub(in crate::system) struct ProcessorSharing {
    cores: u32,
    tasks: Tasks,
    running: EqualShares<TaskId>,
    /// Core-nanoseconds up to `changed`.
    busy: u128,
    changed: Nanos,
    counts: Counts,
}

impl ProcessorSharing {
    pub(super) fn new(model: &MachineModel) -> ProcessorSharing {
        ProcessorSharing {
            cores: model.cores,
            tasks: Tasks::default(),
            running: EqualShares::new(model.cores),
            busy: 0,
            changed: Nanos::ZERO,
            counts: Counts::default(),
        }
    }

    pub(super) fn start(&mut self, now: Nanos, origin: TaskOrigin) -> TaskId {
        self.tasks.add(origin, now)
    }

    pub(super) fn run(&mut self, now: Nanos, id: TaskId, work: Work, demand: Nanos) {
        self.pass(now);
        let task = &mut self.tasks[id];
        (task.work, task.state) = (work, State::Running);
        self.running.push(now, demand, id);
        self.count_waiting(now);
    }

    pub(super) fn left(&mut self, now: Nanos, id: TaskId) -> Nanos {
        self.running.left(now, |other| *other == id)
    }

    pub(super) fn end(&mut self, now: Nanos, id: TaskId) {
        if self.tasks[id].state == State::Running {
            self.pass(now);
            self.running.remove(now, |other| *other == id);
            self.count_waiting(now);
        }
        self.tasks.remove(id);
    }

    pub(super) fn next_event(&self) -> Nanos {
        self.running.next_event()
    }

    pub(super) fn advance(&mut self, now: Nanos) -> Option<TaskId> {
        self.pass(now);
        let id = self.running.pop(now)?;
        self.tasks[id].state = State::Asleep;
        self.count_waiting(now);
        Some(id)
    }

    pub(super) fn work(&self, id: TaskId) -> (u32, Work) {
        (self.tasks[id].origin.service, self.tasks[id].work)
    }

    pub(super) fn begin_measuring(&mut self, now: Nanos) {
        (self.busy, self.changed) = (0, now);
        self.counts.begin_measuring(now);
    }

    pub(super) fn summary(&self, now: Nanos) -> MachineSummary {
        let busy = self.busy_until(now) / u128::from(self.cores);
        let each = (Nanos(busy as u64), busy);
        self.counts.summary(now, (0..self.cores).map(|_| each))
    }

    fn busy_until(&self, now: Nanos) -> u128 {
        let at_work = u128::from(self.cores).min(self.running.len() as u128);
        self.busy + u128::from(now.since(self.changed).0) * at_work
    }

    fn pass(&mut self, now: Nanos) {
        (self.busy, self.changed) = (self.busy_until(now), now);
    }

    fn count_waiting(&mut self, now: Nanos) {
        let waiting = (self.running.len() as u64).saturating_sub(self.cores.into());
        self.counts.set_waiting(now, waiting);
    }
}
