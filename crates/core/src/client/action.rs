//! The interface of [`super::Clients`]: limits, actions, and the ends of requests.

use crate::attempt::{Attempt, Fate};

/// The result of a wake-up: the driver's next action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClientAction {
    /// Send this attempt now.
    Send(Attempt),
    /// The client has given this attempt up: its timeout passed.
    TimedOut(Attempt, Fate),
    /// Too many attempts wait already: this one was not sent, and has failed.
    Refused(Attempt, Fate),
    /// No action.
    Idle,
}

/// The end of an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ended {
    /// The attempt.
    pub attempt: Attempt,
    /// The state of its request.
    pub fate: Fate,
    /// It was answered, but so late that the client tries again.
    pub late: bool,
}
