//! The earliest eligible virtual deadline first: Linux 6.6 and later (`kernel/sched/fair.c`,
//! `Documentation/scheduler/sched-eevdf`), after Stoica and Abdel-Wahab, 'Earliest Eligible
//! Virtual Deadline First', 1995.
//!
//! The queue's virtual time V is the mean of its tasks' virtual times v, weighted. A task's lag is
//! w (V - v): the service owed to it. It is eligible if its lag is not negative, v <= V.

mod queue;

use thinktime_file::time::Nanos;

use super::super::features::{PreferredWaitingTime, VirtualDeadline};
use super::super::task::{Cause, Task, TaskId, Tasks};
use super::weights::{real_span, virtual_span, weight};
use super::{Entry, Preference, QueueDiscipline, growth, until_tick};
use queue::RunQueue;

#[derive(Debug)]
pub(super) struct DeadlineDiscipline {
    slice: Nanos,
    /// A larger lag is not kept, in real time at the task's own weight.
    lag_limit: Nanos,
    tick: Option<Nanos>,
    run_to_parity: bool,
    delayed_dequeue: bool,
    keep_lag: bool,
    half_first_slice: bool,
    queues: Vec<RunQueue>,
    joined: u64,
}

impl DeadlineDiscipline {
    pub(super) fn new(rules: &VirtualDeadline, cores: u32, queues: usize) -> DeadlineDiscipline {
        let slice = Nanos(rules.slice.0.0 * growth(rules.scaled_by_cores, cores));
        let tick = rules.tick.map(|tick| tick.0);
        DeadlineDiscipline {
            slice,
            lag_limit: Nanos(2 * slice.0).max(tick.unwrap_or_default()),
            tick,
            run_to_parity: rules.run_to_parity,
            delayed_dequeue: rules.delayed_dequeue,
            keep_lag: rules.keep_lag,
            half_first_slice: rules.half_first_slice,
            queues: vec![RunQueue::default(); queues],
            joined: 0,
        }
    }

    fn virtual_slice(&self, task: &Task) -> i64 {
        virtual_span(self.slice, task.weight)
    }

    fn insert(&mut self, tasks: &mut Tasks, queue: usize, id: TaskId) {
        self.joined += 1;
        tasks[id].order = self.joined;
        self.queues[queue].ready.insert((tasks[id].deadline, self.joined, id));
    }

    fn withdraw(&mut self, tasks: &Tasks, queue: usize, id: TaskId) {
        let key = (tasks[id].deadline, tasks[id].order, id);
        self.queues[queue].ready.remove(&key);
    }

    /// Keeps the lag of a task that is still counted; its deadline is then from its virtual time.
    fn note_lag(&self, queue: usize, task: &mut Task) {
        let most = virtual_span(self.lag_limit, task.weight);
        let lag = self.queues[queue].virtual_time() - task.virtual_time;
        task.lag = if self.keep_lag { lag.clamp(-most, most) } else { 0 };
        task.deadline -= task.virtual_time;
    }

    /// Gives a task its virtual time in a queue, so that its lag stays the same although it then
    /// moves V itself.
    fn place(&mut self, queue: usize, task: &mut Task) {
        let at = &self.queues[queue];
        let lag = match at.weight {
            0 => 0,
            others => {
                let both = i128::from(others + task.weight);
                (i128::from(task.lag) * both / i128::from(others)) as i64
            }
        };
        task.virtual_time = at.virtual_time() - lag;
        task.queue = queue as u32;
    }

    /// A paying task wakes: its debt stays, its credit is forgotten.
    fn wake_paying(&mut self, tasks: &mut Tasks, queue: usize, id: TaskId) {
        tasks[id].paying = false;
        let at = &mut self.queues[queue];
        if at.virtual_time() > tasks[id].virtual_time {
            let key = (tasks[id].deadline, tasks[id].order, id);
            at.ready.remove(&key);
            at.subtract(&tasks[id]);
            tasks[id].lag = 0;
            self.place(queue, &mut tasks[id]);
            tasks[id].deadline = tasks[id].virtual_time + self.virtual_slice(&tasks[id]);
            self.queues[queue].add(&tasks[id]);
            self.insert(tasks, queue, id);
        }
    }

    /// A deadline that has passed is renewed from the virtual time of the check that finds this: at
    /// each tick up to now, while the task ran for `ran`.
    fn renew_at_ticks(&self, task: &mut Task, ran: Nanos, now: Nanos, tick: Nanos) {
        let begin = now.since(ran);
        let passed = begin + real_span(task.deadline - task.virtual_time, task.weight);
        let first = Nanos(passed.0.max(begin.0 + 1).div_ceil(tick.0) * tick.0);
        if first > now {
            return;
        }
        let slice = virtual_span(self.slice, task.weight).max(1);
        let every = real_span(slice, task.weight).0.div_ceil(tick.0) * tick.0;
        let last = Nanos(first.0 + now.since(first).0 / every * every);
        let then = task.virtual_time + virtual_span(last.since(begin), task.weight);
        task.deadline = then + slice;
    }

    fn requeue(&mut self, tasks: &mut Tasks, queue: usize, id: TaskId) {
        let at = &mut self.queues[queue];
        (at.running, at.before) = (None, Some(id));
        self.insert(tasks, queue, id);
    }
}

