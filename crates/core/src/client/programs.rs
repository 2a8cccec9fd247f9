//! Sessions that are programs.

use std::rc::Rc;

use thinktime_file::time::Nanos;

use super::Clients;
use super::population::Population;
use super::session::TimerKind;
use crate::attempt::{Attempt, SESSIONS, Ticket};
use crate::program::{Action, Event, Reply, Report, TransactionStep};
use crate::request::{Call, Retry};

/// After this many turns of programs without a request there will be no further one.
const IDLE_TURNS_MAX: u64 = 2_000_000;
/// Neither will there be one after this many sessions in a row without a request.
const IDLE_SESSIONS_MAX: u64 = 20_000;

impl Population {
    /// A closed session's first action, after its first think time.
    pub(super) fn first_timer(&self) -> TimerKind {
        if self.programs.is_some() { TimerKind::Begin } else { TimerKind::Request }
    }

    /// Whether a failed attempt is repeated: because the workload says so or, if it has no word on
    /// retries, its program.
    #[inline(always)]
    pub(super) fn tries_again(&self, attempt: &Attempt, retry: &Retry, reply: &Reply<'_>) -> bool {
        // Parts are passed on, because a whole cannot stay in registers.
        let (slot, number) = (attempt.ticket.slot(), attempt.attempt);
        retry.covers(number, reply.error, reply.status)
            || (retry.attempts == 1 && self.program_tries_again(slot, number, reply.error))
    }

    #[cold]
    fn program_tries_again(&self, slot: usize, number: u32, error: Option<&str>) -> bool {
        let call = self.programs.as_ref().and_then(|programs| programs.call(slot));
        let sql = call.as_ref().and_then(|call| call.sql.as_ref());
        sql.is_some_and(|sql| sql.covers(number, error))
    }

    /// A session ends. If none of very many sent a request, a run limited by a number of requests
    /// would never end.
    fn count_ended(&mut self) {
        self.idle_sessions += 1;
        self.ended |= self.idle_sessions > IDLE_SESSIONS_MAX
            || self.programs.as_ref().is_some_and(|programs| programs.gives_up());
    }
}

impl Clients {
    pub(super) fn begin_program(&mut self, now: Nanos, ticket: Ticket) {
        let parent = self.slots.parent(ticket.slot());
        let slot = *self.slots.get(ticket);
        let closed = self.closed;
        let population = self.population_of(ticket);
        let Some(programs) = &mut population.programs else { return };
        if closed || population.ended {
            return;
        }
        population.idle_turns += 1;
        let action = match parent {
            Some(parent) => programs.begin_child(now, ticket.slot(), parent),
            None => programs.begin(now, ticket.slot(), slot.session % SESSIONS, slot.turn),
        };
        match action {
            // It would begin again and again without an end.
            Action::End => {
                population.count_ended();
                self.leave(now, ticket);
                self.close_if_ended();
            }
            action => self.act_for(now, ticket, action),
        }
    }

    pub(super) fn resume_program(&mut self, now: Nanos, ticket: Ticket) {
        self.go_on(now, ticket, Event::Waited);
    }

    pub(super) fn answer_program(&mut self, now: Nanos, ticket: Ticket, reply: Reply<'_>) {
        self.go_on(now, ticket, Event::Answered(reply));
    }

    /// The session's request has failed for good, and the session ends with it.
    pub(super) fn end_program(&mut self, now: Nanos, ticket: Ticket) {
        let Some(programs) = &mut self.population_of(ticket).programs else { return };
        programs.end(now, ticket.slot());
        self.act_for(now, ticket, Action::End);
    }

    pub(super) fn go_on(&mut self, now: Nanos, ticket: Ticket, event: Event<'_>) {
        let Some(programs) = &mut self.population_of(ticket).programs else { return };
        let action = programs.resume(now, ticket.slot(), event);
        self.act_for(now, ticket, action);
    }

