//! The time at which requests end to begin.

use thinktime_file::time::Nanos;

use super::Clients;

impl Clients {
    /// No request begins at this time or later.
    #[inline]
    #[must_use]
    pub fn until(&self) -> Nanos {
        self.limit.until
    }

    /// Begins no request at this time or later; those begun are still waited for.
    pub fn end_at(&mut self, until: Nanos) {
        self.limit.until = self.limit.until.min(until);
    }
}
