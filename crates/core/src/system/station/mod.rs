//! A station: one queue with its servers and its scheduling policy.
//!
//! Small engines carry out every discipline: [`ranked::Ranked`] serves the best-ranking jobs, one
//! on each server; [`shared::Shared`] and [`weighted::Weighted`] serve all at once;
//! [`least_attained::LeastAttained`] serves the jobs with the least service so far, and
//! [`batch::Batch`] several together. They learn of arrivals, say when they next act, and act. A
//! completion is computed from the work, not from the time of the driver's call, so a late driver
//! does not bend the model. [`engine::pace::Pace`] lets one of them serve at a speed that varies,
//! and [`scale::Scale`] lets the first serve with a number of servers that changes.

mod batch;
mod by_kind;
mod engine;
mod least_attained;
mod model;
mod monitor;
mod ranked;
mod ranks;
mod scale;
mod servers;
mod shared;
mod summary;
mod waiting;
mod weighted;

pub use batch::BatchModel;
pub(in crate::system) use by_kind::Left;
pub use engine::pace::PaceModel;
pub use model::{Overload, StationModel};
pub(in crate::system) use monitor::Monitor;
pub use scale::ScaleModel;
pub use summary::{Demands, Flow, KindSummary, ScaleSummary, StationSummary};

use thinktime_file::time::Nanos;

use super::ids::NodeId;
use super::jobs::{Handle, Jobs, Place};
use super::node::{Answer, Build, Building, Detail, Node, NodeSummary, Visit};
use crate::policy::scheduling::Rank;
use engine::Engine;
use ranks::Ranks;

/// A station in motion.
#[derive(Debug)]
pub(super) struct Station {
    engine: Engine,
    /// When the engine next acts: cached, because it is read more often than it changes.
    next: Nanos,
    ranks: Ranks,
    monitor: Monitor,
    /// The number present at which arrivals are refused.
    full_at: u64,
}

impl StationModel {
    /// The station at rest, behind this entry of a node. Its random streams are named by
    /// `number`.
    pub(in crate::system) fn station(
        &self,
        behind: (NodeId, u32),
        number: u64,
        building: &Building<'_>,
    ) -> Station {
        let expected = matches!(self.discipline.rank, Rank::Expected(_, None));
        let means = if expected { building.first_means(behind) } else { Vec::new() };
        let Building { kinds, seed, .. } = *building;
        let monitor = Monitor::new(self.servers, kinds.len());
        let ranks = Ranks::new(number, self, kinds, &means, seed);
        let engine = Engine::new(behind.0, self, (seed, number));
        let full_at = u64::from(self.servers).saturating_add(self.overload.queue_limit);
        Station { engine, next: Nanos::MAX, ranks, monitor, full_at }
    }
}

impl Build for StationModel {
    type Node = Station;

    fn build(&self, id: NodeId, building: &Building<'_>) -> Station {
        self.station((id, 0), self.number.into(), building)
    }
}

impl Station {
    /// A job arrives with its demand; says whether it is admitted.
    #[inline(always)]
    pub(super) fn admit(
        &mut self,
        now: Nanos,
        handle: Handle,
        demand: Nanos,
        jobs: &mut Jobs,
    ) -> bool {
        if self.monitor.number() >= self.full_at {
            return false;
        }
        let job = &mut jobs[handle];
        self.monitor.arrive(now, demand, || job.job.kind);
        (job.entered, job.demand) = (now, demand);
        job.rank = self.ranks.of(now, &job.job, demand);
        self.next = self.engine.arrive(now, handle, jobs);
        true
    }

    /// As [`Node::advance`], inlined for systems of one station.
    #[inline(always)]
    pub(super) fn act(&mut self, now: Nanos, jobs: &mut Jobs) -> Option<Handle> {
        let (done, next) = match &mut self.engine {
            Engine::Ranked(engine) => {
                let lost = jobs.lost.len();
                let done = engine.advance(now, jobs);
                note_lost(&mut self.monitor, now, lost, jobs);
                (done, engine.next_event())
            }
            other => other.advance(now, jobs),
        };
        self.next = next;
        if let Some(handle) = done {
            self.monitor.depart(now, || {
                let job = &jobs[handle];
                Left { kind: job.job.kind, served: job.demand }
            });
        }
        done
    }

    pub(super) fn monitor(&self) -> &Monitor {
        &self.monitor
    }

    /// As [`Node::summary`] gives.
    pub(super) fn figures(&self, now: Nanos, detail: Detail) -> StationSummary {
        StationSummary { scale: self.engine.scale(now), ..self.monitor.summary(now, detail) }
    }
}

/// Those that the engine has given up leave, from this place on in their list.
fn note_lost(monitor: &mut Monitor, now: Nanos, from: usize, jobs: &Jobs) {
    for (handle, _) in &jobs.lost[from..] {
        let job = &jobs[*handle];
        monitor
            .depart(now, || Left { kind: job.job.kind, served: job.demand.since(job.remaining) });
    }
}

impl Node for Station {
    #[inline(always)]
    fn arrive(&mut self, now: Nanos, visit: Visit, jobs: &mut Jobs) -> Answer {
        match self.admit(now, visit.handle, visit.demand, jobs) {
            true => Answer::Stays,
            false => Answer::Refused,
        }
    }

    #[inline]
    fn next_event(&self) -> Nanos {
        self.next
    }

    #[inline]
    fn advance(&mut self, now: Nanos, jobs: &mut Jobs) -> Option<Handle> {
        self.act(now, jobs)
    }

    fn withdraw(&mut self, now: Nanos, handle: Handle, jobs: &mut Jobs) -> bool {
        let Station { engine, monitor, .. } = self;
        monitor.depart(now, || {
            let served = engine.served(now, handle, jobs);
            Left { kind: jobs[handle].job.kind, served }
        });
        let lost = jobs.lost.len();
        let in_service = matches!(jobs[handle].place, Place::Service(_));
        self.next = self.engine.withdraw(now, (handle, in_service), jobs);
        note_lost(&mut self.monitor, now, lost, jobs);
        !in_service
    }

    fn begin_measuring(&mut self, now: Nanos) {
        self.monitor.begin(now);
        self.engine.begin_measuring(now);
    }

    fn summary(&self, now: Nanos, detail: Detail) -> Option<NodeSummary> {
        Some(NodeSummary::Station(self.figures(now, detail)))
    }
}
