//! The figures of servers of tokens.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::system::token_server::TokenServerSummary;

/// A server of tokens over the measured time. Its queue is among the stations.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TokenServerFigures {
    /// The number of steps that ended.
    pub steps: u64,
    /// The mean number of requests in the batch; 0 while there is no step.
    pub running_mean: f64,
    /// The largest number.
    pub running_max: u64,
    /// The mean number of tokens in memory.
    pub memory_mean: f64,
    /// The largest number.
    pub memory_max: u64,
    /// The share of the time that its steps would have taken if all had been full: of requests, of
    /// tokens of prompts or of tokens in memory, whichever is the closest to full.
    pub fullness: f64,
    /// How often a request lost its memory to another.
    pub preemptions: u64,
    /// The tokens that were read, a second: those of prompts, and after preemptions those of the
    /// response so far.
    pub prompt_token_rate: f64,
    /// The tokens that were given, a second.
    pub output_token_rate: f64,
}

impl TokenServerFigures {
    /// From what a server counted.
    #[must_use]
    pub fn new(server: &TokenServerSummary) -> TokenServerFigures {
        let rate = |number: u64| match server.duration_s > 0.0 {
            true => number as f64 / server.duration_s,
            false => 0.0,
        };
        TokenServerFigures {
            steps: server.steps,
            running_mean: server.running_mean,
            running_max: server.running_max,
            memory_mean: server.memory_mean,
            memory_max: server.memory_max,
            fullness: server.fullness,
            preemptions: server.preemptions,
            prompt_token_rate: rate(server.prompt_tokens),
            output_token_rate: rate(server.output_tokens),
        }
    }
}
