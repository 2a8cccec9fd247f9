//! Sessions of which nothing need be remembered.

use super::Clients;
use crate::attempt::{Attempt, NO_PAGE, Ticket};
use crate::file::RetryWhen;
use crate::request::RequestKind;
use crate::time::Nanos;

impl Clients {
    /// Whether sessions are fleeting: each has one request, which is sent at once and neither given
    /// up nor tried again, so that a session does nothing after its arrival. A driver that keeps
    /// the attempts itself may then ask for them by [`Clients::wake_fleeting`], and nothing else.
    #[must_use]
    pub fn fleeting(&self) -> bool {
        let waits_for_ever =
            |kind: &RequestKind| kind.timeout.is_never() || kind.retry.when != RetryWhen::Timeout;
        self.act_without_responses()
            && self.kinds.iter().all(waits_for_ever)
            && self.limit.requests > 0
    }

    /// As [`Clients::next_wake`], where sessions are fleeting.
    #[inline(always)]
    #[must_use]
    pub fn next_fleeting(&self) -> Nanos {
        self.next
    }

    /// As [`Clients::wake`], where sessions are fleeting: the next one begins, and with it its
    /// request, unless the run has come to its end. The attempt's ticket names nothing. Where its
    /// end is not told at once, [`Clients::await_fleeting`] is to be called, and then
    /// [`Clients::end_fleeting`].
    #[inline(always)]
    pub fn wake_fleeting(&mut self) -> Option<Attempt> {
        let now = self.next;
        if now >= self.limit.until {
            self.close();
            return None;
        }
        let population = &mut self.populations[0];
        let session = population.begin_session(self.share);
        let kind = population.laws.choose(session, 0);
        self.next = population.next;
        self.last_launch = now;
        self.launched += u64::from(self.limit.counts(now));
        let is_last = self.next.is_never() && self.limit.until.is_never();
        if self.launched == self.limit.requests || is_last {
            self.close();
        }
        Some(Attempt { kind, ..Attempt::only(session, now) })
    }

    /// The request of a fleeting session is waited for.
    #[inline(always)]
    pub fn await_fleeting(&mut self) {
        self.open += 1;
    }

    /// A request that was waited for is over.
    #[inline(always)]
    pub fn end_fleeting(&mut self) {
        self.open -= 1;
    }
}

impl Attempt {
    /// The only attempt of a fleeting session at a request of the first kind.
    #[inline(always)]
    #[must_use]
    pub fn only(session: u64, scheduled: Nanos) -> Attempt {
        Attempt {
            ticket: Ticket::from_word(0),
            session,
            index: 0,
            attempt: 1,
            kind: 0,
            page: NO_PAGE,
            scheduled,
            request_scheduled: scheduled,
        }
    }
}
