//! Sessions that are programs.

use std::rc::Rc;

use super::session::{Ticket, Wish};
use super::{Attempt, Clients, Source};
use crate::program::{Action, Call, Event, Reply, Report};
use crate::time::Nanos;

/// After so many turns of programs without a request there will be none.
const IDLE_TURNS_MAX: u64 = 10_000_000;
/// After so many sessions in a row without a request among them there will be none either.
const IDLE_SESSIONS_MAX: u64 = 20_000;

impl Clients {
    /// What a closed session does first, after its first think time.
    pub(super) fn first_wish(&self) -> Wish {
        if self.programs.is_some() { Wish::Begin } else { Wish::Request }
    }

    pub(super) fn begin_program(&mut self, now: Nanos, ticket: Ticket) {
        if self.closed {
            return;
        }
        self.idle_turns += 1;
        let Some(programs) = &mut self.programs else { return };
        let slot = self.slots.get(ticket);
        let action = match self.slots.parent(ticket.slot()) {
            Some(parent) => programs.begin_child(now, ticket.slot(), parent),
            None => programs.begin(now, ticket.slot(), slot.session, slot.turn),
        };
        match action {
            // It would begin again and again without an end.
            Action::End => {
                self.count_ended();
                self.leave(now, ticket);
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
        let Some(programs) = &mut self.programs else { return };
        programs.end(now, ticket.slot());
        self.act_for(now, ticket, Action::End);
    }

    fn go_on(&mut self, now: Nanos, ticket: Ticket, event: Event<'_>) {
        let Some(programs) = &mut self.programs else { return };
        let action = programs.resume(now, ticket.slot(), event);
        self.act_for(now, ticket, action);
    }

    fn act_for(&mut self, now: Nanos, ticket: Ticket, action: Action) {
        self.idle_turns += 1;
        // Otherwise a run of a number of requests would never end.
        self.closed |= self.idle_turns > IDLE_TURNS_MAX;
        if action == Action::End {
            self.count_ended();
        }
        match action {
            Action::Request(kind) => {
                (self.idle_turns, self.idle_sessions) = (0, 0);
                self.wanted += 1;
                self.slots.get_mut(ticket).want(kind);
                self.timers.set(now, ticket, Wish::Request);
            }
            Action::Think(time) => self.timers.set(now + time, ticket, Wish::Resume),
            Action::Wait => {}
            Action::End => match &self.source {
                Source::Fixed if self.slots.parent(ticket.slot()).is_none() => {
                    self.begin_again(now, ticket);
                }
                _ => self.leave(now, ticket),
            },
        }
        self.wake_others(now);
        self.close_if_exhausted();
    }

    /// The request that a program wanted is begun.
    pub(super) fn begin_wanted(&mut self) {
        self.wanted -= 1;
        self.close_if_exhausted();
    }

    /// Begins no further request where no program will ask for one. Arrivals that end before a
    /// given time are waited for until then, as everywhere: that nobody comes is part of the
    /// workload.
    fn close_if_exhausted(&mut self) {
        let waits = matches!(self.source, Source::Arriving(_)) && !self.limit.until.is_never();
        if self.wanted > 0 || waits {
            return;
        }
        if self.programs.as_ref().is_some_and(|programs| programs.exhausted()) {
            self.closed = true;
            self.limit.until = Nanos::MAX;
        }
    }

    /// A session ends. Where none of very many asked for anything, a run of a number of requests
    /// would never end.
    fn count_ended(&mut self) {
        self.idle_sessions += 1;
        self.closed |= self.idle_sessions > IDLE_SESSIONS_MAX
            || self.programs.as_ref().is_some_and(|programs| programs.gives_up());
    }

    fn begin_again(&mut self, now: Nanos, ticket: Ticket) {
        let slot = self.slots.get_mut(ticket);
        slot.turn = slot.turn.wrapping_add(1);
        let think = self.laws.think(slot.session, slot.turn);
        self.timers.set(now + think, ticket, Wish::Begin);
    }

    fn leave(&mut self, now: Nanos, ticket: Ticket) {
        self.slots.end_session(ticket);
        self.wake_others(now);
    }

    fn wake_others(&mut self, now: Nanos) {
        let Some(programs) = &mut self.programs else { return };
        while let Some(slot) = programs.woken() {
            self.timers.set(now, self.slots.ticket(slot), Wish::Resume);
        }
        while let Some(parent) = programs.spawned() {
            self.timers.set(now, self.slots.begin_child(parent), Wish::Begin);
        }
    }

    /// The request of an attempt, where a program wanted it.
    #[must_use]
    pub fn call(&self, attempt: &Attempt) -> Option<Rc<Call>> {
        self.programs.as_ref()?.call(attempt.ticket.slot())
    }

    /// Whether responses are looked at by programs.
    #[must_use]
    pub fn reads_responses(&self) -> bool {
        self.programs.as_ref().is_some_and(|programs| programs.reads_responses())
    }

    /// What programs found out.
    #[must_use]
    pub fn report(&self) -> Option<Report> {
        self.programs.as_ref().map(|programs| programs.report())
    }
}
