//! The commonest of all simulations: one server, first come, first served, where clients learn
//! their answers at once.

use thinktime_core::attempt::{Attempt, Fate};
use thinktime_core::client::Ended;
use thinktime_core::record::Ended as When;
use thinktime_core::system::Job;
use thinktime_core::time::Nanos;

use super::Driver;
use crate::modelled_system::ModelledSystem;

impl Driver<'_> {
    /// Handles up to `events` events that come before any other, and gives their number: the same
    /// as the driver's other loop does, but without its many checks. The system must be a line.
    #[inline(always)]
    pub(super) fn fast_fcfs_events(&mut self, events: u64) -> u64 {
        if self.one_shot {
            self.arrivals_at_line(events)
        } else if !self.clients.closed() && self.clients.takes_prompt_answers() {
            self.sessions_at_line(events)
        } else {
            0
        }
    }

    /// The events of sessions that can learn their answers at once.
    #[inline(never)]
    fn sessions_at_line(&mut self, events: u64) -> u64 {
        for handled in 0..events {
            let next = self.clients.next_wake();
            if next >= self.boundary {
                return handled;
            }
            self.leave_line(next);
            if let Some(attempt) = self.clients.wake_promptly() {
                let done = self.serve_in_line(next, attempt);
                self.clients.take_answer(done, &attempt);
            }
            self.now = next;
            if self.clients.closed() {
                self.close();
                return handled + 1;
            }
        }
        events
    }

    /// The arrivals of sessions with a single request.
    #[inline(never)]
    fn arrivals_at_line(&mut self, events: u64) -> u64 {
        for handled in 0..events {
            let next = self.clients.next_one_shot();
            if next >= self.boundary {
                return handled;
            }
            self.leave_line(next);
            if let Some(attempt) = self.clients.wake_one_shot() {
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

    /// Serves the attempt, and gives the time.
    #[inline(always)]
    fn serve_in_line(&mut self, now: Nanos, attempt: Attempt) -> Nanos {
        let ModelledSystem::FastFcfs(line) = &mut self.system else { return now };
        let Attempt { session, kind, .. } = attempt;
        let job = Job { token: now.0, session, serial: attempt.serial(), kind };
        let departure = line.arrive(now, job);
        let ended = Ended { attempt, fate: Fate::Over, late: false };
        self.record_answer(&departure, &ended, When::ToldLater);
        departure.at
    }
}
