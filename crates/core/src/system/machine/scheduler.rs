//! A machine whose cores run one task at a time. The README beside gives the order of events.

mod events;
mod moves;
mod one_queue;
mod placement;
mod throttling;

use thinktime_file::time::Nanos;

use super::MachineModel;
use super::balance::Balancer;
use super::bandwidth::Bandwidth;
use super::core::Core;
use super::discipline::{Entry, QueueDiscipline, discipline};
use super::features::QueueNumber;
use super::figures::{Counts, MachineSummary};
use super::schedule::{CoreAssignment, PlacementReason, Schedule, Turn};
use super::task::{Cause, NO_TASK, State, Task, TaskId, TaskOrigin, Tasks, Work};
use placement::Placement;

#[derive(Debug)]
pub(in crate::system) struct Scheduler {
    number: u32,
    tasks: Tasks,
    cores: Vec<Core>,
    discipline: Box<dyn QueueDiscipline>,
    one_queue: bool,
    placement: Placement,
    balancer: Option<Balancer>,
    /// The limits of services; `None` if no service has one.
    bandwidth: Option<Box<Bandwidth>>,
    switch: Nanos,
    counts: Counts,
    /// The core whose task's burst ended last, until that task's next step is known.
    held: Option<usize>,
    /// Tasks that came to that core meanwhile.
    contenders: Vec<TaskId>,
    /// When balancing is next tried, and waits are checked; never while no task waits.
    balances_at: Nanos,
    rescues_at: Nanos,
    /// When it was last tried at its interval.
    balanced_at: Nanos,
    next: Nanos,
    pub(super) schedule: Schedule,
}

impl Scheduler {
    /// `None` if the features share the cores among all tasks at once.
    pub(super) fn new(number: u32, model: &MachineModel, seed: u64) -> Option<Scheduler> {
        let cores = model.cores as usize;
        let one_queue = model.features.run_queues.number == QueueNumber::One;
        let queues = if one_queue { 1 } else { cores };
        let seed = seed.wrapping_add(u64::from(number));
        let dynamic = model.features.balancing.dynamic.as_ref();
        Some(Scheduler {
            number,
            tasks: Tasks::default(),
            cores: vec![Core::new(); cores],
            discipline: discipline(&model.features, model.cores, queues)?,
            one_queue,
            placement: Placement::new(&model.features.balancing.fixed, cores, seed),
            balancer: dynamic.map(|features| Balancer::new(features, cores, seed)),
            bandwidth: Bandwidth::new(model),
            switch: model.context_switch,
            counts: Counts::default(),
            held: None,
            contenders: Vec::new(),
            balances_at: Nanos::MAX,
            rescues_at: Nanos::MAX,
            balanced_at: Nanos::MAX,
            next: Nanos::MAX,
            schedule: Schedule::default(),
        })
    }

    pub(super) fn start(&mut self, now: Nanos, origin: TaskOrigin) -> TaskId {
        let id = self.tasks.add(origin, now);
        self.discipline.begin(&mut self.tasks, id);
        id
    }

    pub(super) fn run(&mut self, now: Nanos, id: TaskId, work: Work, demand: Nanos, cause: Cause) {
        if self.tasks[id].state == State::Held {
            // The task continues without leaving its core, perhaps for another request.
            let core = self.tasks[id].core as usize;
            self.note_turn(core, now);
            self.cores[core].taken = now;
        }
        let task = &mut self.tasks[id];
        (task.work, task.remaining) = (work, demand);
        match task.state {
            State::New => self.ready(now, id, Entry::New),
            State::Asleep => {
                self.discipline.wake(&mut self.tasks, id, now, cause);
                self.ready(now, id, Entry::Woken);
            }
            State::Held => task.state = State::Running,
            State::Ready | State::Throttled | State::Running | State::Ending | State::Gone => {
                unreachable!("a task has one burst at a time")
            }
        }
        self.find_next(now);
    }

    /// The rest of the task's burst.
    pub(super) fn left(&self, now: Nanos, id: TaskId) -> Nanos {
        let Task { state, core, remaining, .. } = self.tasks[id];
        match state {
            State::Running => remaining.since(now.since(self.cores[core as usize].from)),
            _ => remaining,
        }
    }

