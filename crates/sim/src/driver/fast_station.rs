//! Sessions without memory at one station, whatever its policy.

use thinktime_core::attempt::Fate;
use thinktime_core::client::Ended;
use thinktime_core::record::Ended as When;
use thinktime_core::system::Job;

use super::Driver;
use super::attempts::only_attempt;
use crate::modelled_system::ModelledSystem;

impl Driver<'_> {
    /// Handles up to `events` arrivals and departures that come before any other event, as long as
    /// sessions still begin, and gives their number: the same as the driver's other loop does, but
    /// without its many checks. Sessions must have a single request.
    #[inline(never)] // the loop has the processor's registers for itself
    pub(super) fn fast_station_events(&mut self, events: u64) -> u64 {
        if self.clients.closed() {
            return 0;
        }
        for handled in 0..events {
            let ModelledSystem::FastStation(station) = &mut self.system else { return handled };
            let (wake, served) = (self.clients.next_one_shot(), station.next_event());
            let next = wake.min(served);
            if next >= self.boundary {
                return handled;
            }
            self.now = next;
            if served <= wake {
                if let Some(departure) = station.advance(next) {
                    self.clients.end_one_shot();
                    let attempt = only_attempt(&departure.job);
                    let ended = Ended { attempt, fate: Fate::Over, late: false };
                    self.record_answer(&departure, &ended, When::InWindow);
                }
                continue;
            }
            if let Some(attempt) = self.clients.wake_one_shot() {
                self.clients.await_one_shot();
                let (session, serial) = (attempt.session, attempt.serial());
                station.arrive(next, Job { token: next.0, session, serial, kind: attempt.kind });
            }
            if self.clients.closed() {
                self.close();
                return handled + 1;
            }
        }
        events
    }
}