impl QueueDiscipline for DeadlineDiscipline {
    fn begin(&mut self, tasks: &mut Tasks, id: TaskId) {
        tasks[id].weight = weight(tasks[id].origin.level);
    }

    fn wake(&mut self, _tasks: &mut Tasks, _id: TaskId, _now: Nanos, _cause: Cause) {}

    fn join(&mut self, tasks: &mut Tasks, queue: usize, id: TaskId, entry: Entry) {
        match entry {
            Entry::Preempted => return self.requeue(tasks, queue, id),
            Entry::Woken if tasks[id].paying => return self.wake_paying(tasks, queue, id),
            Entry::New => tasks[id].lag = 0,
            Entry::Woken | Entry::Moved => {}
        }
        self.place(queue, &mut tasks[id]);
        let task = &mut tasks[id];
        let request = match entry {
            Entry::Moved => task.deadline,
            Entry::New if self.half_first_slice => self.virtual_slice(task) / 2,
            _ => self.virtual_slice(task),
        };
        task.deadline = task.virtual_time + request;
        self.queues[queue].add(&tasks[id]);
        self.insert(tasks, queue, id);
    }

    fn leave(&mut self, tasks: &mut Tasks, queue: usize, id: TaskId) {
        self.withdraw(tasks, queue, id);
        self.queues[queue].before.take_if(|before| *before == id);
        let mut task = tasks[id];
        self.note_lag(queue, &mut task);
        self.queues[queue].subtract(&tasks[id]);
        tasks[id] = task;
    }

    fn take(&mut self, tasks: &mut Tasks, queue: usize, _now: Nanos) -> Option<TaskId> {
        loop {
            let id = self.queues[queue].best(tasks)?;
            self.withdraw(tasks, queue, id);
            if tasks[id].paying {
                self.queues[queue].subtract(&tasks[id]);
                (tasks[id].paying, tasks[id].lag) = (false, 0);
                continue;
            }
            let at = &mut self.queues[queue];
            if at.before.take() != Some(id) {
                at.protected = tasks[id].deadline;
            }
            (at.running, at.over) = (Some(id), false);
            tasks[id].stint = Nanos::ZERO;
            return Some(id);
        }
    }

    fn charge(&mut self, tasks: &mut Tasks, queue: usize, id: TaskId, ran: Nanos, now: Nanos) {
        let task = &mut tasks[id];
        task.stint += ran;
        if let Some(tick) = self.tick {
            self.renew_at_ticks(task, ran, now, tick);
        }
        let at = &mut self.queues[queue];
        let span = virtual_span(ran, task.weight);
        task.virtual_time += span;
        at.moment += i128::from(task.weight) * i128::from(span);
        if task.virtual_time >= task.deadline {
            task.deadline = task.virtual_time + virtual_span(self.slice, task.weight).max(1);
        }
        // While it is alone its turns have no end.
        at.over = task.virtual_time >= at.protected && !at.ready.is_empty();
    }

    fn turn(&self, tasks: &Tasks, queue: usize, id: TaskId, now: Nanos) -> Nanos {
        let at = &self.queues[queue];
        let task = &tasks[id];
        match (at.ready.is_empty(), at.over) {
            (true, _) => Nanos::MAX,
            (false, true) => Nanos::ZERO,
            (false, false) => {
                // The clock's ticks check for the end of the protection, a timer for the deadline.
                let end = if self.tick.is_some() { at.protected } else { task.deadline };
                let wait = real_span(end - task.virtual_time, task.weight).max(Nanos(1));
                until_tick(now, wait, self.tick)
            }
        }
    }

    fn look(&mut self, tasks: &mut Tasks, queue: usize, id: TaskId, _now: Nanos) -> bool {
        let over = std::mem::take(&mut self.queues[queue].over);
        if over {
            self.requeue(tasks, queue, id);
        }
        over
    }

    fn stop(&mut self, tasks: &mut Tasks, queue: usize, id: TaskId, ends: bool) {
        let at = &mut self.queues[queue];
        at.running = None;
        if self.delayed_dequeue && !ends && !at.is_eligible(tasks[id].virtual_time) {
            tasks[id].paying = true;
            return self.insert(tasks, queue, id);
        }
        let mut task = tasks[id];
        self.note_lag(queue, &mut task);
        self.queues[queue].subtract(&tasks[id]);
        tasks[id] = task;
    }

    fn outranks(&self, tasks: &Tasks, queue: usize, ready: TaskId, running: TaskId) -> bool {
        let at = &self.queues[queue];
        let at_work = tasks[running].virtual_time;
        if self.run_to_parity && at_work < at.protected && at.is_eligible(at_work) {
            return false;
        }
        at.over || at.best(tasks) == Some(ready)
    }

    fn movable(
        &self,
        tasks: &Tasks,
        queue: usize,
        preference: Preference,
        may: &dyn Fn(&Task) -> bool,
    ) -> Option<TaskId> {
        let there = |id: &TaskId| !tasks[*id].paying && may(&tasks[*id]);
        let mut ready = self.queues[queue].ready.iter().map(|(.., id)| *id);
        match preference.waiting {
            PreferredWaitingTime::Long => ready.find(there),
            PreferredWaitingTime::Short => ready.rfind(there),
        }
    }
}
