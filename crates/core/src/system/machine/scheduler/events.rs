//! Tasks become ready, take cores and leave them.

use super::super::balance::Occasion;
use super::placement::core_of_creator;
use super::{Entry, NO_TASK, Nanos, PlacementReason, Scheduler, State, TaskId};

impl Scheduler {
    /// Acts on the event that is due at [`Scheduler::next_event`]; perhaps a task's burst is done.
    /// The task holds its core until [`Scheduler::settle`].
    pub(crate) fn advance(&mut self, now: Nanos) -> Option<TaskId> {
        let due = self.cores.iter().position(|core| core.due == now);
        let done = match due {
            _ if self.bandwidth.as_ref().is_some_and(|one| one.next == now) => {
                self.unthrottle(now);
                None
            }
            Some(core) => self.attend(core, now),
            None if self.balances_at == now => {
                (self.balances_at, self.balanced_at) = (Nanos::MAX, now);
                self.balance(now);
                None
            }
            None => {
                self.rescues_at = Nanos::MAX;
                self.rescue(now);
                None
            }
        };
        self.find_next(now);
        done
    }

    /// A core's burst is done, or its task's turn must be checked.
    fn attend(&mut self, core: usize, now: Nanos) -> Option<TaskId> {
        if self.bandwidth.is_some() && self.exhausts(core, now) {
            return None;
        }
        self.charge(core, now);
        let id = self.cores[core].task;
        if self.tasks[id].remaining == Nanos::ZERO {
            self.tasks[id].state = State::Held;
            self.cores[core].due = Nanos::MAX;
            self.held = Some(core);
            return Some(id);
        }
        let queue = self.queue(core);
        if self.discipline.look(&mut self.tasks, queue, id, now) {
            self.requeue(core, now);
            self.dispatch(core, now);
            if self.cores[core].task != id {
                self.counts.preemptions += 1;
            }
        } else {
            self.refresh(core);
        }
        None
    }

    /// The next step of the task whose burst was done is now known.
    pub(crate) fn settle(&mut self, now: Nanos) {
        let Some(core) = self.held.take() else { return };
        let id = self.cores[core].task;
        match self.tasks[id].state {
            State::Running => {
                self.refresh(core);
                for contender in std::mem::take(&mut self.contenders) {
                    self.contend(now, contender);
                }
            }
            state => {
                let contenders = std::mem::take(&mut self.contenders);
                self.leave_core(core, now, state == State::Ending);
                if state == State::Ending {
                    self.tasks.remove(id);
                } else {
                    self.tasks[id].state = State::Asleep;
                }
                self.take_next(core, now);
                if self.one_queue {
                    contenders.iter().for_each(|id| self.contend_anywhere(now, *id));
                }
            }
        }
        let interval = self.balancer.as_ref().and_then(|one| one.information.periodic);
        let due = |every: Nanos| now.0.is_multiple_of(every.0) && self.balanced_at != now;
        if self.counts.waiting > 0 && interval.is_some_and(|every| due(every.0)) {
            // Bursts end before an attempt of the same instant.
            self.balances_at = now;
        }
        self.find_next(now);
    }

    /// A new or woken task needs a core.
    pub(super) fn ready(&mut self, now: Nanos, id: TaskId, entry: Entry) {
        let task = &self.tasks[id];
        let core = if entry == Entry::New {
            let parent = core_of_creator(task, |creator| self.tasks[creator].core);
            self.placement.of_new(task, parent, &self.cores)
        } else {
            self.placement.of_woken(task, &self.cores)
        };
        self.assign(now, id, core, entry);
        let core = core as usize;
        let queue = self.queue(core);
        if !self.one_queue && !self.cores[core].is_idle() {
            // Virtual times of the queue are as of now, not as of the running task's last charge.
            self.charge(core, now);
        }
        self.discipline.join(&mut self.tasks, queue, id, entry);
        if self.bandwidth.is_some() && self.withholds(core, now, id) {
            return self.refresh(core);
        }
        self.waits(now, 1);
        if self.one_queue {
            return self.ready_anywhere(now, id);
        }
        self.count(core, id, now, 1);
        if self.cores[core].is_idle() {
            return self.dispatch(core, now);
        }
        let occasion = if entry == Entry::New { Occasion::Fork } else { Occasion::Wake };
        if self.wants_balance(occasion, core, now) {
            self.balance(now);
        }
        if self.tasks[id].state == State::Ready && self.tasks[id].core as usize == core {
            self.contend(now, id);
        }
        self.refresh(core);
    }

    /// A new or woken task belongs to a core.
    fn assign(&mut self, now: Nanos, id: TaskId, core: u32, entry: Entry) {
        let task = &mut self.tasks[id];
        let before = task.core;
        (task.core, task.state, task.since) = (core, State::Ready, now);
        if entry == Entry::New {
            task.first_core = core;
            self.note_placed(now, id, PlacementReason::New, None);
        } else if core != before {
            self.counts.migrations += 1;
            self.note_placed(now, id, PlacementReason::Woken, Some(before));
        }
    }

