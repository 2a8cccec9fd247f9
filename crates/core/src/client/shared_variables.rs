//! Variables of programs that are kept outside of the process: the requests and the answers.

use thinktime_file::time::Nanos;

use super::Clients;
use crate::program::{Event, SharedAnswer, SharedRequest};

impl Clients {
    /// From here on the driver keeps the variables that programs share. It takes their requests by
    /// [`Clients::shared_request`] and answers by [`Clients::answer_shared`].
    pub fn share_outside(&mut self) {
        for place in 0..self.populations.iter().count() {
            if let Some(programs) = &mut self.populations[place].programs {
                programs.share_outside();
            }
        }
    }

    /// A session's request for shared variables. The driver asks until it gets `None`.
    pub fn shared_request(&mut self) -> Option<SharedRequest> {
        let of = |place: usize, clients: &mut Clients| {
            clients.populations[place].programs.as_mut()?.shared_request()
        };
        (0..self.populations.iter().count()).find_map(|place| of(place, self))
    }

    /// The session in this slot, which has asked and not left since, gets the answer and continues.
    pub fn answer_shared(&mut self, now: Nanos, slot: usize, answer: SharedAnswer) {
        let ticket = self.slots.ticket(slot);
        let Some(programs) = &mut self.population_of(ticket).programs else { return };
        programs.answer_shared(slot, answer);
        self.go_on(now, ticket, Event::Waited);
    }
}
