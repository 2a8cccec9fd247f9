//! Who is woken by what happens on a connection.

use std::mem::take;
use std::sync::{Arc, Mutex, MutexGuard};
use std::task::{Wake, Waker};

/// Wakes whoever waits for a connection, and nobody while it is driven: who drives it looks at all
/// that this brings about, and would only be woken to find nothing.
#[derive(Debug, Default)]
pub(crate) struct Bell(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    listener: Option<Waker>,
    rung: bool,
}

impl Bell {
    /// From now on nobody is woken.
    pub(crate) fn mute(&self) {
        *self.state() = State::default();
    }

    /// From now on this one is woken; at once where the bell has rung since it is mute.
    pub(crate) fn ring_for(&self, listener: &Waker) {
        let mut state = self.state();
        if !state.rung {
            state.listener = Some(listener.clone());
            return;
        }
        drop(state);
        listener.wake_by_ref();
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

impl Wake for Bell {
    fn wake(self: Arc<Bell>) {
        Wake::wake_by_ref(&self);
    }

    fn wake_by_ref(self: &Arc<Bell>) {
        let mut state = self.state();
        state.rung = true;
        let listener = take(&mut state.listener);
        // Not while it is held: whom it wakes may ring it.
        drop(state);
        if let Some(listener) = listener {
            listener.wake();
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
        let listener = Waker::from(Arc::clone(&count));
        let bell = Arc::new(Bell::default());
        let ring = Waker::from(Arc::clone(&bell));
        let woken = || count.0.load(Ordering::Relaxed);
        bell.ring_for(&listener);
        assert_eq!(woken(), 0);
        ring.wake_by_ref();
        ring.wake_by_ref();
        assert_eq!(woken(), 1);
        bell.mute();
        ring.wake_by_ref();
        assert_eq!(woken(), 1);
        bell.ring_for(&listener);
        assert_eq!(woken(), 2);
        bell.mute();
        bell.ring_for(&listener);
        bell.mute();
        ring.wake();
        assert_eq!(woken(), 2);
    }
}
