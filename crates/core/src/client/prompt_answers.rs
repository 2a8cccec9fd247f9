//! Sessions that learn the answer to a request as soon as they send it.

use thinktime_file::time::Nanos;

use super::Clients;
use super::session::TimerKind;
use crate::attempt::{Attempt, Ticket};
use crate::request::RequestKind;

impl Clients {
    /// Whether sessions only send requests, wait for the answers, and think: requests are neither
    /// given up nor repeated nor held back, and there are no programs. A driver that knows each
    /// answer when the request is sent may then take requests by [`Clients::wake_promptly`], report
    /// their answers by [`Clients::take_answer`], and use nothing else.
    #[must_use]
    pub fn takes_prompt_answers(&self) -> bool {
        let once = |kind: &RequestKind| kind.timeout.is_never() && kind.retry.attempts == 1;
        let Some(only) = self.populations.only() else { return false };
        only.programs.is_none()
            && only.course.is_none()
            && only.limits.concurrency == u64::MAX
            && only.budget.is_none()
            && only.breaker.is_none()
            && self.hedges.is_none()
            && self.slots.left.is_none()
            && self.kinds.iter().all(once)
            && self.limit.requests > 0
    }

    /// As [`Clients::wake`], for such sessions: a session begins its next request, unless the
    /// run has ended. [`Clients::take_answer`] must follow. Must not be called once
    /// [`Clients::closed`] is true.
    #[inline(always)]
    pub fn wake_promptly(&mut self) -> Option<Attempt> {
        if self.arriving && self.next <= self.timers.next() {
            let (now, session, last) = self.next_session()?;
            let length = self.populations[0].laws.session_length(session);
            let ticket = self.slots.begin_arrived(now, session, length, 0);
            let attempt = self.begin_promptly(now, ticket);
            self.closed |= last;
            return attempt;
        }
        let (now, ticket, _) = self.timers.take()?;
        if now >= self.limit.until {
            self.closed = true;
            return None;
        }
        self.begin_promptly(now, ticket)
    }

    #[inline(always)]
    fn begin_promptly(&mut self, now: Nanos, ticket: Ticket) -> Option<Attempt> {
        if !self.launch(now) {
            return None;
        }
        let slot = self.slots.get(ticket);
        let (session, index) = (slot.session, slot.index);
        let kind = self.populations[0].laws.choose(session, index);
        Some(Attempt { ticket, index, kind, ..Attempt::only(session, now) })
    }

    /// The answer to the request that [`Clients::wake_promptly`] gave comes at `done`: the session
    /// thinks from then on, or ends.
    #[inline(always)]
    pub fn take_answer(&mut self, done: Nanos, attempt: &Attempt) {
        if self.slots.end_request(done, attempt.ticket) {
            let laws = &self.populations[0].laws;
            let think = laws.think(attempt.session, attempt.index.wrapping_add(1), attempt.kind);
            self.timers.set(done + think, attempt.ticket, TimerKind::Request);
        }
    }
}
