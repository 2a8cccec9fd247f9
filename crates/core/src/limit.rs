//! The end of a run of a workload.

use serde::{Deserialize, Serialize};
use thinktime_file::time::Nanos;

/// The end of a workload, and the requests that count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limit {
    /// At most this many requests that count.
    pub requests: u64,
    /// No request is scheduled at this time or later.
    pub until: Nanos,
    /// Requests scheduled before this time are sent but do not count.
    pub warmup: Nanos,
}

impl Limit {
    /// Whether a request scheduled at this time counts.
    #[must_use]
    pub fn counts(&self, scheduled: Nanos) -> bool {
        scheduled >= self.warmup
    }
}
