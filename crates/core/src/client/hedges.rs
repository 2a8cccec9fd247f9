//! Hedged requests: copies of an attempt that are sent while it waits for its answer.
//!
//! A copy is an attempt like any other, with a number and a slot of its own, so that drivers treat
//! it as one. The first answer that is no failure is the request's; the other attempts are given
//! up. One that fails while others are in flight ends alone. So an attempt fails if it and all its
//! copies did, and only then it may be made again (J. Dean, L. A. Barroso, The tail at scale, CACM
//! 56(2), 2013, "Hedged requests").

use thinktime_file::time::Nanos;

use super::budget::Budget;
use super::session::{NOBODY, TimerKind};
use super::{ClientAction, Clients};
use crate::attempt::{Attempt, Fate, Ticket};
use crate::program::Reply;
use crate::request::RequestKind;

/// The copies of all sessions.
#[derive(Debug, Default)]
pub(super) struct Hedges {
    /// By the slot of a session, the copies of its attempt.
    copies: Vec<Copies>,
    /// By the slot of a copy, that of its session.
    originals: Vec<u32>,
    /// Attempts that were given up and are not reported yet.
    cancelled: Vec<Attempt>,
}

/// The copies of one attempt.
#[derive(Clone, Debug, Default)]
struct Copies {
    in_flight: Vec<Ticket>,
    /// How often one was due.
    due: u32,
    /// How many were sent.
    sent: u32,
    /// How many were sent of the request's earlier attempts.
    before: u32,
}

impl Hedges {
    /// If any request is hedged.
    pub(super) fn of(kinds: &[RequestKind]) -> Option<Box<Hedges>> {
        kinds.iter().any(|kind| kind.hedge.is_some()).then(Box::default)
    }

    /// The slot of the session, if this is a copy's.
    fn original(&self, slot: usize) -> Option<usize> {
        let original = self.originals.get(slot).filter(|original| **original != NOBODY)?;
        Some(*original as usize)
    }

    fn copies(&mut self, slot: usize) -> &mut Copies {
        let slots = self.copies.len().max(slot + 1);
        self.copies.resize(slots, Copies::default());
        &mut self.copies[slot]
    }

    fn begin(&mut self, copy: Ticket, original: usize) {
        let slots = self.originals.len().max(copy.slot() + 1);
        self.originals.resize(slots, NOBODY);
        self.originals[copy.slot()] = original as u32;
        let copies = self.copies(original);
        copies.sent += 1;
        copies.in_flight.push(copy);
    }

    /// A copy has ended.
    fn end(&mut self, copy: Ticket, original: usize) {
        self.originals[copy.slot()] = NOBODY;
        self.copies(original).in_flight.retain(|one| *one != copy);
    }
}

impl Clients {
    /// The slot of the session whose attempt, or copy of one, has this slot.
    pub(super) fn original(&self, slot: usize) -> usize {
        self.hedges.as_ref().and_then(|hedges| hedges.original(slot)).unwrap_or(slot)
    }

    /// An attempt that the client gave up because another of its request was answered, and that was
    /// not reported yet. To be called until it gives `None`, after [`Clients::wake`] and
    /// [`Clients::answer`], if [`Clients::has_copies`].
    #[inline]
    pub fn cancelled(&mut self) -> Option<Attempt> {
        self.hedges.as_mut()?.cancelled.pop()
    }

    /// Whether any request is hedged.
    #[must_use]
    pub fn has_copies(&self) -> bool {
        self.hedges.is_some()
    }

    /// An attempt is sent whose kind of request is hedged.
    #[inline(never)]
    pub(super) fn plan_copy(&mut self, now: Nanos, ticket: Ticket, kind: u32) {
        let Some(hedge) = self.kinds[kind as usize].hedge else { return };
        let Some(hedges) = &mut self.hedges else { return };
        if hedges.original(ticket.slot()).is_none() {
            hedges.copies(ticket.slot()).due = 0;
            self.timers.set(now + hedge.after, ticket, TimerKind::Copy);
        }
    }

