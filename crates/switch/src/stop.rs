//! The end of a switch, as those see it who are at work.

use std::fmt;
use std::pin::Pin;
use std::task::Context;

use tokio::sync::watch;

use crate::front::told;

/// Whether the switch is to stop. Whoever asks is woken when it is.
pub(crate) struct Stop {
    told: Pin<Box<dyn Future<Output = ()> + Send>>,
    is_told: bool,
}

impl Stop {
    pub(crate) fn new(stop: watch::Receiver<bool>) -> Stop {
        Stop { told: Box::pin(told(stop)), is_told: false }
    }

    pub(crate) fn is_told(&mut self, context: &mut Context<'_>) -> bool {
        self.is_told = self.is_told || self.told.as_mut().poll(context).is_ready();
        self.is_told
    }
}

impl fmt::Debug for Stop {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Stop").field("is_told", &self.is_told).finish_non_exhaustive()
    }
}
