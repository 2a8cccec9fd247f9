//! What goes in and out of [`super::Clients`]: limits, actions, and what becomes of requests.

use serde::{Deserialize, Serialize};

use super::Attempt;
use crate::time::Nanos;

/// When a workload ends, and which of its requests count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limit {
    /// At most this many requests that count.
    pub requests: u64,
    /// No request is scheduled at this time or later.
    pub until: Nanos,
    /// Requests scheduled before this time are sent but do not count.
    pub warmup: Nanos,
}

impl Limit {
    /// Whether a request scheduled at this time counts.
    #[must_use]
    pub fn counts(&self, scheduled: Nanos) -> bool {
        scheduled >= self.warmup
    }
}

/// What comes of a wake-up: what the driver is to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClientAction {
    /// Send this attempt now.
    Send(Attempt),
    /// The client has given this attempt up: its timeout passed.
    TimedOut(Attempt, Fate),
    /// Too many attempts wait already: this one was not sent, and has failed.
    Refused(Attempt, Fate),
    /// Nothing is to be done.
    Idle,
}

/// What becomes of a request after an attempt has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Fate {
    /// The request is over, by a response or because no attempts are left.
    Over,
    /// Another attempt will follow.
    Retried,
}

/// The end of an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ended {
    /// Which.
    pub attempt: Attempt,
    /// What becomes of its request.
    pub fate: Fate,
    /// It was answered, but so late that the client tries again.
    pub late: bool,
}
