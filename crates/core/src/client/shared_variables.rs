//! Variables of programs that are kept outside of the process: what is asked for, and what comes.

use super::Clients;
use crate::program::{Event, SharedAnswer, SharedRequest};
use crate::time::Nanos;

impl Clients {
    /// What programs share is kept by the driver from here on: it asks for what they want by
    /// [`Clients::shared_request`] and tells them by [`Clients::answer_shared`].
    pub fn share_outside(&mut self) {
        for place in 0..self.populations.iter().count() {
            if let Some(programs) = &mut self.populations[place].programs {
                programs.share_outside();
            }
        }
    }

    /// What a session wants of shared variables; asked until there is nothing.
    pub fn shared_request(&mut self) -> Option<SharedRequest> {
        let of = |place: usize, clients: &mut Clients| {
            clients.populations[place].programs.as_mut()?.shared_request()
        };
        (0..self.populations.iter().count()).find_map(|place| of(place, self))
    }

    /// The session in this slot, which has asked and not left since, is told and goes on.
    pub fn answer_shared(&mut self, now: Nanos, slot: usize, answer: SharedAnswer) {
        let ticket = self.slots.ticket(slot);
        let Some(programs) = &mut self.population_of(ticket).programs else { return };
        programs.answer_shared(slot, answer);
        self.go_on(now, ticket, Event::Waited);
    }
}
