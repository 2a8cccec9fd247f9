//! The interface of [`super::Clients`]: limits, actions, and the ends of requests.

use crate::attempt::{Attempt, Fate};
use crate::failure::{BREAKER_OPEN, UNSENT, Word};

/// The result of a wake-up: the driver's next action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClientAction {
    /// Send this attempt now.
    Send(Attempt),
    /// The client has given this attempt up: its timeout passed.
    TimedOut(Attempt, Fate),
    /// This attempt was not sent, and has failed.
    Refused(Attempt, Fate, Refusal),
    /// No action.
    Idle,
}

/// Why an attempt is not sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// Too many attempts wait already.
    Waiting,
    /// The circuit breaker is open.
    Breaker,
}

impl Refusal {
    /// The word for such a failure.
    #[must_use]
    pub fn word(self) -> Word {
        match self {
            Refusal::Waiting => UNSENT,
            Refusal::Breaker => BREAKER_OPEN,
        }
    }
}

/// The end of an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AttemptEnd {
    /// The attempt.
    pub attempt: Attempt,
    /// The state of its request.
    pub fate: Fate,
    /// It was answered, but so late that the client tries again.
    pub late: bool,
}
