//! The quick way through a system that is one station alone.
//!
//! There a request has no steps to go through: it comes to the station, and leaves when it is done.

use super::jobs::{Jobs, NOBODY};
use super::node::{Building, Node, NodeId};
use super::station::{Overload, Station, StationSummary};
use super::{DemandSource, Departure, DoorId, Job, Program, SystemModel};
use crate::time::Nanos;

/// One station that lets everybody in, whatever its policy.
#[derive(Debug)]
pub struct Lone<D> {
    demands: D,
    station: Station,
    jobs: Jobs,
}

impl<D: DemandSource> Lone<D> {
    /// An empty station, where the system is nothing else; `demands` are given back where it is
    /// not. The parameters are those of [`System::new`](super::System::new).
    pub fn new(
        model: &SystemModel,
        program: &Program,
        kinds: &[&str],
        demands: D,
        seed: u64,
    ) -> Result<Lone<D>, D> {
        let all_visit = program.laws.iter().all(|draws| draws.iter().all(Option::is_some));
        let only = match model.only_station() {
            Some(only) if only.overload == Overload::NONE && all_visit => only,
            _ => return Err(demands),
        };
        let building = Building { doors: &model.doors, program, kinds, seed };
        let station = only.station(NodeId(0), &building);
        Ok(Lone { demands, station, jobs: Jobs::default() })
    }

    /// A request arrives. `now` must not be before any earlier event.
    #[inline(always)]
    pub fn arrive(&mut self, now: Nanos, job: Job) {
        let demand = self.demands.demand(&job, 0).unwrap_or_default();
        let handle = self.jobs.add(job, 0, NOBODY);
        let let_in = self.station.let_in(now, handle, demand, &mut self.jobs);
        debug_assert!(let_in, "the queue has no limit");
    }

    /// When the station next wants to act; [`Nanos::MAX`] when it is empty.
    #[inline(always)]
    #[must_use]
    pub fn next_event(&self) -> Nanos {
        self.station.next_event()
    }

    /// Acts on what is due at [`Lone::next_event`], which is `now`. Perhaps a request leaves.
    #[inline(always)]
    pub fn advance(&mut self, now: Nanos) -> Option<Departure> {
        let handle = self.station.advance(now, &mut self.jobs)?;
        let visitor = &self.jobs[handle];
        let (job, demand) = (visitor.job, visitor.demand);
        self.jobs.remove(handle);
        Some(Departure { job, at: now, station: DoorId(0), demand, error: None })
    }

    /// Those who are here.
    #[must_use]
    pub fn number(&self) -> u64 {
        self.station.monitor().number()
    }

    /// Those who are here.
    pub fn inside(&self) -> impl Iterator<Item = &Job> {
        self.jobs.requests()
    }

    /// Begins the time averages anew.
    pub fn begin_measuring(&mut self, now: Nanos) {
        self.station.begin_measuring(now);
    }

    /// The time averages so far.
    #[must_use]
    pub fn summary(&self, now: Nanos) -> StationSummary {
        self.station.monitor().summary(now)
    }
}
