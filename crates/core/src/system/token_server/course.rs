//! A request at a server of tokens.

use thinktime_file::time::Nanos;

use crate::attempt::{EventTimes, TokenCounts};

/// A request's course through the steps.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Course {
    pub(super) counts: TokenCounts,
    /// The tokens that it has been given, and when.
    pub(super) events: EventTimes,
    /// The tokens that are to be read before its next one.
    pub(super) unread: u64,
    /// Of these, the ones that the present step reads.
    pub(super) reading: u64,
    /// The tokens that it has in memory.
    pub(super) held: u64,
}

/// What a step gave to a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StepOutcome {
    /// Its prompt is not read yet.
    Nothing,
    /// A token, this long after the one before, if there was one.
    Token(Option<Nanos>),
}

impl Course {
    pub(super) fn new(counts: TokenCounts) -> Course {
        Course { counts, ..Course::default() }
    }

    /// The most memory that it takes: its last token is never read.
    pub(super) fn memory_max(&self) -> u64 {
        u64::from(self.counts.prompt) + u64::from(self.counts.output) - 1
    }

    /// The tokens that it must read, and have in memory, before it can be given one.
    pub(super) fn memory_needed(&self) -> u64 {
        u64::from(self.counts.prompt) + u64::from(self.events.count)
    }

    pub(super) fn is_done(&self) -> bool {
        self.events.count >= self.counts.output
    }

    /// Plans what the next step reads, of at most this many tokens.
    pub(super) fn plan(&mut self, most: u64) -> u64 {
        self.reading = self.unread.min(most);
        self.reading
    }

    /// Whether the planned step works for it.
    pub(super) fn is_in_step(&self) -> bool {
        self.unread == 0 || self.reading > 0
    }

    /// A step ends.
    pub(super) fn step(&mut self, now: Nanos) -> StepOutcome {
        self.unread -= self.reading;
        let waits = self.unread > 0;
        self.reading = 0;
        if waits {
            return StepOutcome::Nothing;
        }
        let EventTimes { count, first, last, tokens } = &mut self.events;
        let gap = (*count > 0).then(|| now.since(*last));
        if *count == 0 {
            *first = now;
        }
        (*count, *last) = (*count + 1, now);
        *tokens = TokenCounts { output: *count, ..self.counts };
        StepOutcome::Token(gap)
    }

    /// It gives its memory back.
    pub(super) fn release(&mut self) -> u64 {
        (self.unread, self.reading) = (0, 0);
        std::mem::take(&mut self.held)
    }
}
