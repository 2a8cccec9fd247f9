//! The best priority first, in turns of a slice; with one array of lists, or an active and an
//! expired one.

use thinktime_file::time::Nanos;

use super::super::features::{Arrays, Priorities, Slice, Starvation};
use super::super::task::{Cause, Task, TaskId, Tasks};
use super::arrays::RunQueue;
use super::boosts::BoostRules;
use super::interactivity::InteractivityRules;
use super::{Entry, Preference, QueueDiscipline};

#[derive(Debug)]
pub(super) struct PriorityDiscipline {
    /// By static level.
    slices: Vec<Nanos>,
    wait_costs: Nanos,
    /// Whether a task whose slice is used up goes to the expired array.
    expires: bool,
    interactivity: Option<InteractivityRules>,
    boosts: Option<BoostRules>,
    /// For each task of the queue.
    expired_limit: Option<Nanos>,
    queues: Vec<RunQueue>,
}

impl PriorityDiscipline {
    pub(super) fn new(
        rules: &Priorities,
        arrays: Arrays,
        cores: u32,
        queues: usize,
    ) -> PriorityDiscipline {
        let level = |priority| rules.levels.level_of(priority).unwrap_or(0);
        let (worst, average) = (level(rules.levels.worst), level(rules.levels.average));
        let expired_limit = match rules.starvation {
            Some(Starvation::ExpiredLimit { limit }) => Some(limit.0),
            _ => None,
        };
        let granularity = rules.slice.granularity.map(|span| span.0);
        PriorityDiscipline {
            slices: (0..=worst).map(|at| slice(&rules.slice, at, average, worst)).collect(),
            wait_costs: rules.slice.wait_costs.unwrap_or_default().0,
            expires: arrays == Arrays::ActiveAndExpired,
            interactivity: rules
                .interactivity
                .map(|features| InteractivityRules::new(&features, worst, granularity, cores)),
            boosts: BoostRules::new(rules),
            expired_limit,
            queues: vec![RunQueue::new(worst as usize + 1); queues],
        }
    }

    /// The current level of a task by its sleep average or its boost.
    fn level(&self, task: &Task) -> u32 {
        match (&self.interactivity, &self.boosts) {
            (Some(rules), _) => rules.level(task),
            (None, Some(rules)) => rules.level(task),
            (None, None) => task.origin.level,
        }
    }

    fn refill(&self, task: &mut Task) {
        task.slice = self.slices[task.origin.level as usize];
        task.slice_left = task.slice;
    }

    fn starves(&self, queue: usize, task: &Task, now: Nanos) -> bool {
        let queue = &self.queues[queue];
        let Some(limit) = self.expired_limit else { return false };
        let waited = queue.first_expiry.map_or(Nanos::ZERO, |first| now.since(first));
        task.origin.level > queue.best_expired || waited.0 > limit.0.saturating_mul(queue.number)
    }

    /// The slice is used up: gives the task's next place.
    fn expire(&mut self, tasks: &mut Tasks, queue: usize, id: TaskId, now: Nanos) {
        let stays = match &self.interactivity {
            Some(rules) => {
                tasks[id].level = rules.level(&tasks[id]);
                let interactive = rules.is_interactive(&tasks[id]);
                rules.ran(&mut tasks[id]);
                interactive && !self.starves(queue, &tasks[id], now)
            }
            None => false,
        };
        self.refill(&mut tasks[id]);
        if let Some(rules) = &self.boosts {
            rules.slice_ended(&mut tasks[id]);
        }
        let expires = self.expires && !stays;
        let at = &mut self.queues[queue];
        if expires {
            at.first_expiry.get_or_insert(now);
            at.best_expired = at.best_expired.min(tasks[id].origin.level);
        }
        at.push_back(tasks, id, expires);
    }
}

/// The slice of a static level.
fn slice(rules: &Slice, level: u32, average: u32, worst: u32) -> Nanos {
    let base = match rules.length_above_average {
        Some(longer) if level < average => longer.0,
        _ => rules.length.0,
    };
    let part = match rules.by_priority {
        true => u64::from(worst + 1 - level),
        false => u64::from(worst + 1 - average),
    };
    Nanos(base.0 * part / u64::from(worst + 1 - average)).max(rules.minimum.unwrap_or_default().0)
}

impl QueueDiscipline for PriorityDiscipline {
    fn begin(&mut self, tasks: &mut Tasks, id: TaskId) {
        let creator = tasks[id].origin.creator;
        let creator = (creator != super::super::task::NO_TASK).then_some(creator);
        self.refill(&mut tasks[id]);
        if let Some(parent) = creator.filter(|_| self.interactivity.is_some()) {
            let left = tasks[parent].slice_left;
            tasks[id].slice_left = Nanos(left.0.div_ceil(2));
            tasks[parent].slice_left = Nanos(left.0 / 2);
        }
        if let Some(rules) = &self.interactivity {
            let average = creator.map(|parent| tasks[parent].sleep_average);
            rules.begin(&mut tasks[id], average);
        }
        if let Some(rules) = &self.boosts {
            rules.begin(&mut tasks[id]);
        }
        tasks[id].level = self.level(&tasks[id]);
    }