    /// A ready task takes its core if it is better than the running one.
    pub(super) fn contend(&mut self, now: Nanos, id: TaskId) {
        let core = self.tasks[id].core as usize;
        if self.held == Some(core) {
            return self.contenders.push(id);
        }
        if self.tasks[id].state != State::Ready {
            return;
        }
        self.charge(core, now);
        let running = self.cores[core].task;
        let queue = self.queue(core);
        // A task that is done at this very instant is no longer preempted.
        if self.tasks[running].remaining > Nanos::ZERO
            && self.discipline.outranks(&self.tasks, queue, id, running)
        {
            self.requeue(core, now);
            self.discipline.join(&mut self.tasks, queue, running, Entry::Preempted);
            self.dispatch(core, now);
            if self.cores[core].task != running {
                self.counts.preemptions += 1;
            }
        } else {
            self.refresh(core);
        }
    }

    /// The core, which has no task, takes the best of its queue.
    pub(super) fn dispatch(&mut self, core: usize, now: Nanos) {
        if self.bandwidth.is_some() {
            self.throttle(core, now);
        }
        let queue = self.queue(core);
        let Some(id) = self.take(queue, core, now) else {
            return self.cores[core].end_busy(now);
        };
        self.waits(now, -1);
        if self.one_queue {
            self.count(core, id, now, 1);
        }
        let task = &mut self.tasks[id];
        (task.core, task.state, task.since) = (core as u32, State::Running, now);
        let serial = task.serial;
        let at = &mut self.cores[core];
        at.begin_busy(now);
        (at.task, at.taken, at.from) = (id, now, now);
        if at.last != serial {
            self.counts.switches += 1;
            at.from = now + self.switch;
        }
        if let Some(bandwidth) = &mut self.bandwidth {
            bandwidth.begin(core, task.origin.service, at.from);
        }
        self.refresh(core);
    }

    /// Under one queue a task may be the best and yet not allowed on this core: it is passed over.
    fn take(&mut self, queue: usize, core: usize, now: Nanos) -> Option<TaskId> {
        let mut passed_over = Vec::new();
        let found = loop {
            match self.discipline.take(&mut self.tasks, queue, now) {
                Some(id) if self.one_queue && !self.tasks[id].may_run_on(core as u32) => {
                    passed_over.push(id);
                }
                found => break found,
            }
        };
        for id in passed_over.into_iter().rev() {
            self.discipline.join(&mut self.tasks, queue, id, Entry::Preempted);
        }
        found
    }

    /// After its task has left, a core takes another one, or looks for one elsewhere.
    pub(super) fn take_next(&mut self, core: usize, now: Nanos) {
        self.dispatch(core, now);
        let idle = self.cores[core].is_idle();
        let occasion = if idle { Occasion::Idle } else { Occasion::Less };
        if self.counts.waiting > 0 && self.wants_balance(occasion, core, now) {
            self.balance(now);
        }
    }

    /// The running task rejoins the ready ones; the caller says where.
    pub(super) fn requeue(&mut self, core: usize, now: Nanos) {
        let id = self.release(core, now);
        (self.tasks[id].state, self.tasks[id].since) = (State::Ready, now);
        self.waits(now, 1);
        if self.one_queue {
            self.count(core, id, now, -1);
        }
    }

    /// The running task sleeps or ends, and its core has none.
    pub(super) fn leave_core(&mut self, core: usize, now: Nanos, ends: bool) {
        let id = self.release(core, now);
        let queue = self.queue(core);
        self.discipline.stop(&mut self.tasks, queue, id, ends);
        self.tasks[id].since = now;
        self.count(core, id, now, -1);
    }

    fn release(&mut self, core: usize, now: Nanos) -> TaskId {
        self.note_turn(core, now);
        let at = &mut self.cores[core];
        let id = std::mem::replace(&mut at.task, NO_TASK);
        at.last = self.tasks[id].serial;
        at.due = Nanos::MAX;
        self.tasks[id].left_core = Some((now, core as u32));
        if let Some(bandwidth) = &mut self.bandwidth {
            bandwidth.end(core);
        }
        id
    }

    /// Charges the running task for its running time.
    #[inline]
    pub(super) fn charge(&mut self, core: usize, now: Nanos) {
        let queue = self.queue(core);
        let at = &mut self.cores[core];
        let ran = now.since(at.from);
        if ran > Nanos::ZERO {
            at.from = now;
            let id = at.task;
            self.tasks[id].remaining = self.tasks[id].remaining.since(ran);
            self.discipline.charge(&mut self.tasks, queue, id, ran, now);
            if let Some(bandwidth) = &mut self.bandwidth {
                bandwidth.charge(core, now);
            }
        }
    }

    /// Finds when the core next needs attention.
    #[inline]
    pub(super) fn refresh(&mut self, core: usize) {
        let at = &self.cores[core];
        if at.is_idle() || self.held == Some(core) {
            return;
        }
        let turn = self.discipline.turn(&self.tasks, self.queue(core), at.task, at.from);
        let wait = self.tasks[at.task].remaining.min(turn);
        let runtime = self.bandwidth.as_ref().map_or(Nanos::MAX, |one| one.due(core));
        self.cores[core].due = (at.from + wait).min(runtime);
    }
}
