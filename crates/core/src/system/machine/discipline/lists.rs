//! Tasks in lists, one a level; the best nonempty one is found at once.

use super::super::task::{NO_TASK, TaskId, Tasks};

const WORDS: usize = 4;

/// One array of lists. The links lie in the tasks.
#[derive(Clone, Debug)]
pub(super) struct Lists {
    heads: Vec<TaskId>,
    tails: Vec<TaskId>,
    /// A bit for each nonempty list.
    filled: [u64; WORDS],
}

impl Lists {
    pub(super) fn new(levels: usize) -> Lists {
        debug_assert!(levels <= WORDS * 64);
        Lists { heads: vec![NO_TASK; levels], tails: vec![NO_TASK; levels], filled: [0; WORDS] }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.filled == [0; WORDS]
    }

    #[inline]
    pub(super) fn push_back(&mut self, tasks: &mut Tasks, task: TaskId) {
        let level = tasks[task].level as usize;
        let tail = std::mem::replace(&mut self.tails[level], task);
        (tasks[task].previous, tasks[task].next) = (tail, NO_TASK);
        if tail == NO_TASK {
            self.heads[level] = task;
            self.filled[level / 64] |= 1 << (level % 64);
        } else {
            tasks[tail].next = task;
        }
    }

    #[inline]
    pub(super) fn push_front(&mut self, tasks: &mut Tasks, task: TaskId) {
        let level = tasks[task].level as usize;
        let head = std::mem::replace(&mut self.heads[level], task);
        (tasks[task].previous, tasks[task].next) = (NO_TASK, head);
        if head == NO_TASK {
            self.tails[level] = task;
            self.filled[level / 64] |= 1 << (level % 64);
        } else {
            tasks[head].previous = task;
        }
    }

    #[inline]
    pub(super) fn remove(&mut self, tasks: &mut Tasks, task: TaskId) {
        let (level, before, after) =
            (tasks[task].level as usize, tasks[task].previous, tasks[task].next);
        if before == NO_TASK {
            self.heads[level] = after;
        } else {
            tasks[before].next = after;
        }
        if after == NO_TASK {
            self.tails[level] = before;
        } else {
            tasks[after].previous = before;
        }
        if self.heads[level] == NO_TASK {
            self.filled[level / 64] &= !(1 << (level % 64));
        }
    }

    /// The head of the best list.
    #[inline]
    pub(super) fn best(&self) -> Option<TaskId> {
        let word = self.filled.iter().position(|word| *word != 0)?;
        let level = word * 64 + self.filled[word].trailing_zeros() as usize;
        Some(self.heads[level])
    }

    /// The nonempty lists, the best first.
    pub(super) fn levels(&self) -> impl DoubleEndedIterator<Item = usize> {
        (0..self.heads.len()).filter(|level| self.heads[*level] != NO_TASK)
    }

    /// The tasks of a list, from the head or from the tail.
    pub(super) fn list<'a>(
        &'a self,
        tasks: &'a Tasks,
        level: usize,
        from_tail: bool,
    ) -> impl Iterator<Item = TaskId> + 'a {
        let first = if from_tail { self.tails[level] } else { self.heads[level] };
        let there = |task: TaskId| (task != NO_TASK).then_some(task);
        std::iter::successors(there(first), move |task| {
            there(if from_tail { tasks[*task].previous } else { tasks[*task].next })
        })
    }
}
