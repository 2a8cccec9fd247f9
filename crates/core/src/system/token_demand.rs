//! The demand of a request at a server of tokens: the least time that its steps take there.

use thinktime_file::time::Nanos;

use crate::attempt::TokenCounts;
use crate::request::Tokens;

/// The demand of requests of one kind. In full batches the time of a step is shared by as many
/// requests as there may be; each also has the times of its own.
#[derive(Clone, Debug)]
pub struct TokenDemand {
    /// Of each step of a request, in nanoseconds.
    step: f64,
    /// Of each token of its prompt, in nanoseconds.
    prompt_token: f64,
    /// The most tokens of a prompt in a step; `None` if it is read at once.
    chunk: Option<u32>,
    /// `None` if the workload does not give them.
    tokens: Option<Tokens>,
}

impl TokenDemand {
    pub(super) fn new(step: f64, prompt_token: Nanos, chunk: Option<u32>) -> TokenDemand {
        TokenDemand { step, prompt_token: prompt_token.as_f64(), chunk, tokens: None }
    }

    pub(super) fn set_tokens(&mut self, tokens: Option<&Tokens>) {
        self.tokens = tokens.cloned();
    }

    /// Whether the tokens are known.
    #[must_use]
    pub fn has_tokens(&self) -> bool {
        self.tokens.is_some()
    }

    /// The demand of one request, by the number that names its draws.
    pub(super) fn draw(&self, session: u64, serial: u64) -> Nanos {
        let Some(tokens) = &self.tokens else { return Nanos::ZERO };
        self.of_counts(tokens.of_request(session, serial))
    }

    /// The demand of a request with these tokens.
    pub(super) fn of_counts(&self, TokenCounts { prompt, output }: TokenCounts) -> Nanos {
        let pieces = self.chunk.map_or(1, |chunk| prompt.div_ceil(chunk));
        // The step that reads the last piece gives the first token.
        let steps = f64::from(pieces) + f64::from(output) - 1.0;
        Nanos::nearest(steps * self.step + f64::from(prompt) * self.prompt_token)
    }

    /// The mean in seconds; 0 if the tokens are not known.
    #[must_use]
    pub fn mean(&self) -> f64 {
        let Some(tokens) = &self.tokens else { return 0.0 };
        let pieces = self.chunk.map_or(1.0, |chunk| tokens.prompt_pieces_mean(chunk));
        let steps = pieces + tokens.output_mean() - 1.0;
        // Of prompts whose tokens take no time the mean is not needed.
        let prompt = if self.prompt_token > 0.0 { tokens.prompt_pieces_mean(1) } else { 0.0 };
        (steps * self.step + prompt * self.prompt_token) * 1e-9
    }

    /// The supremum of the powers whose moment is finite.
    #[must_use]
    pub fn tail_index(&self) -> f64 {
        self.tokens.as_ref().map_or(f64::INFINITY, Tokens::tail_index)
    }
}
