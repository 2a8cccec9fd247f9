//! The commonest of all simulations: fleeting sessions, and one server, first come, first served.

use thinktime_core::client::{Attempt, Ended, Fate};
use thinktime_core::record::{Ended as When, RowSink};
use thinktime_core::system::Job;
use thinktime_core::time::Nanos;

use super::Driver;
use crate::modelled::Modelled;

impl<S: RowSink> Driver<'_, S> {
    /// Handles up to `events` arrivals that come before anything else does, and says how many it
    /// were: the same as the driver's other loop does, but for its many questions. Sessions must be
    /// fleeting, and the system a line.
    pub(super) fn arrivals_at_line(&mut self, events: u64) -> u64 {
        for handled in 0..events {
            let next = self.clients.next_fleeting();
            if next >= self.boundary {
                return handled;
            }
            self.leave_line(next);
            if let Some(attempt) = self.clients.wake_fleeting() {
                self.serve_in_line(next, attempt);
            }
            self.now = next;
            if self.clients.closed() {
                self.close();
                return handled + 1;
            }
        }
        events
    }

    #[inline(always)]
    fn serve_in_line(&mut self, now: Nanos, attempt: Attempt) {
        let Modelled::Line(line) = &mut self.system else { return };
        let Attempt { session, kind, .. } = attempt;
        let job = Job { token: now.0, session, serial: attempt.serial(), kind };
        let departure = line.arrive(now, job);
        let ended = Ended { attempt, fate: Fate::Over, late: false };
        self.record_answer(&departure, &ended, When::ToldLater);
    }
}
