//! The events of a replication at given times: its warm-up and its measured time end, the number in
//! the system is recorded, the wait for requests ends.

use thinktime_core::attempt::{Attempt, Fate};
use thinktime_core::failure::UNANSWERED;
use thinktime_core::record::Row;
use thinktime_core::time::Nanos;

use super::dead_end::CLOCK_END;
use super::{Driver, Stall};
use crate::modelled_system::ModelledSystem;

impl<M: ModelledSystem> Driver<'_, M> {
    /// Requests whose time has come leave the line; the clients know already.
    #[inline(always)]
    pub(super) fn leave_line(&mut self, now: Nanos) {
        while let Some(left) = self.system.leave(now) {
            if !self.clients.closed() {
                self.collector.completed(left.at);
            } else if self.limit.counts(left.came) {
                self.collector.unfinished(left.at.since(left.came));
            }
        }
    }

    /// Handles the events that are due before `next`, the next event, or all if there is none; says
    /// whether to handle that event.
    #[cold]
    pub(super) fn goes_on_at(&mut self, next: Nanos) -> bool {
        if self.clients.closed() && self.is_over() {
            return false;
        }
        if next.is_never() {
            match self.dead_end() {
                None => self.run_out(),
                Some(stuck) => self.stop_at(stuck),
            }
            return false;
        }
        self.pass_boundaries(next.min(CLOCK_END));
        if next >= CLOCK_END {
            self.stop_at(Stall::ClockEnd { at: self.now });
            return false;
        }
        if next >= self.drain_end {
            self.now = self.drain_end;
            self.give_up();
            return false;
        }
        if self.clients.closed() {
            self.boundary = Nanos::ZERO;
        }
        true
    }

    /// Whether all is over, once no further request begins.
    fn is_over(&mut self) -> bool {
        self.close();
        if !self.clients.done() {
            return false;
        }
        self.empty_line();
        self.dead_end().into_iter().for_each(|stuck| self.stop_at(stuck));
        true
    }

    /// Arrivals ended before the limit, and all requests have been served.
    pub(super) fn run_out(&mut self) {
        self.empty_line();
        if !self.limit.until.is_never() {
            self.pass_boundaries(self.limit.until);
        }
        self.close();
    }

    /// Handles the times up to `next` at which a value is recorded or a phase begins.
    pub(super) fn pass_boundaries(&mut self, next: Nanos) {
        loop {
            self.boundary = self.stage_end.min(self.note_at).min(self.drain_end);
            if next >= self.drain_end && self.boundary == self.drain_end {
                return;
            }
            if next < self.boundary || self.boundary.is_never() {
                return;
            }
            // Events at the boundary itself come after it.
            self.leave_line(Nanos(self.boundary.0.saturating_sub(1)));
            if self.boundary == self.stage_end {
                self.end_stage();
            } else {
                let number = self.system.number();
                self.mark(self.note_at);
                self.note_at = self.collector.note_in_server(self.note_at, number);
            }
        }
    }

    /// Notes the nodes' figures, if they are wanted again by now.
    fn mark(&mut self, now: Nanos) {
        if let Some(checkpoints) = self.checkpoints.as_mut().filter(|one| one.is_due(now))
            && self.measured.is_none()
        {
            checkpoints.mark(now, self.system.averages(now));
        }
    }

    /// The warm-up or the measured time ends.
    pub(super) fn end_stage(&mut self) {
        let at = self.stage_end;
        if at == self.limit.warmup && at < self.limit.until {
            self.system.begin_measuring(at);
            self.number_before = self.system.number();
            self.stage_end = self.limit.until;
        } else {
            if self.measured.is_none() {
                self.measured = Some(self.system.measured(at, self.number_before));
            }
            self.stage_end = Nanos::MAX;
        }
    }

    /// No further request begins: the measured time has ended.
    pub(super) fn close(&mut self) {
        if self.measured.is_none() {
            self.measured = Some(self.system.measured(self.now, self.number_before));
        }
        if self.retries && self.drain_end.is_never() {
            // As long again as it has lasted.
            self.drain_end = self.now + self.now;
        }
        self.boundary = Nanos::ZERO;
    }

    /// A request that has not ended by now has failed.
    pub(super) fn give_up(&mut self) {
        self.clients.end_copies(self.now);
        self.take_asides();
        let waiting: Vec<Attempt> =
            self.clients.waiting().chain(self.clients.between_attempts(self.now)).collect();
        for attempt in waiting {
            let row = self.row(attempt, Fate::Over, self.now);
            self.record(&Row { sent: attempt.due, error: Some(UNANSWERED), ..row });
        }
        self.gave_up = true;
    }

    /// The requests that are still in the line leave it; the clients know already.
    pub(super) fn empty_line(&mut self) {
        if let Some(last) = self.system.last_leaves() {
            self.pass_boundaries(last);
            self.leave_line(last);
            if last >= CLOCK_END {
                self.stop_at(Stall::ClockEnd { at: self.now });
            }
        }
    }
}
