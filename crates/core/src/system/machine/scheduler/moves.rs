//! Moves of tasks from one core's queue to another's.

use super::super::balance::{Occasion, Pair};
use super::super::discipline::Preference;
use super::super::task::Task;
use super::{Entry, Nanos, PlacementReason, Scheduler, TaskId};

impl Scheduler {
    pub(super) fn wants_balance(&mut self, occasion: Occasion, core: usize, now: Nanos) -> bool {
        let number = self.cores[core].number;
        self.balancer.as_mut().is_some_and(|one| one.wants(occasion, core, now, number))
    }

    /// One attempt.
    pub(super) fn balance(&mut self, now: Nanos) {
        let cores = &self.cores;
        let Some(pair) =
            self.balancer.as_mut().and_then(|one| one.couple(now, |core| cores[core].number))
        else {
            return;
        };
        self.charge_others(now, pair);
        let moved: Vec<TaskId> = (0..pair.number).map_while(|_| self.move_one(now, pair)).collect();
        if moved.is_empty() {
            return;
        }
        self.counts.migrations += moved.len() as u64;
        if let Some(balancer) = &mut self.balancer {
            balancer.remember(pair);
        }
        self.refresh(pair.giver);
        self.refresh(pair.taker);
        if self.cores[pair.taker].is_idle() {
            self.dispatch(pair.taker, now);
        } else {
            moved.iter().for_each(|id| self.contend(now, *id));
        }
    }

    /// The tasks that run on the two cores now compete with others than before.
    fn charge_others(&mut self, now: Nanos, pair: Pair) {
        for core in [pair.giver, pair.taker] {
            if !self.cores[core].is_idle() {
                self.charge(core, now);
                self.refresh(core);
            }
        }
    }

    fn move_one(&mut self, now: Nanos, pair: Pair) -> Option<TaskId> {
        let selection = &self.balancer.as_ref()?.selection;
        let preference = Preference {
            priority: selection.preferred_priority,
            waiting: selection.preferred_waiting_time,
        };
        let heeds_cores = selection.processor_affinity;
        let cold_after = selection.cache_affinity.map(|span| span.0);
        let may = |task: &Task| {
            let allowed = !heeds_cores || task.may_run_on(pair.taker as u32);
            let is_hot = |((left, core), cold): ((Nanos, u32), Nanos)| {
                core as usize == pair.giver && now.since(left) < cold
            };
            let throttled = self.is_throttled(pair.taker, task);
            allowed && !throttled && !task.left_core.zip(cold_after).is_some_and(is_hot)
        };
        let id = self.discipline.movable(&self.tasks, pair.giver, preference, &may)?;
        self.discipline.leave(&mut self.tasks, pair.giver, id);
        self.count(pair.giver, id, now, -1);
        self.tasks[id].core = pair.taker as u32;
        self.discipline.join(&mut self.tasks, pair.taker, id, Entry::Moved);
        self.note_placed(now, id, PlacementReason::Moved, Some(pair.giver as u32));
        if self.bandwidth.is_some() && self.withholds(pair.taker, now, id) {
            self.waits(now, -1);
        } else {
            self.count(pair.taker, id, now, 1);
        }
        Some(id)
    }

    /// Looks for tasks that have waited for too long.
    pub(super) fn rescue(&mut self, now: Nanos) {
        for queue in 0..if self.one_queue { 1 } else { self.cores.len() } {
            for id in self.discipline.rescue(&mut self.tasks, queue, now) {
                if self.one_queue {
                    self.contend_anywhere(now, id);
                } else {
                    self.contend(now, id);
                }
            }
        }
    }
}
