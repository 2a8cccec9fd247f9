//! Children of sessions: clients of the same session, each with a slot of its own.

use super::session::{NOBODY, Slot, Slots};
use crate::attempt::Ticket;

impl Slots {
    /// A child of the session in this slot.
    pub(super) fn begin_child(&mut self, parent: usize) -> Ticket {
        let Slot { session, population, .. } = *self.get(self.ticket(parent));
        let ticket = self.begin(session, u64::MAX, population);
        let slots = self.parents.len().max(ticket.slot() + 1);
        self.parents.resize(slots, NOBODY);
        self.parents[ticket.slot()] = parent as u32;
        ticket
    }

    /// The slot of the parent, if it is a child's.
    pub(super) fn parent(&self, slot: usize) -> Option<usize> {
        let parent = self.parents.get(slot).filter(|parent| **parent != NOBODY)?;
        Some(*parent as usize)
    }

    /// Numbers the next request: a child's is numbered by its parent's count, so that the numbers
    /// are unique within the session.
    pub(super) fn number_request(&mut self, ticket: Ticket) {
        let Some(parent) = self.parent(ticket.slot()) else { return };
        let count = &mut self.get_mut(self.ticket(parent)).index;
        let index = *count;
        *count = count.wrapping_add(1);
        self.get_mut(ticket).index = index;
    }
}
