//! From the sending of an attempt to its end, and what comes after.

use super::budget::Budget;
use super::session::{Attempt, Ticket, Wish};
use super::{ClientAction, Clients, Ended, Fate};
use crate::program::Reply;
use crate::record::UNSENT;
use crate::time::Nanos;
use crate::workload::RetryWhen;

impl Clients {
    /// Sends an attempt, or lets it wait while as many are in flight as may be.
    #[inline(always)]
    pub(super) fn send_or_wait(&mut self, now: Nanos, ticket: Ticket) -> ClientAction {
        if self.in_flight < self.limits.concurrency {
            self.in_flight += 1;
            return ClientAction::Send(self.send(now, ticket));
        }
        if (self.waiting.len() as u64) < self.limits.waiting {
            self.waiting.push_back(ticket);
            return ClientAction::Idle;
        }
        let attempt = self.slots.send(now, ticket);
        let reply = Reply::of(Some(UNSENT));
        ClientAction::Refused(attempt, self.after(now, attempt, true, reply))
    }

    #[inline(always)]
    pub(super) fn send(&mut self, now: Nanos, ticket: Ticket) -> Attempt {
        let attempt = self.slots.send(now, ticket);
        let kind = &self.laws.kinds[attempt.kind as usize];
        let timeout = kind.timeout;
        if !timeout.is_never() && kind.retry.when == RetryWhen::Timeout {
            self.timers.set(now + timeout, attempt.ticket, Wish::Timeout);
        }
        attempt
    }

    /// Tells of the end of an attempt: a response, or an error on the way. Gives the attempt back
    /// with what becomes of its request, or nothing when the client had given it up already.
    #[inline(always)]
    pub fn answer(&mut self, now: Nanos, ticket: Ticket, reply: Reply<'_>) -> Option<Ended> {
        let failed = reply.error.is_some();
        let attempt = self.slots.in_flight(ticket)?;
        self.landed(now);
        let kind = &self.laws.kinds[attempt.kind as usize];
        let tardy = !failed
            && kind.retry.when == RetryWhen::Late
            && now.since(attempt.scheduled) > kind.timeout;
        let fate = self.after(now, attempt, failed || tardy, reply);
        Some(Ended { attempt, fate, late: tardy && fate == Fate::Retried })
    }

    /// An attempt is no longer in flight: one that waits gets its place.
    #[inline(always)]
    pub(super) fn landed(&mut self, now: Nanos) {
        match self.waiting.pop_front() {
            Some(next) => self.timers.set(now, next, Wish::Granted),
            None => self.in_flight -= 1,
        }
    }

    #[inline(always)]
    pub(super) fn after(
        &mut self,
        now: Nanos,
        attempt: Attempt,
        failed: bool,
        reply: Reply<'_>,
    ) -> Fate {
        let ticket = self.slots.end_attempt(attempt.ticket);
        let retry = &self.laws.kinds[attempt.kind as usize].retry;
        let budget = &mut self.budget;
        if failed && attempt.attempt < retry.attempts && budget.as_mut().is_none_or(Budget::spend) {
            let wait = self.laws.backoff(&attempt);
            self.timers.set(now + wait, ticket, Wish::Retry);
            return Fate::Retried;
        }
        self.open -= 1;
        let ends = self.ends_on_error && reply.error.is_some();
        if ends && self.programs.is_none() {
            self.slots.end_early(ticket);
        }
        let goes_on = self.slots.end_request(ticket);
        if ends && self.programs.is_some() {
            self.end_program(now, ticket);
        } else if self.programs.is_some() {
            let response_time = now.since(attempt.request_scheduled);
            self.answer_program(now, ticket, Reply { response_time, ..reply });
        } else if goes_on {
            let think = self.laws.think(attempt.session, attempt.index + 1);
            self.timers.set(now + think, ticket, Wish::Request);
        }
        Fate::Over
    }
}
