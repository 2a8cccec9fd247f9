//! What goes in and out of [`super::Clients`]: limits, actions, and what becomes of requests.

use crate::attempt::{Attempt, Fate};

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
