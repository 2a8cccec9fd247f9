//! The engines of stations, one of which each station has.

pub(super) mod pace;

use thinktime_file::time::Nanos;

use super::StationModel;
use super::batch::Batch;
use super::least_attained::LeastAttained;
use super::ranked::Ranked;
use super::scale::Scale;
use super::shared::Shared;
use super::summary::ScaleSummary;
use super::weighted::Weighted;
use crate::policy::scheduling::{Rank, Ties};
use crate::system::ids::NodeId;
use crate::system::jobs::{Handle, Jobs, Visitor};
use pace::Pace;

#[derive(Debug)]
pub(super) enum Engine {
    Ranked(Ranked),
    Shared(Shared),
    LeastAttained(LeastAttained),
    /// In a box, so that other stations stay small.
    Weighted(Box<Weighted>),
    /// In a box, so that other stations stay small.
    Batch(Box<Batch>),
    /// In a box, so that other stations stay small.
    Pace(Box<Pace>),
    /// In a box, so that other stations stay small.
    Scale(Box<Scale>),
}

impl Engine {
    /// Its random streams are named by the seed and the station's number.
    pub(super) fn new(id: NodeId, model: &StationModel, streams: (u64, u64)) -> Engine {
        if let Some(scale) = &model.scale {
            let engine = Ranked::new(id, model, streams);
            return Engine::Scale(Box::new(Scale::new(engine, scale, streams)));
        }
        let engine = Engine::steady(id, model, streams);
        match &model.pace {
            None => engine,
            Some(pace) => Engine::Pace(Box::new(Pace::new(engine, pace, model.servers, streams))),
        }
    }

    /// That of a station whose servers are always there, at a speed that does not vary.
    fn steady(id: NodeId, model: &StationModel, streams: (u64, u64)) -> Engine {
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
    pub(super) fn next_event(&self) -> Nanos {
        match self {
            Engine::Ranked(engine) => engine.next_event(),
            Engine::Shared(engine) => engine.next_event(),
            Engine::LeastAttained(engine) => engine.next_event(),
            Engine::Weighted(engine) => engine.next_event(),
            Engine::Batch(engine) => engine.next_event(),
            Engine::Pace(engine) => engine.next_event(),
            Engine::Scale(engine) => engine.next_event(),
        }
    }

    /// A job arrives. Gives the next event, as all that follow.
    #[inline(always)]
    pub(super) fn arrive(&mut self, now: Nanos, handle: Handle, jobs: &mut Jobs) -> Nanos {
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
            Engine::Scale(engine) => engine.arrive(now, handle, jobs),
        }
    }

    /// The event that is due now: gives the job that is done, if one is.
    #[inline(always)]
    pub(super) fn advance(&mut self, now: Nanos, jobs: &mut Jobs) -> (Option<Handle>, Nanos) {
        match self {
            Engine::Ranked(engine) => (engine.advance(now, jobs), engine.next_event()),
            Engine::Shared(engine) => (engine.advance(now), engine.next_event()),
            Engine::LeastAttained(engine) => (engine.advance(now), engine.next_event()),
            Engine::Weighted(engine) => (engine.advance(now), engine.next_event()),
            Engine::Batch(engine) => (engine.advance(now, jobs), engine.next_event()),
            Engine::Pace(engine) => engine.advance(now, jobs),
            Engine::Scale(engine) => engine.advance(now, jobs),
        }
    }

    /// A job leaves unfinished, from service or from the queue.
    pub(super) fn withdraw(
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
            Engine::Scale(engine) => return engine.withdraw(now, (handle, in_service), jobs),
        }
        self.next_event()
    }

    /// The service that a present job has had.
    pub(super) fn served(&mut self, now: Nanos, handle: Handle, jobs: &Jobs) -> Nanos {
        let Visitor { demand, remaining, .. } = jobs[handle];
        match self {
            Engine::Ranked(engine) => demand.since(remaining) + engine.servers.served(now, handle),
            Engine::Shared(engine) => demand.since(engine.left(now, handle)),
            Engine::LeastAttained(engine) => engine.attained(now, handle),
            Engine::Weighted(engine) => demand.since(engine.left(now, handle, jobs)),
            Engine::Batch(engine) => engine.served(now, handle, jobs),
            Engine::Pace(engine) => engine.served(now, handle, jobs),
            Engine::Scale(engine) => demand.since(remaining) + engine.served(now, handle),
        }
    }

    /// The measured time begins.
    pub(super) fn begin_measuring(&mut self, now: Nanos) {
        if let Engine::Scale(engine) = self {
            engine.begin(now);
        }
    }

    /// The servers of the measured time, if their number changes.
    pub(super) fn scale(&self, now: Nanos) -> Option<ScaleSummary> {
        match self {
            Engine::Scale(engine) => Some(engine.summary(now)),
            _ => None,
        }
    }
}
