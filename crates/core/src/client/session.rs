//! The live sessions, each in a slot of a table.

use thinktime_file::time::Nanos;

use super::session_times::SessionTimes;
use crate::attempt::{Attempt, NO_PAGE, Ticket};

/// The purpose of a timer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TimerKind {
    /// Begin the session's next request.
    Request,
    /// Make another attempt.
    Retry,
    /// Give up the attempt.
    Timeout,
    /// Send the attempt that waited until others had ended.
    Granted,
    /// Begin the session's program.
    Begin,
    /// Let the session's program continue.
    Resume,
    /// Send a copy of the attempt.
    Copy,
}

/// A session's state.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slot {
    pub(super) session: u64,
    /// Requests not yet over; `u64::MAX` if no number ends the session.
    pub(super) remaining: u64,
    due: Nanos,
    request_scheduled: Nanos,
    /// The number of the next or current request.
    pub(super) index: u32,
    /// The number of times that its program has begun again.
    pub(super) turn: u32,
    kind: u32,
    generation: u32,
    attempt: u32,
    /// As [`Attempt::page`].
    pub(super) page: u32,
    /// The place of its population.
    pub(super) population: u16,
    in_flight: bool,
    /// A request has begun and is not over.
    pub(super) open: bool,
}

impl Slot {
    /// The kind of its last request, or of the next one that its program asked for.
    pub(super) fn kind(&self) -> u32 {
        self.kind
    }

    /// The number of its last attempt.
    pub(super) fn attempt(&self) -> u32 {
        self.attempt
    }

    /// This many numbers of attempts are taken.
    pub(super) fn skip_attempts(&mut self, number: u32) {
        self.attempt += number;
    }

    /// Its program asks for a request of this kind.
    pub(super) fn want(&mut self, kind: u32) {
        self.kind = kind;
    }

    #[inline(always)]
    pub(super) fn begin_request(&mut self, kind: u32, now: Nanos) {
        self.kind = kind;
        self.attempt = 0;
        self.open = true;
        self.request_scheduled = now;
    }
}

/// All live sessions.
#[derive(Debug, Default)]
pub(super) struct Slots {
    slots: Vec<Slot>,
    free: Vec<u32>,
    /// By the slot of a child, that of its parent; empty until a session has children.
    pub(super) parents: Vec<u32>,
    /// Slots and numbers of sessions that have left, if a driver needs them.
    pub(super) left: Option<Vec<(usize, u64)>>,
    /// If sessions of several requests arrive by themselves, how long they last.
    pub(super) times: Option<SessionTimes>,
}

/// Marks a slot without a parent.
pub(super) const NOBODY: u32 = u32::MAX;

impl Slots {
    /// As [`Slots::begin`], of a session that arrives by itself now.
    #[inline(always)]
    pub(super) fn begin_arrived(
        &mut self,
        now: Nanos,
        session: u64,
        requests: u64,
        population: u16,
    ) -> Ticket {
        let ticket = self.begin(session, requests, population);
        if let Some(times) = &mut self.times {
            times.arrive(now, ticket);
        }
        ticket
    }

    #[inline(always)]
    pub(super) fn begin(&mut self, session: u64, requests: u64, population: u16) -> Ticket {
        let fresh = Slot {
            session,
            remaining: requests,
            due: Nanos::ZERO,
            request_scheduled: Nanos::ZERO,
            index: 0,
            turn: 0,
            kind: 0,
            generation: 0,
            attempt: 0,
            page: NO_PAGE,
            population,
            in_flight: false,
            open: false,
        };
        match self.free.pop() {
            Some(slot) => {
                let generation = self.slots[slot as usize].generation;
                self.slots[slot as usize] = Slot { generation, ..fresh };
                Ticket { slot, generation }
            }
            None => {
                let slot = u32::try_from(self.slots.len()).expect("fewer than 2^32 sessions");
                self.slots.push(fresh);
                Ticket { slot, generation: 0 }
            }
        }
    }

    /// A slot for a copy of this attempt, with the next number.
    pub(super) fn begin_copy(&mut self, of: &Attempt, population: u16) -> Ticket {
        let ticket = self.begin(of.session, u64::MAX, population);
        let slot = self.get_mut(ticket);
        (slot.index, slot.kind, slot.page) = (of.index, of.kind, of.page);
        (slot.attempt, slot.request_scheduled) = (of.attempt, of.request_scheduled);
        ticket
    }

    /// The number of live sessions.
    pub(super) fn number(&self) -> u64 {
        (self.slots.len() - self.free.len()) as u64
    }

