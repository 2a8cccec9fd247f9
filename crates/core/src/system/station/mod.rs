//! A station: one queue with its servers and its scheduling policy.
//!
//! Small engines carry out every discipline: [`ranked::Ranked`] serves the best-ranking jobs, one
//! on each server; [`shared::Shared`] and [`weighted::Weighted`] serve all at once;
//! [`least_attained::LeastAttained`] serves the jobs with the least service so far, and
//! [`batch::Batch`] several together. They learn of arrivals, say when they next act, and act. A
//! completion is computed from the work, not from the time of the driver's call, so a late driver
//! does not bend the model. [`pace::Pace`] lets one of them serve at a speed that varies.

mod batch;
mod by_kind;
mod least_attained;
mod model;
mod monitor;
mod pace;
mod ranked;
mod ranks;
mod servers;
mod shared;
mod summary;
mod waiting;
mod weighted;

pub use batch::BatchModel;
pub(in crate::system) use by_kind::Left;
pub use model::{Overload, StationModel};
pub(in crate::system) use monitor::Monitor;
pub use pace::PaceModel;
pub use summary::{Demands, Flow, KindSummary, StationSummary};

use thinktime_file::time::Nanos;

use super::ids::NodeId;
use super::jobs::{Handle, Jobs, Place, Visitor};
use super::node::{Answer, Build, Building, Detail, Node, NodeSummary, Visit};
use crate::policy::scheduling::{Rank, Ties};
use batch::Batch;
use least_attained::LeastAttained;
use pace::Pace;
use ranked::Ranked;
use ranks::Ranks;
use shared::Shared;
use weighted::Weighted;

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

#[derive(Debug)]
enum Engine {
    Ranked(Ranked),
    Shared(Shared),
    LeastAttained(LeastAttained),
    /// In a box, so that other stations stay small.
    Weighted(Box<Weighted>),
    /// In a box, so that other stations stay small.
    Batch(Box<Batch>),
    /// In a box, so that other stations stay small.
    Pace(Box<Pace>),
}

impl Engine {
    /// That of a station whose speed does not vary.
    fn new(id: NodeId, model: &StationModel, streams: (u64, u64)) -> Engine {
        if let Some(batch) = model.batch {
            return Engine::Batch(Box::new(Batch::new(id, batch)));
        }
        match (&model.discipline.ties, &model.discipline.rank) {
            (Ties::Share, Rank::Attained) => {
                Engine::LeastAttained(LeastAttained::new(id, model.servers))
            }
            (Ties::Share, Rank::Weight) => Engine::Weighted(Box::new(Weighted::new(id))),
            (Ties::Share, _) => Engine::Shared(Shared::new(id, model.servers)),
            _ => Engine::Ranked(Ranked::new(id, model, streams)),
        }
    }

    #[inline(always)]
    fn next_event(&self) -> Nanos {
        match self {
            Engine::Ranked(engine) => engine.next_event(),
            Engine::Shared(engine) => engine.next_event(),
            Engine::LeastAttained(engine) => engine.next_event(),
            Engine::Weighted(engine) => engine.next_event(),
            Engine::Batch(engine) => engine.next_event(),
            Engine::Pace(engine) => engine.next_event(),
        }
    }

    /// A job arrives. Gives the next event, as all that follow.
    #[inline(always)]
    fn arrive(&mut self, now: Nanos, handle: Handle, jobs: &mut Jobs) -> Nanos {
        match self {
            Engine::Ranked(engine) => {
                engine.arrive(now, handle, jobs);
                engine.next_event()
            }
            Engine::Shared(engine) => {
                engine.arrive(now, handle, jobs);
                engine.next_event()
            }
            Engine::LeastAttained(engine) => {
                engine.arrive(now, handle, jobs);
                engine.next_event()
            }
            Engine::Weighted(engine) => {
                engine.arrive(now, handle, jobs);
                engine.next_event()
            }
            Engine::Batch(engine) => engine.arrive(now, handle, jobs),
            Engine::Pace(engine) => engine.arrive(now, handle, jobs),
        }
    }

    /// The event that is due now: gives the job that is done, if one is.
    #[inline(always)]
    fn advance(&mut self, now: Nanos, jobs: &mut Jobs) -> (Option<Handle>, Nanos) {
        match self {
            Engine::Ranked(engine) => (engine.advance(now, jobs), engine.next_event()),
            Engine::Shared(engine) => (engine.advance(now), engine.next_event()),
            Engine::LeastAttained(engine) => (engine.advance(now), engine.next_event()),
            Engine::Weighted(engine) => (engine.advance(now), engine.next_event()),
            Engine::Batch(engine) => (engine.advance(now, jobs), engine.next_event()),
            Engine::Pace(engine) => engine.advance(now, jobs),
        }
    }

    /// A job leaves unfinished, from service or from the queue.
    fn withdraw(
        &mut self,
        now: Nanos,
        (handle, in_service): (Handle, bool),
        jobs: &mut Jobs,
    ) -> Nanos {
        match self {
            Engine::Ranked(engine) if in_service => engine.withdraw(now, handle, jobs),
            Engine::Ranked(engine) => engine.leave_queue(),
            Engine::Shared(engine) => engine.withdraw(now, handle),
            Engine::LeastAttained(engine) => engine.withdraw(now, handle),
            Engine::Weighted(engine) => engine.withdraw(now, handle, jobs),
            Engine::Batch(engine) => engine.withdraw(now, (handle, in_service)),
            Engine::Pace(engine) => return engine.withdraw(now, (handle, in_service), jobs),
        }
        self.next_event()
    }

    /// The service that a present job has had.
    fn served(&mut self, now: Nanos, handle: Handle, jobs: &Jobs) -> Nanos {
        let Visitor { demand, remaining, .. } = jobs[handle];
        match self {
            Engine::Ranked(engine) => demand.since(remaining) + engine.servers.served(now, handle),
            Engine::Shared(engine) => demand.since(engine.left(now, handle)),
            Engine::LeastAttained(engine) => engine.attained(now, handle),
            Engine::Weighted(engine) => demand.since(engine.left(now, handle, jobs)),
            Engine::Batch(engine) => engine.served(now, handle, jobs),
            Engine::Pace(engine) => engine.served(now, handle, jobs),
        }
    }
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
        let engine = match &self.pace {
            None => engine,
            Some(pace) => {
                Engine::Pace(Box::new(Pace::new(engine, pace, self.servers, (seed, number))))
            }
        };
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
    }

    fn summary(&self, now: Nanos, detail: Detail) -> Option<NodeSummary> {
        Some(NodeSummary::Station(self.monitor.summary(now, detail)))
    }
}
