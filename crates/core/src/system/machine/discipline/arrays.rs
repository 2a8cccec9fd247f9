//! A run queue by priorities: active tasks, and those that have used up their slice.

use thinktime_file::time::Nanos;

use super::super::features::{PreferredPriority, PreferredWaitingTime};
use super::super::task::{Task, TaskId, Tasks};
use super::Preference;
use super::lists::Lists;

#[derive(Clone, Debug)]
pub(super) struct RunQueue {
    pub(super) arrays: [Lists; 2],
    /// Which of the two is active.
    pub(super) active: usize,
    /// Tasks that are ready or running.
    pub(super) number: u64,
    /// When the first task expired since the arrays changed places.
    pub(super) first_expiry: Option<Nanos>,
    /// The best static level of the tasks that expired since.
    pub(super) best_expired: u32,
}

impl RunQueue {
    /// An empty one of this many levels.
    pub(super) fn new(levels: usize) -> RunQueue {
        let lists = Lists::new(levels);
        RunQueue {
            arrays: [lists.clone(), lists],
            active: 0,
            number: 0,
            first_expiry: None,
            best_expired: u32::MAX,
        }
    }

    /// If no active task is left, the two arrays change places.
    #[inline]
    pub(super) fn turn_over(&mut self) {
        if self.arrays[self.active].is_empty() && !self.arrays[1 - self.active].is_empty() {
            self.active = 1 - self.active;
            (self.first_expiry, self.best_expired) = (None, u32::MAX);
        }
    }

    /// The first task that may be moved, the expired ones before the active.
    pub(super) fn movable(
        &self,
        tasks: &Tasks,
        preference: Preference,
        may: &dyn Fn(&Task) -> bool,
    ) -> Option<TaskId> {
        let from_tail = preference.waiting == PreferredWaitingTime::Short;
        let in_list =
            |lists: &Lists, level| lists.list(tasks, level, from_tail).find(|id| may(&tasks[*id]));
        [1 - self.active, self.active].into_iter().find_map(|array| {
            let lists = &self.arrays[array];
            match preference.priority {
                PreferredPriority::High => lists.levels().find_map(|level| in_list(lists, level)),
                PreferredPriority::Low => {
                    lists.levels().rev().find_map(|level| in_list(lists, level))
                }
            }
        })
    }
    pub(super) fn active(&mut self) -> &mut Lists {
        &mut self.arrays[self.active]
    }

    /// To the end of its list, in the active or the expired array.
    #[inline]
    pub(super) fn push_back(&mut self, tasks: &mut Tasks, id: TaskId, expired: bool) {
        let array = self.active ^ usize::from(expired);
        tasks[id].array = array;
        self.arrays[array].push_back(tasks, id);
    }

    /// To the head of its list of the active array.
    pub(super) fn push_front(&mut self, tasks: &mut Tasks, id: TaskId) {
        tasks[id].array = self.active;
        self.active().push_front(tasks, id);
    }
}
