//! A waker for one connection, which can be muted.

use std::mem::take;
use std::sync::{Arc, Mutex, MutexGuard};
use std::task::{Wake, Waker};

/// Wakes the task that waits for a connection, but not while that task drives it: the task then
/// checks the whole connection, and a wake-up would be useless.
#[derive(Debug, Default)]
pub(crate) struct ConnectionWaker(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    task: Option<Waker>,
    called: bool,
}

impl ConnectionWaker {
    /// Wakes no task from now on.
    pub(crate) fn mute(&self) {
        *self.state() = State::default();
    }

    /// Wakes this task from now on; at once if something has happened since the waker was muted.
    pub(crate) fn register(&self, task: &Waker) {
        let mut state = self.state();
        if !state.called {
            state.task = Some(task.clone());
            return;
        }
        drop(state);
        task.wake_by_ref();
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

impl Wake for ConnectionWaker {
    fn wake(self: Arc<ConnectionWaker>) {
        Wake::wake_by_ref(&self);
    }

    fn wake_by_ref(self: &Arc<ConnectionWaker>) {
        let mut state = self.state();
        state.called = true;
        let task = take(&mut state.task);
        // Not while it is held: the task may call this waker.
        drop(state);
        if let Some(task) = task {
            task.wake();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;

    #[derive(Default)]
    struct Count(AtomicU32);

    impl Wake for Count {
        fn wake(self: Arc<Count>) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    #[test]
    fn a_listener_is_woken_once_and_for_what_came_while_the_bell_was_mute() {
        let count = Arc::new(Count::default());
        let task = Waker::from(Arc::clone(&count));
        let waker = Arc::new(ConnectionWaker::default());
        let handle = Waker::from(Arc::clone(&waker));
        let woken = || count.0.load(Ordering::Relaxed);
        waker.register(&task);
        assert_eq!(woken(), 0);
        handle.wake_by_ref();
        handle.wake_by_ref();
        assert_eq!(woken(), 1);
        waker.mute();
        handle.wake_by_ref();
        assert_eq!(woken(), 1);
        waker.register(&task);
        assert_eq!(woken(), 2);
        waker.mute();
        waker.register(&task);
        waker.mute();
        handle.wake();
        assert_eq!(woken(), 2);
    }
}