    #[inline(always)]
    pub(super) fn get(&self, ticket: Ticket) -> &Slot {
        &self.slots[ticket.slot as usize]
    }

    #[inline(always)]
    pub(super) fn get_mut(&mut self, ticket: Ticket) -> &mut Slot {
        &mut self.slots[ticket.slot as usize]
    }

    /// The next attempt of the current request begins.
    #[inline(always)]
    pub(super) fn send(&mut self, now: Nanos, ticket: Ticket) -> Attempt {
        let slot = self.get_mut(ticket);
        slot.attempt += 1;
        slot.due = now;
        slot.in_flight = true;
        attempt_of(slot, ticket.slot)
    }

    /// The attempt that the ticket names, while it waits for its response.
    #[inline(always)]
    pub(super) fn in_flight(&self, ticket: Ticket) -> Option<Attempt> {
        let slot = self.slots.get(ticket.slot as usize)?;
        (slot.in_flight && slot.generation == ticket.generation)
            .then(|| attempt_of(slot, ticket.slot))
    }

    /// Voids the attempt's ticket, and gives the session's next one.
    #[inline(always)]
    pub(super) fn end_attempt(&mut self, ticket: Ticket) -> Ticket {
        let slot = self.get_mut(ticket);
        slot.in_flight = false;
        slot.generation = slot.generation.wrapping_add(1);
        Ticket { slot: ticket.slot, generation: slot.generation }
    }

    /// The current request is over. Says whether the session continues; if not, its slot is free.
    #[inline(always)]
    pub(super) fn end_request(&mut self, now: Nanos, ticket: Ticket) -> bool {
        let slot = self.get_mut(ticket);
        slot.open = false;
        slot.index = slot.index.wrapping_add(1);
        if slot.remaining != u64::MAX {
            slot.remaining -= 1;
        }
        let goes_on = slot.remaining > 0;
        if !goes_on {
            self.note_leaving(now, ticket);
            self.free.push(ticket.slot);
        }
        goes_on
    }

    /// The session leaves, or one of its children ends: the slot is free.
    pub(super) fn end_session(&mut self, now: Nanos, ticket: Ticket) {
        match self.parents.get_mut(ticket.slot()) {
            Some(parent) if *parent != NOBODY => *parent = NOBODY,
            _ => self.note_leaving(now, ticket),
        }
        self.free.push(ticket.slot);
    }

    #[inline(always)]
    pub(super) fn note_leaving(&mut self, now: Nanos, ticket: Ticket) {
        if let Some(times) = &mut self.times {
            times.end(now, ticket.slot(), self.slots[ticket.slot()].population);
        }
        if let Some(left) = &mut self.left {
            left.push((ticket.slot(), self.slots[ticket.slot()].session));
        }
    }

    /// The session ends with its current request; one that never ends begins again.
    pub(super) fn end_early(&mut self, ticket: Ticket) {
        let slot = self.get_mut(ticket);
        match slot.remaining {
            u64::MAX => slot.turn = slot.turn.wrapping_add(1),
            _ => slot.remaining = 1,
        }
    }

    /// The ticket of the session in this slot.
    pub(super) fn ticket(&self, slot: usize) -> Ticket {
        Ticket { slot: slot as u32, generation: self.slots[slot].generation }
    }

    pub(super) fn waiting(&self) -> impl Iterator<Item = Attempt> + '_ {
        let numbered = self.slots.iter().zip(0u32..);
        numbered.filter(|(slot, _)| slot.in_flight).map(|(slot, at)| attempt_of(slot, at))
    }

    /// Requests that are between two attempts, or wait for a place for their first one: each as the
    /// attempt that would come next, at `now`.
    pub(super) fn between(&self, now: Nanos) -> impl Iterator<Item = Attempt> + '_ {
        let numbered = self.slots.iter().zip(0u32..);
        let next = move |slot: &Slot, at| {
            let last = attempt_of(slot, at);
            Attempt { attempt: last.attempt + 1, due: now, ..last }
        };
        numbered
            .filter(|(slot, _)| slot.open && !slot.in_flight)
            .map(move |(slot, at)| next(slot, at))
    }
}

#[inline(always)]
fn attempt_of(slot: &Slot, at: u32) -> Attempt {
    Attempt {
        ticket: Ticket { slot: at, generation: slot.generation },
        session: slot.session,
        index: slot.index,
        attempt: slot.attempt,
        kind: slot.kind,
        page: slot.page,
        due: slot.due,
        request_scheduled: slot.request_scheduled,
    }
}