    /// A copy of the attempt is due, if that still waits for its answer. It is sent if there is a
    /// place for it, and the budget and the breaker let it.
    #[inline(never)]
    pub(super) fn send_copy(&mut self, now: Nanos, ticket: Ticket) -> ClientAction {
        let Some(attempt) = self.slots.in_flight(ticket) else { return ClientAction::Idle };
        let Some(hedge) = self.kinds[attempt.kind as usize].hedge else {
            return ClientAction::Idle;
        };
        let Some(hedges) = &mut self.hedges else { return ClientAction::Idle };
        let copies = hedges.copies(ticket.slot());
        copies.due += 1;
        let number = attempt.attempt + copies.sent;
        if copies.due < hedge.most {
            self.timers.set(now + hedge.after, ticket, TimerKind::Copy);
        }
        let place = self.slots.get(ticket).population;
        let population = &mut self.populations[usize::from(place)];
        let admitted = population.in_flight < population.limits.concurrency
            && population.breaker.as_ref().is_none_or(|breaker| breaker.would_admit(now))
            && population.budget.as_mut().is_none_or(Budget::spend)
            && population.breaker.as_mut().is_none_or(|breaker| breaker.admit(now));
        if !admitted {
            return ClientAction::Idle;
        }
        population.in_flight += 1;
        self.loading += 1;
        let copy = self.slots.begin_copy(&Attempt { attempt: number, ..attempt }, place);
        hedges.begin(copy, ticket.slot());
        ClientAction::Send(self.send(now, copy))
    }

    /// As [`Clients::after`], if requests are hedged: what follows depends on the other attempts of
    /// the request.
    #[inline(never)]
    pub(super) fn after_one_of_several(
        &mut self,
        now: Nanos,
        attempt: Attempt,
        failed: bool,
        reply: Reply<'_>,
    ) -> Fate {
        let slot = self.original(attempt.ticket.slot());
        self.end_in_flight(now, &attempt, slot);
        let others = self.others(slot);
        if failed && !others.is_empty() {
            return Fate::Retried;
        }
        for other in others {
            self.cancel(now, &other, slot);
        }
        let Some(hedges) = &mut self.hedges else { return Fate::Over };
        let copies = hedges.copies(slot);
        let original = self.slots.ticket(slot);
        // Copies are no attempts by the count of retries, but the next one is numbered after them.
        let number = self.slots.get(original).attempt() - copies.before;
        copies.before += copies.sent;
        self.slots.get_mut(original).skip_attempts(std::mem::take(&mut copies.sent));
        let attempt = Attempt { ticket: original, attempt: number, ..attempt };
        let fate = self.after_all(now, original, attempt, failed, reply);
        if fate == Fate::Over
            && let Some(hedges) = &mut self.hedges
        {
            *hedges.copies(slot) = Copies::default();
        }
        fate
    }

    /// The attempts of the request of the session in this slot that are in flight.
    fn others(&self, slot: usize) -> Vec<Attempt> {
        let copies = self.hedges.iter().filter_map(|hedges| hedges.copies.get(slot));
        let copies = copies.flat_map(|copies| &copies.in_flight).copied();
        let all = std::iter::once(self.slots.ticket(slot)).chain(copies);
        all.filter_map(|ticket| self.slots.in_flight(ticket)).collect()
    }

    /// An attempt of the session in this slot ends, or a copy of it.
    fn end_in_flight(&mut self, now: Nanos, attempt: &Attempt, slot: usize) {
        let ticket = self.slots.end_attempt(attempt.ticket);
        if ticket.slot() != slot {
            if let Some(hedges) = &mut self.hedges {
                hedges.end(attempt.ticket, slot);
            }
            self.slots.end_session(now, ticket);
            self.loading -= 1;
        }
    }

    /// The client gives the attempt up, because another one has been answered.
    fn cancel(&mut self, now: Nanos, attempt: &Attempt, slot: usize) {
        self.free_place(now, attempt.ticket);
        if let Some(breaker) = &mut self.population_of(attempt.ticket).breaker {
            breaker.forget(attempt.due);
        }
        self.end_in_flight(now, attempt, slot);
        if let Some(hedges) = &mut self.hedges {
            hedges.cancelled.push(*attempt);
        }
    }

    /// Leaves one attempt of each request in flight, as the run ends: [`Clients::waiting`] then has
    /// each request once.
    pub fn end_copies(&mut self, now: Nanos) {
        let Some(hedges) = &self.hedges else { return };
        for slot in 0..hedges.copies.len() {
            let others = self.others(slot);
            if let [first, rest @ ..] = others.as_slice() {
                let original = self.slots.ticket(slot);
                self.slots.get_mut(original).open &= first.ticket == original;
                rest.iter().for_each(|attempt| self.cancel(now, attempt, slot));
            }
        }
    }
}
