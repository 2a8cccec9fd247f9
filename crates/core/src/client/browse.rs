//! Sessions that browse: pages with their objects, journeys, ends after a time.
//!
//! Children of the session request the objects, one child for each connection: each takes the
//! page's next object when its last one is over, and leaves when no object is left.

use std::collections::BTreeSet;

use thinktime_file::time::Nanos;

use crate::attempt::Page;

use super::Clients;
use super::session::TimerKind;
use crate::attempt::{Attempt, NO_PAGE, Ticket};

/// The state of a session that browses, beside its slot.
#[derive(Debug, Default)]
pub(super) struct Visit {
    /// When the session has lasted long enough.
    pub(super) until: Nanos,
    page: Loading,
    /// The objects that it has.
    has: BTreeSet<u64>,
}

/// A page whose objects are being requested.
#[derive(Clone, Copy, Debug, Default)]
struct Loading {
    base: u32,
    scheduled: Nanos,
    /// The number of the base's request.
    number: u32,
    /// Objects not requested yet, and the number of the next one's request.
    left: u32,
    next: u32,
    /// Children that request objects.
    children: u32,
    failed: bool,
}

impl Clients {
    /// A page that is over and was not reported yet. To be called until it gives `None`, after
    /// [`Clients::wake`] and [`Clients::answer`], if [`Clients::has_pages`].
    #[inline]
    pub fn ended_page(&mut self) -> Option<Page> {
        self.pages.pop()
    }

    /// A session begins: its first request is chosen, and the time at which it has lasted long
    /// enough.
    pub(super) fn begin_course(&mut self, now: Nanos, ticket: Ticket) {
        let slot = self.slots.get(ticket);
        let (session, index, turn) = (slot.session, slot.index, slot.turn);
        let population = &self.populations[usize::from(slot.population)];
        let Some(course) = &population.course else { return };
        let first = course.first(&population.laws, session, index);
        let until = now + course.time(session, turn);
        let base = course.objects_of(first).is_some();
        self.visit(ticket).until = until;
        self.visit(ticket).has.clear();
        self.slots.get_mut(ticket).want_page(first, base);
    }

    pub(super) fn visit(&mut self, ticket: Ticket) -> &mut Visit {
        let slot = ticket.slot();
        if slot >= self.visits.len() {
            self.visits.resize_with(slot + 1, Visit::default);
        }
        &mut self.visits[slot]
    }

    /// A request of a session that browses is over.
    #[inline]
    pub(super) fn end_step(&mut self, now: Nanos, ticket: Ticket, attempt: &Attempt, failed: bool) {
        self.slots.get_mut(ticket).open = false;
        if let Some(parent) = self.slots.parent(ticket.slot()) {
            self.end_object(now, ticket, parent, failed);
            return;
        }
        let population = &self.populations[usize::from(self.slots.get(ticket).population)];
        let Some(course) = &population.course else { return };
        let Some(objects) = course.objects_of(attempt.kind) else {
            return self.end_page(now, ticket, failed, attempt.index + 1);
        };
        let count = match failed {
            true => 0,
            false => course.count(objects, attempt.session, attempt.index),
        };
        // A session makes fewer than 2^32 requests.
        let next = attempt.index.saturating_add(1);
        let count = count.min(u32::MAX - 1 - next);
        let connections = objects.connections;
        self.visit(ticket).page = Loading {
            base: attempt.kind,
            scheduled: attempt.request_scheduled,
            number: attempt.index,
            left: count,
            next,
            children: 0,
            failed,
        };
        for _ in 0..connections.min(count) {
            let Some((kind, index)) = self.take_object(ticket) else { break };
            let child = self.slots.begin_child(ticket.slot());
            self.visits[ticket.slot()].page.children += 1;
            self.loading += 1;
            self.ask_for(now, child, kind, index, attempt.index);
        }
        if self.visits[ticket.slot()].page.children == 0 {
            self.end_loading(now, ticket);
        }
    }

