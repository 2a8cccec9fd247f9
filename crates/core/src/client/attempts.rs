//! An attempt from its sending to its end, and the next one.

use thinktime_file::time::Nanos;
use thinktime_file::workload::RetryWhen;

use super::budget::Budget;
use super::session::TimerKind;
use super::{AttemptEnd, ClientAction, Clients, Refusal};
use crate::attempt::{Attempt, Fate, Ticket};
use crate::program::Reply;

impl Clients {
    /// Sends an attempt, or lets it wait while the limit of attempts in flight is reached, unless a
    /// breaker turns it away.
    #[inline(always)]
    pub(super) fn send_or_wait(&mut self, now: Nanos, ticket: Ticket) -> ClientAction {
        if self.population_of(ticket).breaker.is_some() {
            return self.send_if_admitted(now, ticket);
        }
        self.send_or_queue(now, ticket)
    }

    #[inline(always)]
    pub(super) fn send_or_queue(&mut self, now: Nanos, ticket: Ticket) -> ClientAction {
        let population = self.population_of(ticket);
        if population.in_flight < population.limits.concurrency {
            population.in_flight += 1;
            return ClientAction::Send(self.send(now, ticket));
        }
        if (population.waiting.len() as u64) < population.limits.waiting {
            population.waiting.push_back(ticket);
            return ClientAction::Idle;
        }
        self.refuse(now, ticket, Refusal::Waiting)
    }

    /// An attempt fails unsent.
    #[inline(never)]
    pub(super) fn refuse(&mut self, now: Nanos, ticket: Ticket, why: Refusal) -> ClientAction {
        let attempt = self.slots.send(now, ticket);
        let reply = Reply::of(Some(why.word()));
        ClientAction::Refused(attempt, self.after(now, attempt, true, reply), why)
    }

    #[inline(always)]
    pub(super) fn send(&mut self, now: Nanos, ticket: Ticket) -> Attempt {
        let attempt = self.slots.send(now, ticket);
        let kind = &self.kinds[attempt.kind as usize];
        if kind.gives_up() {
            let timeout = match &kind.patience {
                None => kind.timeout,
                Some(law) => {
                    let place = usize::from(self.slots.get(attempt.ticket).population);
                    self.populations[place].laws.patience(&attempt, law)
                }
            };
            self.timers.set(now + timeout, attempt.ticket, TimerKind::Timeout);
        }
        if self.hedges.is_some() {
            self.plan_copy(now, attempt.ticket, attempt.kind);
        }
        attempt
    }

    /// Reports the end of an attempt: a response, or an error on the way. Gives the attempt back
    /// with the state of its request, or `None` when the client had given it up already.
    #[inline(always)]
    pub fn answer(&mut self, now: Nanos, ticket: Ticket, reply: Reply<'_>) -> Option<AttemptEnd> {
        let failed = reply.error.is_some();
        let attempt = self.slots.in_flight(ticket)?;
        let kind = &self.kinds[attempt.kind as usize];
        let tardy =
            !failed && kind.retry.when == RetryWhen::Late && now.since(attempt.due) > kind.timeout;
        self.landed(now, ticket, failed || tardy, reply);
        let fate = self.after(now, attempt, failed || tardy, reply);
        Some(AttemptEnd { attempt, fate, late: tardy && fate == Fate::Retried })
    }

    /// An attempt is no longer in flight, by its own end.
    #[inline(always)]
    pub(super) fn landed(&mut self, now: Nanos, ticket: Ticket, failed: bool, how: Reply<'_>) {
        if self.population_of(ticket).breaker.is_some() {
            // Parts are passed on, because a whole cannot stay in registers.
            self.note_end(now, ticket, failed, (how.error, how.status));
        }
        self.free_place(now, ticket);
    }

    /// An attempt is no longer in flight: one that waits gets its place.
    #[inline(always)]
    pub(super) fn free_place(&mut self, now: Nanos, ticket: Ticket) {
        let population = self.population_of(ticket);
        match population.waiting.pop_front() {
            Some(next) => self.timers.set(now, next, TimerKind::Granted),
            None => population.in_flight -= 1,
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
        if self.hedges.is_some() {
            return self.after_one_of_several(now, attempt, failed, reply);
        }
        let ticket = self.slots.end_attempt(attempt.ticket);
        self.after_all(now, ticket, attempt, failed, reply)
    }

    /// The last attempt in flight of a request has ended, after which its session has this ticket.
    #[inline(always)]
    pub(super) fn after_all(
        &mut self,
        now: Nanos,
        ticket: Ticket,
        attempt: Attempt,
        failed: bool,
        reply: Reply<'_>,
    ) -> Fate {
        let retry = &self.kinds[attempt.kind as usize].retry;
        let place = usize::from(self.slots.get(ticket).population);
        let population = &mut self.populations[place];
        let again = failed && population.tries_again(&attempt, retry, &reply);
        if again && population.budget.as_mut().is_none_or(Budget::spend) {
            let wait = population.laws.backoff(&attempt, retry);
            self.timers.set(now + wait, ticket, TimerKind::Retry);
            return Fate::Retried;
        }
        self.open -= 1;
        if population.course.is_some() {
            self.end_step(now, ticket, &attempt, reply.error.is_some());
            return Fate::Over;
        }
        let ends = population.ends_on_error && reply.error.is_some();
        let programmed = population.programs.is_some();
        if ends && !programmed {
            self.slots.end_early(ticket);
        }
        let goes_on = self.slots.end_request(now, ticket);
        if ends && programmed {
            self.end_program(now, ticket);
        } else if programmed {
            let response_time = now.since(attempt.request_scheduled);
            self.answer_program(now, ticket, Reply { response_time, ..reply });
        } else if goes_on {
            let think =
                population.laws.think(attempt.session, attempt.index.wrapping_add(1), attempt.kind);
            self.timers.set(now + think, ticket, TimerKind::Request);
        }
        Fate::Over
    }
}