    fn wake(&mut self, tasks: &mut Tasks, id: TaskId, now: Nanos, cause: Cause) {
        let task = &mut tasks[id];
        let slept = now.since(task.since);
        if let Some(rules) = &self.interactivity {
            rules.wake(task, slept, cause);
        }
        if let Some(rules) = &self.boosts {
            rules.wake(task, cause);
        }
        task.slice_left = task.slice_left.since(self.wait_costs);
        if task.slice_left == Nanos::ZERO {
            self.refill(&mut tasks[id]);
        }
        tasks[id].level = self.level(&tasks[id]);
    }

    fn join(&mut self, tasks: &mut Tasks, queue: usize, id: TaskId, entry: Entry) {
        let at = &mut self.queues[queue];
        match entry {
            Entry::New | Entry::Woken => {
                at.number += 1;
                at.push_back(tasks, id, false);
            }
            Entry::Moved => {
                at.number += 1;
                let expired = tasks[id].expired;
                at.push_back(tasks, id, expired);
            }
            Entry::Preempted => {
                if let Some(rules) = &self.interactivity {
                    rules.ran(&mut tasks[id]);
                }
                tasks[id].stint = Nanos::ZERO;
                at.push_front(tasks, id);
            }
        }
    }

    fn leave(&mut self, tasks: &mut Tasks, queue: usize, id: TaskId) {
        let at = &mut self.queues[queue];
        at.number -= 1;
        let array = tasks[id].array;
        tasks[id].expired = array != at.active;
        at.arrays[array].remove(tasks, id);
    }

    #[inline]
    fn take(&mut self, tasks: &mut Tasks, queue: usize, now: Nanos) -> Option<TaskId> {
        loop {
            let at = &mut self.queues[queue];
            at.turn_over();
            let best = at.active().best()?;
            if let Some(rules) = &self.interactivity
                && tasks[best].credit > 0
            {
                // The wait counts as sleep, which may raise the level, and so another task may be
                // best.
                let waited = now.since(tasks[best].since);
                at.active().remove(tasks, best);
                rules.credit(&mut tasks[best], waited);
                tasks[best].level = rules.level(&tasks[best]);
                at.push_front(tasks, best);
                continue;
            }
            at.active().remove(tasks, best);
            tasks[best].stint = Nanos::ZERO;
            return Some(best);
        }
    }

    #[inline]
    fn charge(&mut self, tasks: &mut Tasks, _queue: usize, id: TaskId, ran: Nanos, _now: Nanos) {
        let task = &mut tasks[id];
        task.slice_left = task.slice_left.since(ran);
        task.stint += ran;
    }

    #[inline]
    fn turn(&self, tasks: &Tasks, _queue: usize, id: TaskId, _now: Nanos) -> Nanos {
        let task = &tasks[id];
        let granule = self.interactivity.as_ref().and_then(|rules| rules.granule(task));
        match granule {
            // The next multiple of the granule within the slice, if a granule then is left.
            Some(granule) => {
                let used = task.slice.since(task.slice_left).0;
                let next = Nanos((used / granule.0 + 1) * granule.0 - used);
                if next + granule <= task.slice_left { next } else { task.slice_left }
            }
            None => task.slice_left,
        }
    }

    fn look(&mut self, tasks: &mut Tasks, queue: usize, id: TaskId, now: Nanos) -> bool {
        if tasks[id].slice_left == Nanos::ZERO {
            self.expire(tasks, queue, id, now);
        } else {
            if let Some(rules) = &self.interactivity {
                rules.ran(&mut tasks[id]);
            }
            self.queues[queue].push_back(tasks, id, false);
        }
        tasks[id].stint = Nanos::ZERO;
        true
    }

    fn stop(&mut self, tasks: &mut Tasks, queue: usize, id: TaskId, ends: bool) {
        self.queues[queue].number -= 1;
        let task = &mut tasks[id];
        if let Some(rules) = self.interactivity.as_ref().filter(|_| !ends) {
            rules.ran(task);
        }
        task.stint = Nanos::ZERO;
    }

    #[inline]
    fn outranks(&self, tasks: &Tasks, queue: usize, ready: TaskId, running: TaskId) -> bool {
        tasks[ready].array == self.queues[queue].active && tasks[ready].level < tasks[running].level
    }

    fn movable(
        &self,
        tasks: &Tasks,
        queue: usize,
        preference: Preference,
        may: &dyn Fn(&Task) -> bool,
    ) -> Option<TaskId> {
        self.queues[queue].movable(tasks, preference, may)
    }

    fn rescues_every(&self) -> Option<Nanos> {
        self.boosts.as_ref().and_then(BoostRules::rescues_every)
    }

    fn rescue(&mut self, tasks: &mut Tasks, queue: usize, now: Nanos) -> Vec<TaskId> {
        let Some(rules) = &self.boosts else { return Vec::new() };
        let at = &mut self.queues[queue];
        let arrays = [at.active, 1 - at.active].map(|array| &at.arrays[array]);
        let every = arrays
            .into_iter()
            .flat_map(|lists| lists.levels().flat_map(|level| lists.list(tasks, level, false)));
        let starving: Vec<TaskId> = every.filter(|id| rules.starves(&tasks[*id], now)).collect();
        for id in &starving {
            at.arrays[tasks[*id].array].remove(tasks, *id);
            rules.rescue(&mut tasks[*id]);
            at.push_back(tasks, *id, false);
        }
        starving
    }
}
