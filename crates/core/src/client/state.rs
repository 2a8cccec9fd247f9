//! What clients can be asked about.

use super::{Attempt, Clients};
use crate::time::Nanos;

impl Clients {
    /// The number of sessions that have begun.
    #[must_use]
    pub fn sessions_begun(&self) -> u64 {
        self.sessions_begun
    }

    /// The number of requests begun and not over.
    #[must_use]
    pub fn open_requests(&self) -> u64 {
        self.open
    }

    /// The attempts that are waiting for their response, as at the end of an interrupted run.
    pub fn waiting(&self) -> impl Iterator<Item = Attempt> + '_ {
        self.slots.waiting()
    }

    /// The requests that are between two attempts, each as the attempt that would come next.
    pub fn between_attempts(&self, now: Nanos) -> impl Iterator<Item = Attempt> + '_ {
        self.slots.between(now)
    }
}
