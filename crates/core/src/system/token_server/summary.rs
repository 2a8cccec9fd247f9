//! The figures of a server of tokens over the measured time.

use serde::{Deserialize, Serialize};

use crate::statistics::Tally;

/// The figures of a server of tokens over the measured time.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct TokenServerSummary {
    /// The length of the measured time.
    pub duration_s: f64,
    /// The number of steps that ended.
    pub steps: u64,
    /// The mean number of requests in the batch.
    pub running_mean: f64,
    /// The largest number.
    pub running_max: u64,
    /// The mean number of tokens in memory.
    pub memory_mean: f64,
    /// The largest number.
    pub memory_max: u64,
    /// The share of the time that its steps would have taken if all had been full: of requests, of
    /// tokens of prompts or of tokens in memory.
    pub fullness: f64,
    /// How often a request lost its memory.
    pub preemptions: u64,
    /// The tokens that were read: of prompts, and after preemptions.
    pub prompt_tokens: u64,
    /// The tokens that were given.
    pub output_tokens: u64,
    /// The times between two tokens of a response, by kind of request.
    pub gaps: Vec<Tally>,
}

impl TokenServerSummary {
    /// Averages with another measurement, each weighted by its length.
    pub(in crate::system) fn join(&mut self, other: &TokenServerSummary) {
        let whole = self.duration_s + other.duration_s;
        let over_time = |mine: f64, theirs: f64| match whole > 0.0 {
            true => (mine * self.duration_s + theirs * other.duration_s) / whole,
            false => 0.0,
        };
        self.running_mean = over_time(self.running_mean, other.running_mean);
        self.memory_mean = over_time(self.memory_mean, other.memory_mean);
        self.fullness = over_time(self.fullness, other.fullness);
        self.running_max = self.running_max.max(other.running_max);
        self.memory_max = self.memory_max.max(other.memory_max);
        self.steps += other.steps;
        self.preemptions += other.preemptions;
        self.prompt_tokens += other.prompt_tokens;
        self.output_tokens += other.output_tokens;
        self.gaps.iter_mut().zip(&other.gaps).for_each(|(mine, theirs)| mine.merge(theirs));
        self.duration_s = whole;
    }
}