    /// The next object that the session requests, if there is one: its kind, and its request's
    /// number.
    fn take_object(&mut self, ticket: Ticket) -> Option<(u32, u32)> {
        let slot = self.slots.get(ticket);
        let session = slot.session;
        let course = self.populations[usize::from(slot.population)].course.as_ref()?;
        let Visit { page, has, .. } = &mut self.visits[ticket.slot()];
        while page.left > 0 {
            let index = page.next;
            page.left -= 1;
            page.next += 1;
            let kind = course.object(page.base, session, index);
            let fresh = course.key(kind, session, index).is_none_or(|key| has.insert(key));
            if fresh {
                return Some((kind, index));
            }
        }
        None
    }

    fn ask_for(&mut self, now: Nanos, child: Ticket, kind: u32, index: u32, page: u32) {
        let slot = self.slots.get_mut(child);
        slot.want(kind);
        (slot.index, slot.page) = (index, page);
        self.timers.set(now, child, TimerKind::Request);
    }

    /// An object is over: its child requests the next, or leaves.
    fn end_object(&mut self, now: Nanos, child: Ticket, parent: usize, failed: bool) {
        let ticket = self.slots.ticket(parent);
        self.visits[parent].page.failed |= failed;
        if let Some((kind, index)) = self.take_object(ticket) {
            let page = self.visits[parent].page.number;
            return self.ask_for(now, child, kind, index, page);
        }
        self.slots.end_session(now, child);
        self.loading -= 1;
        let page = &mut self.visits[parent].page;
        page.children -= 1;
        if page.children == 0 {
            self.end_loading(now, ticket);
        }
    }

    /// The last of a page's requests is over.
    fn end_loading(&mut self, now: Nanos, ticket: Ticket) {
        let Loading { base, scheduled, number, next, failed, .. } = self.visits[ticket.slot()].page;
        let session = self.slots.get(ticket).session;
        self.pages.push(Page { kind: base, session, number, scheduled, done: now, failed });
        self.end_page(now, ticket, failed, next);
    }

    /// A step of the session is over, with all its requests: the session thinks, or ends.
    fn end_page(&mut self, now: Nanos, ticket: Ticket, failed: bool, index: u32) {
        let slot = self.slots.get_mut(ticket);
        slot.index = index;
        if slot.remaining != u64::MAX {
            slot.remaining -= 1;
        }
        let (session, last, remaining) = (slot.session, slot.kind(), slot.remaining);
        let population = &self.populations[usize::from(slot.population)];
        let Some(course) = &population.course else { return };
        let ended = remaining == 0 || (failed && population.ends_on_error);
        let next = match ended {
            true => None,
            false => course.next(&population.laws, session, index, last),
        };
        let at = now + population.laws.think(session, index, last);
        let late = at >= self.visits.get(ticket.slot()).map_or(Nanos::MAX, |visit| visit.until);
        let ends = |kind: u32| late && course.ends_at.is_none_or(|end| end == kind);
        match next.filter(|kind| !ends(*kind)) {
            Some(kind) => {
                let base = course.objects_of(kind).is_some();
                self.slots.get_mut(ticket).want_page(kind, base);
                self.timers.set(at, ticket, TimerKind::Request);
            }
            None if population.arrives() => self.slots.end_session(now, ticket),
            None => self.begin_anew(at, ticket),
        }
    }

    /// A closed session has ended, and begins again as a new user.
    fn begin_anew(&mut self, at: Nanos, ticket: Ticket) {
        self.slots.note_leaving(at, ticket);
        let slot = self.slots.get_mut(ticket);
        slot.turn = slot.turn.wrapping_add(1);
        let (session, turn) = (slot.session, slot.turn);
        let laws = &self.populations[usize::from(slot.population)].laws;
        slot.remaining = laws.length_of_turn(session, turn);
        self.begin_course(at, ticket);
        self.timers.set(at, ticket, TimerKind::Request);
    }
}

impl super::session::Slot {
    /// The session's next request is of this kind, which may be the base of a page.
    pub(super) fn want_page(&mut self, kind: u32, base: bool) {
        self.want(kind);
        self.page = if base { self.index } else { NO_PAGE };
    }
}
