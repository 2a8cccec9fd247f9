//! Hands things from thread to thread, and can be closed by either side.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// A queue between threads. The number of its items is bounded by the number of buffers.
#[derive(Debug)]
pub(super) struct Queue<T> {
    state: Mutex<(VecDeque<T>, bool)>,
    changed: Condvar,
}

/// The result of a wait for the next item.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Popped<T> {
    /// The next thing.
    Item(T),
    /// Nothing arrived in time.
    Nothing,
    /// The queue is closed and empty.
    Closed,
}

impl<T> Queue<T> {
    pub(super) fn new() -> Queue<T> {
        Queue { state: Mutex::new((VecDeque::new(), false)), changed: Condvar::new() }
    }

    fn lock(&self) -> MutexGuard<'_, (VecDeque<T>, bool)> {
        // A thread that panicked left the queue intact: nothing here can be half done.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a thing, unless the queue is closed; says whether it did.
    pub(super) fn push(&self, item: T) -> bool {
        let mut state = self.lock();
        if state.1 {
            return false;
        }
        state.0.push_back(item);
        self.changed.notify_one();
        true
    }

    /// The next thing, or none once the queue is closed and empty.
    pub(super) fn pop(&self) -> Option<T> {
        let mut state = self.lock();
        loop {
            if let Some(item) = state.0.pop_front() {
                return Some(item);
            }
            if state.1 {
                return None;
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// The next thing, if one comes within the time.
    pub(super) fn pop_within(&self, wait: Duration) -> Popped<T> {
        let empty = |state: &mut (VecDeque<T>, bool)| state.0.is_empty() && !state.1;
        let (mut state, _) = self
            .changed
            .wait_timeout_while(self.lock(), wait, empty)
            .unwrap_or_else(PoisonError::into_inner);
        match state.0.pop_front() {
            Some(item) => Popped::Item(item),
            None if state.1 => Popped::Closed,
            None => Popped::Nothing,
        }
    }

    /// Closes the entrance. Items inside can still be taken.
    pub(super) fn close(&self) {
        self.lock().1 = true;
        self.changed.notify_all();
    }

    /// Closes it and discards its items.
    pub(super) fn abandon(&self) {
        self.lock().0.clear();
        self.close();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_closed_queue_gives_what_it_has() {
        let queue = Queue::new();
        assert_eq!(queue.pop_within(Duration::ZERO), Popped::Nothing);
        assert!(queue.push(1) && queue.push(2));
        queue.close();
        assert!(!queue.push(3));
        assert_eq!((queue.pop(), queue.pop(), queue.pop()), (Some(1), Some(2), None));
        assert_eq!(queue.pop_within(Duration::ZERO), Popped::Closed);
    }
}
