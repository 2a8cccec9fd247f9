//! The failures of a station, in motion.

use thinktime_file::time::Nanos;

use super::model::FailureLaw;
use crate::random::StreamFamily;

#[derive(Debug)]
pub(super) struct Failures {
    law: FailureLaw,
    draws: StreamFamily,
    drawn: u64,
    is_up: bool,
    /// Whether the time to the next failure passes.
    passes: bool,
    /// When it next fails, if that time passes, or is repaired.
    at: Nanos,
    /// The time to the next failure, if it does not pass.
    left: Nanos,
}

/// This many failures before the present one are remembered.
const CYCLES_MAX: f64 = 100_000.0;

impl Failures {
    /// Of a station that has just been repaired.
    pub(super) fn new(law: FailureLaw, draws: StreamFamily) -> Failures {
        let passes = !law.by_work;
        let (at, left) = (Nanos::ZERO, Nanos::ZERO);
        let mut new = Failures { law, draws, drawn: 0, is_up: false, passes, at, left };
        new.change();
        new
    }

    pub(super) fn is_up(&self) -> bool {
        self.is_up
    }

    /// When it next fails or is repaired, if its work does not begin or end before.
    pub(super) fn next(&self) -> Nanos {
        if self.is_up && !self.passes { Nanos::MAX } else { self.at }
    }

    /// It fails or is repaired, as is due at [`Failures::next`].
    pub(super) fn change(&mut self) {
        self.is_up = !self.is_up;
        let law = if self.is_up { &self.law.after } else { &self.law.repair };
        let drawn = law.sample(&mut self.draws.stream(self.drawn));
        self.drawn += 1;
        // At least 1 ns, so that time passes.
        let lasts = Nanos::from_secs_f64(drawn).max(Nanos(1));
        (self.at, self.left) = (self.at + lasts, lasts);
    }

    /// Makes up for the time to now. A station that is empty for very long forgets when it failed
    /// before: an event takes time to simulate.
    pub(super) fn catch_up(&mut self, now: Nanos) {
        let remembered = Nanos::from_secs_f64(CYCLES_MAX * self.law.cycle_s());
        if self.next() <= now {
            self.at = self.at.max(Nanos(now.0.saturating_sub(remembered.0)));
        }
        while self.next() <= now {
            self.change();
        }
    }

    /// Whether the station works from now on, as far as failures allow.
    pub(super) fn set_work(&mut self, now: Nanos, works: bool) {
        if !self.law.by_work || works == self.passes {
            return;
        }
        self.passes = works;
        match (self.is_up, works) {
            (true, true) => self.at = now + self.left,
            (true, false) => self.left = self.at.since(now),
            // A repair does not wait for work.
            (false, _) => {}
        }
    }
}
