//! What a server has done.

use std::collections::BTreeMap;

use serde::Serialize;
use thinktime_core::record::TokenServerFigures;
use thinktime_core::time::Nanos;

/// The work of a server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ServeTotals {
    /// Requests that were answered.
    pub requests: u64,
    /// Requests that were answered with an error.
    pub refused: u64,
}

/// The work of servers of tokens.
#[derive(Clone, Debug, Serialize)]
pub struct TokenTotals {
    /// Their figures by name, from the beginning of serving on.
    pub servers: BTreeMap<String, TokenServerFigures>,
    /// Requests whose clients left before the end of the response.
    pub cancellations: u64,
    /// How late tokens were.
    pub lateness: Lateness,
}

/// How much later than the model's times tokens were given.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Lateness {
    /// The mean in seconds.
    pub mean_s: f64,
    /// The largest in seconds.
    pub max_s: f64,
    #[serde(skip)]
    count: u64,
}

impl Lateness {
    /// This many tokens were as late as this.
    pub(super) fn add(&mut self, late: Nanos, tokens: usize) {
        let late_s = late.as_secs_f64();
        self.count += tokens as u64;
        self.mean_s += (late_s - self.mean_s) * tokens as f64 / self.count as f64;
        self.max_s = self.max_s.max(late_s);
    }
}