    fn act_for(&mut self, now: Nanos, ticket: Ticket, action: Action) {
        let population = self.population_of(ticket);
        population.idle_turns += 1;
        // Otherwise a run limited by a number of requests would never end.
        population.ended |= population.idle_turns > IDLE_TURNS_MAX;
        if action == Action::End {
            population.count_ended();
        }
        match action {
            Action::Request(kind) => {
                (population.idle_turns, population.idle_sessions) = (0, 0);
                population.wanted += 1;
                let kind = population.laws.first_kind + kind;
                self.slots.get_mut(ticket).want(kind);
                self.timers.set(now, ticket, TimerKind::Request);
            }
            Action::Think(_) if population.ended => {}
            Action::Think(time) => self.timers.set(now + time, ticket, TimerKind::Resume),
            Action::Wait => {}
            Action::End => {
                let arrives = population.arrives();
                if arrives || self.slots.parent(ticket.slot()).is_some() {
                    self.leave(now, ticket);
                } else {
                    self.begin_again(now, ticket);
                }
            }
        }
        self.wake_others(now, ticket);
        self.close_if_ended();
    }

    /// The request that a program asked for is begun.
    pub(super) fn begin_wanted(&mut self, ticket: Ticket) {
        self.slots.number_request(ticket);
        self.population_of(ticket).wanted -= 1;
        self.close_if_ended();
    }

    /// Begins no further request if no session will ask for one.
    fn close_if_ended(&mut self) {
        let limit = self.limit;
        if self.populations.iter().all(|one| one.ended || one.is_exhausted(&limit)) {
            self.closed = true;
        }
        if self.populations.iter().all(|one| one.is_exhausted(&limit)) {
            self.limit.until = Nanos::MAX;
        }
    }

    fn begin_again(&mut self, now: Nanos, ticket: Ticket) {
        let slot = self.slots.get_mut(ticket);
        slot.turn = slot.turn.wrapping_add(1);
        let (session, turn) = (slot.session, slot.turn);
        let think = self.population_of(ticket).laws.first_think_of(session, turn);
        self.timers.set(now + think, ticket, TimerKind::Begin);
    }

    fn leave(&mut self, now: Nanos, ticket: Ticket) {
        self.slots.end_session(now, ticket);
        self.wake_others(now, ticket);
    }

    /// Wakes and begins the sessions named by a program of the same population.
    fn wake_others(&mut self, now: Nanos, ticket: Ticket) {
        let Some(programs) = &mut self.population_of(ticket).programs else { return };
        let mut woken = Vec::new();
        while let Some(slot) = programs.woken() {
            woken.push(slot);
        }
        let mut spawned = Vec::new();
        while let Some(parent) = programs.spawned() {
            spawned.push(parent);
        }
        for slot in woken {
            self.timers.set(now, self.slots.ticket(slot), TimerKind::Resume);
        }
        for parent in spawned {
            self.timers.set(now, self.slots.begin_child(parent), TimerKind::Begin);
        }
    }

    /// The request of an attempt, if a program asked for it.
    #[must_use]
    pub fn call(&self, attempt: &Attempt) -> Option<Rc<Call>> {
        let place = self.kinds[attempt.kind as usize].population;
        self.populations[place as usize]
            .programs
            .as_ref()?
            .call(self.original(attempt.ticket.slot()))
    }

    /// Whether programs read responses.
    #[must_use]
    pub fn reads_responses(&self) -> bool {
        let programs = self.populations.iter().flat_map(|one| &one.programs);
        programs.into_iter().any(|programs| programs.reads_responses())
    }

    /// The transaction of an attempt in progress continues, as in
    /// [`crate::program::Programs::transact`].
    pub fn transact(
        &mut self,
        now: Nanos,
        attempt: &Attempt,
        answer: Option<Reply<'_>>,
    ) -> TransactionStep {
        let ticket = attempt.ticket;
        if self.slots.in_flight(ticket).is_none() {
            return TransactionStep::Rollback;
        }
        match &mut self.population_of(ticket).programs {
            Some(programs) => programs.transact(now, ticket.slot(), answer),
            None => TransactionStep::Rollback,
        }
    }

    /// The findings of programs.
    #[must_use]
    pub fn report(&self) -> Option<Report> {
        let programs = self.populations.iter().flat_map(|one| &one.programs);
        programs.map(|programs| programs.report()).reduce(|mut all, other| {
            all.merge(&other);
            all
        })
    }
}
