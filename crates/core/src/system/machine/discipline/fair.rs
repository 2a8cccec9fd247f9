//! The least virtual runtime first: the completely fair scheduler of Linux 2.6.23 to 6.5
//! (`kernel/sched/fair.c`, `Documentation/scheduler/sched-design-CFS`).

use std::collections::BTreeSet;

use thinktime_file::time::Nanos;

use super::super::features::{PreferredWaitingTime, VirtualRuntime};
use super::super::task::{Cause, Task, TaskId, Tasks};
use super::weights::{real_span, virtual_span, weight};
use super::{Entry, Preference, QueueDiscipline, growth, until_tick};

#[derive(Debug)]
pub(super) struct FairDiscipline {
    period: Nanos,
    minimum: Nanos,
    wakeup: Nanos,
    tick: Option<Nanos>,
    queues: Vec<RunQueue>,
    joined: u64,
}

/// Virtual time is that of the queue that the task's `queue` names.
#[derive(Clone, Debug, Default)]
struct RunQueue {
    ready: BTreeSet<(i64, u64, TaskId)>,
    running: Option<TaskId>,
    /// Never goes back.
    least: i64,
    /// The weight of all tasks that are ready or running.
    weight: i64,
}

impl RunQueue {
    fn number(&self) -> u64 {
        self.ready.len() as u64 + u64::from(self.running.is_some())
    }

    fn advance(&mut self, tasks: &Tasks) {
        let running = self.running.map(|id| tasks[id].virtual_time);
        let first = self.ready.first().map(|(at, ..)| *at);
        if let Some(least) = running.into_iter().chain(first).min() {
            self.least = self.least.max(least);
        }
    }
}

impl FairDiscipline {
    pub(super) fn new(rules: &VirtualRuntime, cores: u32, queues: usize) -> FairDiscipline {
        let factor = growth(rules.scaled_by_cores, cores);
        FairDiscipline {
            period: Nanos(rules.period.0.0 * factor),
            minimum: Nanos(rules.minimum_granularity.0.0 * factor),
            wakeup: Nanos(rules.wakeup_granularity.0.0 * factor),
            tick: rules.tick.map(|tick| tick.0),
            queues: vec![RunQueue::default(); queues],
            joined: 0,
        }
    }

    /// A task's part of the period, for this many tasks of this total weight.
    fn slice(&self, weight: i64, number: u64, total: i64) -> Nanos {
        let fits = self.period.0 / self.minimum.0;
        let period = if number > fits { self.minimum.0 * number } else { self.period.0 };
        Nanos((i128::from(period) * i128::from(weight) / i128::from(total.max(1))) as u64)
    }

    fn insert(&mut self, tasks: &mut Tasks, queue: usize, id: TaskId) {
        self.joined += 1;
        tasks[id].order = self.joined;
        self.queues[queue].ready.insert((tasks[id].virtual_time, self.joined, id));
    }

    fn slice_of(&self, tasks: &Tasks, queue: usize, id: TaskId) -> Nanos {
        let at = &self.queues[queue];
        self.slice(tasks[id].weight, at.number(), at.weight)
    }

    /// The time until the running task has had its turn.
    fn wait(&self, tasks: &Tasks, queue: usize, id: TaskId) -> Nanos {
        let task = &tasks[id];
        let Some((first, ..)) = self.queues[queue].ready.first() else { return Nanos::MAX };
        let slice = self.slice_of(tasks, queue, id);
        let behind = first + slice.0 as i64 - task.virtual_time;
        let ahead = real_span(behind, task.weight).max(self.minimum.since(task.stint));
        ahead.min(slice.since(task.stint))
    }
}

impl QueueDiscipline for FairDiscipline {
    fn begin(&mut self, tasks: &mut Tasks, id: TaskId) {
        tasks[id].weight = weight(tasks[id].origin.level);
    }

    fn wake(&mut self, _tasks: &mut Tasks, _id: TaskId, _now: Nanos, _cause: Cause) {}

    fn join(&mut self, tasks: &mut Tasks, queue: usize, id: TaskId, entry: Entry) {
        let least = self.queues[queue].least;
        let before = tasks[id].queue as usize;
        if entry == Entry::Preempted {
            self.queues[queue].running = None;
            tasks[id].stint = Nanos::ZERO;
            return self.insert(tasks, queue, id);
        }
        let at = &mut self.queues[queue];
        at.weight += tasks[id].weight;
        let (number, total) = (at.number() + 1, at.weight);
        let task = &mut tasks[id];
        match entry {
            Entry::New => {
                let slice = self.slice(task.weight, number, total);
                task.virtual_time = least + virtual_span(slice, task.weight);
            }
            _ if before != queue => {
                task.virtual_time += least - self.queues[before].least;
            }
            _ => {}
        }
        if entry == Entry::Woken {
            task.virtual_time = task.virtual_time.max(least - self.period.0 as i64 / 2);
        }
        task.queue = queue as u32;
        self.insert(tasks, queue, id);
        self.queues[queue].advance(tasks);
    }

    fn leave(&mut self, tasks: &mut Tasks, queue: usize, id: TaskId) {
        let task = &tasks[id];
        let at = &mut self.queues[queue];
        at.ready.remove(&(task.virtual_time, task.order, id));
        at.weight -= task.weight;
        at.advance(tasks);
    }

    fn take(&mut self, tasks: &mut Tasks, queue: usize, _now: Nanos) -> Option<TaskId> {
        let (_, _, id) = self.queues[queue].ready.pop_first()?;
        self.queues[queue].running = Some(id);
        tasks[id].stint = Nanos::ZERO;
        self.queues[queue].advance(tasks);
        Some(id)
    }

    fn charge(&mut self, tasks: &mut Tasks, queue: usize, id: TaskId, ran: Nanos, _now: Nanos) {
        let task = &mut tasks[id];
        task.stint += ran;
        task.virtual_time += virtual_span(ran, task.weight);
        self.queues[queue].advance(tasks);
    }

    fn turn(&self, tasks: &Tasks, queue: usize, id: TaskId, now: Nanos) -> Nanos {
        until_tick(now, self.wait(tasks, queue, id), self.tick)
    }

    fn look(&mut self, tasks: &mut Tasks, queue: usize, id: TaskId, _now: Nanos) -> bool {
        if self.wait(tasks, queue, id) > Nanos::ZERO {
            return false;
        }
        self.queues[queue].running = None;
        self.insert(tasks, queue, id);
        true
    }

    fn stop(&mut self, tasks: &mut Tasks, queue: usize, id: TaskId, _ends: bool) {
        let at = &mut self.queues[queue];
        at.running = None;
        at.weight -= tasks[id].weight;
        at.advance(tasks);
    }

    fn outranks(&self, tasks: &Tasks, _queue: usize, ready: TaskId, running: TaskId) -> bool {
        let ahead = tasks[running].virtual_time - tasks[ready].virtual_time;
        ahead > virtual_span(self.wakeup, tasks[ready].weight)
    }

    fn movable(
        &self,
        tasks: &Tasks,
        queue: usize,
        preference: Preference,
        may: &dyn Fn(&Task) -> bool,
    ) -> Option<TaskId> {
        let mut ready = self.queues[queue].ready.iter().map(|(.., id)| *id);
        match preference.waiting {
            PreferredWaitingTime::Long => ready.find(|id| may(&tasks[*id])),
            PreferredWaitingTime::Short => ready.rfind(|id| may(&tasks[*id])),
        }
    }
}
