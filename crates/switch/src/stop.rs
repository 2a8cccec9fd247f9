//! The end of a switch, as seen by its workers.

use std::fmt;
use std::pin::Pin;
use std::task::Context;

use tokio::sync::watch;

/// Whether the switch must stop. Waiting tasks are woken then.
pub(crate) struct Stop {
    signal: Pin<Box<dyn Future<Output = ()> + Send>>,
    is_set: bool,
}

impl Stop {
    pub(crate) fn new(stop: watch::Receiver<bool>) -> Stop {
        Stop { signal: Box::pin(stop_signal(stop)), is_set: false }
    }

    pub(crate) fn is_set(&mut self, context: &mut Context<'_>) -> bool {
        self.is_set = self.is_set || self.signal.as_mut().poll(context).is_ready();
        self.is_set
    }
}

impl fmt::Debug for Stop {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Stop").field("is_set", &self.is_set).finish_non_exhaustive()
    }
}

/// Waits until the switch must stop.
pub(crate) async fn stop_signal(mut stop: watch::Receiver<bool>) {
    // The sender lives as long as the switch.
    let _ = stop.wait_for(|stopped| *stopped).await;
}