    /// The task ends, in whatever state it was.
    pub(super) fn end(&mut self, now: Nanos, id: TaskId) {
        let core = self.tasks[id].core as usize;
        let queue = self.queue(core);
        match self.tasks[id].state {
            State::Held => {
                self.tasks[id].state = State::Ending;
                return;
            }
            State::Running if self.held == Some(core) => {
                self.tasks[id].state = State::Ending;
                return;
            }
            State::Running => {
                self.charge(core, now);
                self.leave_core(core, now, true);
                self.take_next(core, now);
            }
            State::Ready => {
                self.discipline.leave(&mut self.tasks, queue, id);
                self.waits(now, -1);
                self.count(core, id, now, -1);
                self.refresh(core);
            }
            State::Throttled => self.forget(core, now, id),
            State::Asleep if self.tasks[id].paying => {
                self.discipline.leave(&mut self.tasks, queue, id);
            }
            State::New | State::Asleep | State::Ending | State::Gone => {}
        }
        self.contenders.retain(|other| *other != id);
        self.tasks.remove(id);
        self.find_next(now);
    }

    #[inline]
    pub(super) fn next_event(&self) -> Nanos {
        self.next
    }

    pub(super) fn work(&self, id: TaskId) -> (u32, Work) {
        (self.tasks[id].origin.service, self.tasks[id].work)
    }

    pub(super) fn begin_measuring(&mut self, now: Nanos) {
        self.counts.begin_measuring(now);
        self.cores.iter_mut().for_each(|core| core.begin_measuring(now));
        if let Some(bandwidth) = &mut self.bandwidth {
            bandwidth.begin_measuring(now);
        }
    }

    pub(super) fn summary(&self, now: Nanos) -> MachineSummary {
        let limits = self.bandwidth.as_ref().map_or_else(Vec::new, |one| one.summaries(now));
        let summary = self.counts.summary(now, self.cores.iter().map(|core| core.measured(now)));
        MachineSummary { limits, ..summary }
    }

    #[inline]
    fn queue(&self, core: usize) -> usize {
        if self.one_queue { 0 } else { core }
    }

    /// This many more tasks wait for a core.
    #[inline]
    fn waits(&mut self, now: Nanos, more: i64) {
        let waiting = self.counts.waiting.wrapping_add_signed(more);
        self.counts.set_waiting(now, waiting);
    }

    /// This many more tasks, of the service of the given one, belong to a core. Under one queue
    /// only the running ones do.
    #[inline]
    fn count(&mut self, core: usize, id: TaskId, now: Nanos, more: i64) {
        let before = self.cores[core].number;
        let after = before.wrapping_add_signed(more);
        self.cores[core].set_number(now, after);
        if let Some(balancer) = &mut self.balancer {
            balancer.changes(core, now, before, after);
        }
        if let Some(bandwidth) = &mut self.bandwidth {
            bandwidth.count(core, self.tasks[id].origin.service, more, now);
        }
    }

    #[inline]
    fn find_next(&mut self, now: Nanos) {
        if self.counts.waiting == 0 {
            (self.balances_at, self.rescues_at) = (Nanos::MAX, Nanos::MAX);
        } else {
            let following = |every: Nanos| Nanos((now.0 / every.0 + 1) * every.0);
            let interval = self.balancer.as_ref().and_then(|one| one.information.periodic);
            if let Some(every) = interval.filter(|_| self.balances_at.is_never()) {
                self.balances_at = following(every.0);
            }
            if self.rescues_at.is_never()
                && let Some(every) = self.discipline.rescues_every()
            {
                self.rescues_at = following(every);
            }
        }
        let cores = self.cores.iter().map(|core| core.due).min().unwrap_or(Nanos::MAX);
        let limits = self.bandwidth.as_ref().map_or(Nanos::MAX, |one| one.next);
        self.next = cores.min(self.balances_at).min(self.rescues_at).min(limits);
    }

    fn note_placed(&mut self, now: Nanos, id: TaskId, why: PlacementReason, from: Option<u32>) {
        if self.schedule.is_full() {
            return;
        }
        let task = &self.tasks[id];
        self.schedule.placed.push(CoreAssignment {
            machine: self.number,
            task: task.serial,
            kind: task.work.kind,
            at: now,
            why,
            from,
            core: task.core,
        });
    }

    fn note_turn(&mut self, core: usize, now: Nanos) {
        if self.schedule.is_full() {
            return;
        }
        let task = &self.tasks[self.cores[core].task];
        self.schedule.note(Turn {
            machine: self.number,
            core: core as u32,
            task: task.serial,
            service: task.origin.service,
            kind: task.work.kind,
            session: task.work.session,
            from: self.cores[core].taken,
            until: now,
        });
    }
}
