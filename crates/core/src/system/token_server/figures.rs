//! What is counted of a server of tokens, and its averages over time.

use thinktime_file::time::Nanos;

use super::model::StepShares;
use super::summary::TokenServerSummary;
use crate::statistics::Tally;
use crate::system::node::Detail;

/// Counts, and integrals over time.
#[derive(Debug)]
pub(super) struct Figures {
    began: Nanos,
    counts: TokenServerSummary,
    integrals: Integrals,
}

/// Integrals over time, in nanoseconds.
#[derive(Clone, Copy, Debug)]
struct Integrals {
    /// The time up to which they are known.
    until: Nanos,
    running: f64,
    held: f64,
    needed: StepShares,
}

/// The state from one change to the next.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct State {
    /// The requests in the batch.
    pub(super) running: u64,
    /// The tokens in memory.
    pub(super) held: u64,
    /// The shares of the present step's time that full steps would need.
    pub(super) needed: StepShares,
}

impl Integrals {
    fn at(now: Nanos) -> Integrals {
        Integrals { until: now, running: 0.0, held: 0.0, needed: StepShares::default() }
    }

    fn pass(&mut self, now: Nanos, state: State) {
        let time = now.since(self.until).as_f64();
        self.until = now;
        self.running += time * state.running as f64;
        self.held += time * state.held as f64;
        self.needed.places += time * state.needed.places;
        self.needed.all += time * state.needed.all;
    }
}

impl Figures {
    pub(super) fn new(kinds: usize) -> Figures {
        Figures::at(Nanos::ZERO, kinds)
    }

    fn at(now: Nanos, kinds: usize) -> Figures {
        let gaps = vec![Tally::default(); kinds];
        let counts = TokenServerSummary { gaps, ..TokenServerSummary::default() };
        Figures { began: now, counts, integrals: Integrals::at(now) }
    }

    /// Forgets the past.
    pub(super) fn begin(&mut self, now: Nanos) {
        *self = Figures::at(now, self.counts.gaps.len());
    }

    /// All has been in this state since the last change.
    #[inline]
    pub(super) fn pass(&mut self, now: Nanos, state: State) {
        self.integrals.pass(now, state);
        self.counts.running_max = self.counts.running_max.max(state.running);
        self.counts.memory_max = self.counts.memory_max.max(state.held);
    }

    pub(super) fn step_ended(&mut self, prompt_tokens: u64) {
        self.counts.steps += 1;
        self.counts.prompt_tokens += prompt_tokens;
    }

    #[inline]
    pub(super) fn token(&mut self, kind: u32, gap: Option<Nanos>) {
        self.counts.output_tokens += 1;
        if let Some(gap) = gap {
            self.counts.gaps[kind as usize].add(gap);
        }
    }

    pub(super) fn preempted(&mut self) {
        self.counts.preemptions += 1;
    }

    /// The averages up to now, and the share of the time that steps with all places taken would
    /// have needed.
    pub(super) fn summary(
        &self,
        now: Nanos,
        state: State,
        detail: Detail,
    ) -> (TokenServerSummary, f64) {
        let mut integrals = self.integrals;
        integrals.pass(now, state);
        let span = now.since(self.began).as_f64();
        let average = |integral: f64| if span > 0.0 { integral / span } else { 0.0 };
        let counts = &self.counts;
        let gaps = match detail {
            Detail::Whole => counts.gaps.clone(),
            Detail::Averages => Vec::new(),
        };
        let summary = TokenServerSummary {
            duration_s: span * 1e-9,
            running_mean: average(integrals.running),
            running_max: counts.running_max.max(state.running),
            memory_mean: average(integrals.held),
            memory_max: counts.memory_max.max(state.held),
            fullness: average(integrals.needed.all),
            steps: counts.steps,
            preemptions: counts.preemptions,
            prompt_tokens: counts.prompt_tokens,
            output_tokens: counts.output_tokens,
            gaps,
        };
        (summary, average(integrals.needed.places))
    }
}
