//! Whether a client waits for a response for as long as it takes.

use thinktime_file::workload::RetryWhen;

use super::RequestKind;

impl RequestKind {
    /// Whether its client gives each attempt up that takes too long.
    #[must_use]
    pub fn gives_up(&self) -> bool {
        !self.timeout.is_never() && self.retry.when == RetryWhen::Timeout
    }

    /// Whether its client gives the request up at last, and does not try again without an end.
    #[must_use]
    pub fn is_impatient(&self) -> bool {
        self.gives_up() && self.retry.attempts < u32::MAX
    }
}
