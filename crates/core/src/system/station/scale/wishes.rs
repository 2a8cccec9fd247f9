//! The number of servers that a rule has wanted of late.

use std::collections::VecDeque;

use thinktime_file::time::Nanos;

/// Servers go only once fewer have been wanted for some time: the number that counts is the largest
/// of those wanted within this time, as the stabilization window of Kubernetes has it.
#[derive(Clone, Debug)]
pub(super) struct Wishes {
    window: Nanos,
    present: u32,
    /// Larger ones from before, each with the time at which it is forgotten: the largest, which is
    /// forgotten first, in front.
    before: VecDeque<(Nanos, u32)>,
}

impl Wishes {
    pub(super) fn new(window: Nanos, present: u32) -> Wishes {
        Wishes { window, present, before: VecDeque::new() }
    }

    pub(super) fn set(&mut self, now: Nanos, wanted: u32) {
        if wanted < self.present && self.window > Nanos::ZERO {
            self.before.push_back((now + self.window, self.present));
        }
        self.present = wanted;
        while self.before.back().is_some_and(|(_, larger)| *larger <= wanted) {
            self.before.pop_back();
        }
    }

    /// Forgets what was wanted too long ago.
    pub(super) fn pass(&mut self, now: Nanos) {
        while self.before.front().is_some_and(|(until, _)| *until <= now) {
            self.before.pop_front();
        }
    }

    /// When it next forgets one.
    pub(super) fn next(&self) -> Nanos {
        self.before.front().map_or(Nanos::MAX, |(until, _)| *until)
    }

    pub(super) fn most(&self) -> u32 {
        self.before.front().map_or(self.present, |(_, largest)| *largest)
    }
}
