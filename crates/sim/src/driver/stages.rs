//! What happens to a replication at given times: its warm-up and its measured time end, the number
//! in the system is noted, requests are waited for no longer.

use thinktime_core::attempt::{Attempt, Fate};
use thinktime_core::failure::UNANSWERED;
use thinktime_core::record::{Row, RowSink};
use thinktime_core::time::Nanos;

use super::Driver;
use crate::modelled_system::ModelledSystem;

impl<S: RowSink> Driver<'_, S> {
    /// Those leave the line whose time has come; the clients know already.
    #[inline(always)]
    pub(super) fn leave_line(&mut self, now: Nanos) {
        let ModelledSystem::FastFcfs(line) = &mut self.system else { return };
        while let Some(left) = line.leave(now) {
            if !self.clients.closed() {
                self.collector.completed(left.at);
            } else if self.limit.counts(left.came) {
                self.collector.unfinished(left.at.since(left.came));
            }
        }
    }

    /// Handles what is due before `next`, the next event, or for lack of one; says whether the
    /// event is to be handled.
    #[cold]
    pub(super) fn goes_on_at(&mut self, next: Nanos) -> bool {
        if next.is_never() {
            self.run_out();
            return false;
        }
        self.pass_boundaries(next);
        if next >= self.drain_end {
            self.now = self.drain_end;
            self.give_up();
            return false;
        }
        true
    }

    /// Arrivals have come to an end before the limit did, and everybody has been served.
    pub(super) fn run_out(&mut self) {
        self.empty_line();
        if !self.limit.until.is_never() {
            self.pass_boundaries(self.limit.until);
        }
        self.close();
    }

    /// Handles the times up to `next` at which something is noted or begins.
    pub(super) fn pass_boundaries(&mut self, next: Nanos) {
        loop {
            self.boundary = self.stage_end.min(self.note_at).min(self.drain_end);
            if next >= self.drain_end && self.boundary == self.drain_end {
                return;
            }
            if next < self.boundary || self.boundary.is_never() {
                return;
            }
            // What is due at the boundary itself comes after it.
            self.leave_line(Nanos(self.boundary.0.saturating_sub(1)));
            if self.boundary == self.stage_end {
                self.end_stage();
            } else {
                let number = self.system.number();
                self.note_at = self.collector.note_in_server(self.note_at, number);
            }
        }
    }

    /// The warm-up or the measured time ends.
    pub(super) fn end_stage(&mut self) {
        let at = self.stage_end;
        if at == self.limit.warmup && at < self.limit.until {
            self.system.begin_measuring(at);
            self.stage_end = self.limit.until;
        } else {
            if self.measured.is_none() {
                self.measured = Some(self.system.measured(at));
            }
            self.stage_end = Nanos::MAX;
        }
    }

    /// No further request is begun: the measured time has ended.
    pub(super) fn close(&mut self) {
        if self.measured.is_none() {
            self.measured = Some(self.system.measured(self.now));
        }
        if self.retries && self.drain_end.is_never() {
            // As long again as it has lasted.
            self.drain_end = self.now + self.now;
            self.boundary = self.boundary.min(self.drain_end);
        }
    }

    /// What has not ended by now has failed.
    pub(super) fn give_up(&mut self) {
        let waiting: Vec<Attempt> =
            self.clients.waiting().chain(self.clients.between_attempts(self.now)).collect();
        for attempt in waiting {
            let row = self.row(attempt, Fate::Over, self.now);
            self.record(&Row { sent: attempt.scheduled, error: Some(UNANSWERED), ..row });
        }
        self.gave_up = true;
    }

    /// Those who are still in the line leave it; the clients know already.
    pub(super) fn empty_line(&mut self) {
        if let ModelledSystem::FastFcfs(line) = &self.system
            && let Some(last) = line.last_leaves()
        {
            self.pass_boundaries(last);
            self.leave_line(last);
        }
    }
}
