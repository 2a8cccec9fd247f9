//! One attempt at one request.

use serde::{Deserialize, Serialize};
use thinktime_file::time::Nanos;

/// The page of requests that belong to no page.
pub const NO_PAGE: u32 = u32::MAX;

/// One attempt at one request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attempt {
    /// Names it to the clients.
    pub ticket: Ticket,
    /// The session's number, from 0 in the order of arrival; from 2^40 if it was present when the
    /// run began. Each population after the first adds 2^48.
    pub session: u64,
    /// The request's number within the session, from 0.
    pub index: u32,
    /// The attempt's number, from 1.
    pub attempt: u32,
    /// Its kind among those of the workload.
    pub kind: u32,
    /// The number of the request that is the base of its page; [`NO_PAGE`] if it belongs to no
    /// page.
    pub page: u32,
    /// When this attempt was due to be sent: at its scheduled time, or once it had a place among
    /// those in flight.
    pub due: Nanos,
    /// The scheduled time of the request; response times run from here.
    pub request_scheduled: Nanos,
}

impl Attempt {
    /// The scheduled time of the attempt: a first attempt may then have waited for a place.
    #[must_use]
    pub fn scheduled(&self) -> Nanos {
        if self.attempt == 1 { self.request_scheduled } else { self.due }
    }

    /// The place of its population, and the session's number among those that came, from 0; `None`
    /// for one that was present when the run began.
    #[must_use]
    pub fn population_and_number(&self) -> Option<(usize, u64)> {
        let (place, number) = (self.session / SESSIONS, self.session % SESSIONS);
        (number < FIRST_SESSION).then_some((place as usize, number))
    }

    /// A number that is unique among all attempts of the session, for random streams.
    #[inline]
    #[must_use]
    pub fn serial(&self) -> u64 {
        u64::from(self.attempt) << 32 | u64::from(self.index)
    }
}

/// Names one attempt of one session. After the attempt has ended the ticket is void, so that a
/// late response or timer finds nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ticket {
    pub(crate) slot: u32,
    pub(crate) generation: u32,
}

impl Ticket {
    /// As one word, for drivers to keep.
    #[inline]
    #[must_use]
    pub fn to_word(self) -> u64 {
        u64::from(self.generation) << 32 | u64::from(self.slot)
    }

    /// The place of the session in a table; live sessions have different ones.
    #[inline]
    #[must_use]
    pub fn slot(self) -> usize {
        self.slot as usize
    }

    /// From [`Ticket::to_word`].
    #[inline]
    #[must_use]
    pub fn from_word(word: u64) -> Ticket {
        Ticket { slot: word as u32, generation: (word >> 32) as u32 }
    }
}

/// The state of a request after an attempt has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Fate {
    /// The request is over, by a response or because no attempts are left.
    Over,
    /// Another attempt will follow.
    Retried,
}

/// A page that is over: its base and all its objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Page {
    /// The kind of its base.
    pub kind: u32,
    /// The session's number.
    pub session: u64,
    /// The number of the base's request within the session.
    pub number: u32,
    /// The scheduled time of the base.
    pub scheduled: Nanos,
    /// When the last of its requests was over.
    pub done: Nanos,
    /// Whether any of them failed for good.
    pub failed: bool,
}

/// The numbers of a population's sessions begin at its place times this, so that no two sessions of
/// a workload have the same one.
pub(crate) const SESSIONS: u64 = 1 << 48;

/// The number of the first of these sessions: later ones count from 0, and do the same whether
/// these exist or not.
pub(crate) const FIRST_SESSION: u64 = 1 << 40;

/// The tokens of one request to a language model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TokenCounts {
    /// Those of the prompt.
    pub prompt: u32,
    /// Those of the response.
    pub output: u32,
}

/// When the events of one streamed response came, from the start of the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EventTimes {
    /// Their number.
    pub count: u32,
    /// The first; [`Nanos::MAX`] if none came.
    pub first: Nanos,
    /// The last; [`Nanos::MAX`] if none came.
    pub last: Nanos,
    /// The tokens that the response reports; 0 if it reports none.
    #[serde(default)]
    pub tokens: TokenCounts,
}

impl EventTimes {
    /// No event came.
    pub const NONE: EventTimes = EventTimes {
        count: 0,
        first: Nanos::MAX,
        last: Nanos::MAX,
        tokens: TokenCounts { prompt: 0, output: 0 },
    };
}

impl Default for EventTimes {
    fn default() -> EventTimes {
        EventTimes::NONE
    }
}
