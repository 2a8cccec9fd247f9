//! One attempt at one request.

use serde::{Deserialize, Serialize};

use super::population::SESSIONS;
use super::session::Ticket;
use super::start::FIRST_SESSION;
use crate::time::Nanos;
use crate::workload::RequestKind;

/// The page of requests that are of none.
pub const NO_PAGE: u32 = u32::MAX;

/// One attempt at one request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attempt {
    /// Names it to the clients.
    pub ticket: Ticket,
    /// The session's number, from 0 in the order of arrival; from 2^40 where it was there when the
    /// run began. Each population after the first adds 2^48.
    pub session: u64,
    /// The request's number within the session, from 0.
    pub index: u32,
    /// The attempt's number, from 1.
    pub attempt: u32,
    /// Which of the workload's kinds of request.
    pub kind: u32,
    /// The number of the request that is the base of its page; [`NO_PAGE`] where it is of none.
    pub page: u32,
    /// When this attempt was to be sent: as wanted, or once it had a place among those in flight.
    pub scheduled: Nanos,
    /// When the workload wanted the request sent; response times run from here.
    pub request_scheduled: Nanos,
}

impl Attempt {
    /// When the workload wanted it sent: a first attempt may then have waited for a place.
    #[must_use]
    pub fn wanted(&self) -> Nanos {
        if self.attempt == 1 { self.request_scheduled } else { self.scheduled }
    }

    /// The place of its population, and which of the sessions that came it is, from 0; none for one
    /// that was there when the run began.
    #[must_use]
    pub fn came_as(&self) -> Option<(usize, u64)> {
        let (place, number) = (self.session / SESSIONS, self.session % SESSIONS);
        (number < FIRST_SESSION).then_some((place as usize, number))
    }

    /// A number that is unique among all attempts of the session, for random streams.
    #[inline]
    #[must_use]
    pub fn serial(&self) -> u64 {
        u64::from(self.attempt) << 32 | u64::from(self.index)
    }

    /// The number by which its service demand is drawn: the first attempt's, where retries bring
    /// the same work again.
    #[inline]
    #[must_use]
    pub fn demand_serial(&self, kind: &RequestKind) -> u64 {
        let attempt = if kind.retry.same_demand { 1 } else { self.attempt };
        Attempt { attempt, ..*self }.serial()
    }
}
