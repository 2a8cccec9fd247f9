//! The requests in the system.

use super::{DemandSource, Job, System};

impl<D: DemandSource> System<D> {
    /// The requests that have arrived and whose departures have not been given.
    pub fn inside(&self) -> impl Iterator<Item = &Job> {
        self.jobs.requests().chain(self.leaving.iter().map(|departure| &departure.job))
    }
}
