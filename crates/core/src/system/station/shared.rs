//! All jobs in service at once, at equal shares of the servers.

use thinktime_file::time::Nanos;

use super::super::equal_shares::EqualShares;
use super::super::ids::NodeId;
use super::super::jobs::{Handle, Jobs, Place};

#[derive(Debug)]
pub(super) struct Shared {
    station: NodeId,
    jobs: EqualShares<Handle>,
}

impl Shared {
    pub(super) fn new(station: NodeId, servers: u32) -> Shared {
        Shared { station, jobs: EqualShares::new(servers) }
    }

    #[inline]
    pub(super) fn next_event(&self) -> Nanos {
        self.jobs.next_event()
    }

    #[inline(always)]
    pub(super) fn arrive(&mut self, now: Nanos, handle: Handle, jobs: &mut Jobs) {
        let job = &mut jobs[handle];
        job.place = Place::Service(self.station);
        self.jobs.push(now, job.demand, handle);
    }

    /// The next departure, which is due at [`Shared::next_event`].
    #[inline(always)]
    pub(super) fn advance(&mut self, now: Nanos) -> Option<Handle> {
        self.jobs.pop(now)
    }

    /// The rest of a present job.
    pub(super) fn left(&mut self, now: Nanos, handle: Handle) -> Nanos {
        self.jobs.left(now, |one| *one == handle)
    }

    /// A job leaves unfinished.
    pub(super) fn withdraw(&mut self, now: Nanos, handle: Handle) {
        self.jobs.remove(now, |one| *one == handle);
    }
}
