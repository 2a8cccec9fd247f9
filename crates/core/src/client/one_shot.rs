//! Sessions that need no memory.

use thinktime_file::time::Nanos;
use thinktime_file::workload::RetryWhen;

use super::Clients;
use crate::attempt::{Attempt, NO_PAGE, Ticket};
use crate::request::RequestKind;

impl Clients {
    /// Whether sessions have a single request, which is sent at once and neither given up nor
    /// repeated, so that a session does nothing after its arrival. A driver that keeps the attempts
    /// itself may then call [`Clients::wake_one_shot`] for them, and nothing else.
    #[must_use]
    pub fn one_shot(&self) -> bool {
        let waits_for_ever =
            |kind: &RequestKind| kind.timeout.is_never() || kind.retry.when != RetryWhen::Timeout;
        self.act_without_responses()
            && self.kinds.iter().all(waits_for_ever)
            && self.limit.requests > 0
    }

    /// As [`Clients::next_wake`], if sessions have a single request.
    #[inline(always)]
    #[must_use]
    pub fn next_one_shot(&self) -> Nanos {
        self.next
    }

    /// As [`Clients::wake`], if sessions have a single request: the next one begins with its
    /// request, unless the run has ended. The attempt's ticket is a stand-in. If its end is not
    /// reported at once, [`Clients::await_one_shot`] must be called, and then
    /// [`Clients::end_one_shot`].
    #[inline(always)]
    pub fn wake_one_shot(&mut self) -> Option<Attempt> {
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

    /// The request of a session with a single request is waited for.
    #[inline(always)]
    pub fn await_one_shot(&mut self) {
        self.open += 1;
    }

    /// A request that was waited for is over.
    #[inline(always)]
    pub fn end_one_shot(&mut self) {
        self.open -= 1;
    }
}

impl Attempt {
    /// The only attempt of a session with a single request, of the first kind.
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
            due: scheduled,
            request_scheduled: scheduled,
        }
    }
}
