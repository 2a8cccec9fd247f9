//! A station: one queue with its servers and its scheduling policy.
//!
//! Two small engines carry out every discipline: [`ranked::Ranked`] serves the best-ranking jobs
//! one a server, [`shared::Shared`] serves all at once. Both are told of arrivals, say when the
//! next service ends, and are never asked for anything else; a completion is computed from the
//! work, not from when the driver got round to it, so a late driver does not bend the model.

mod monitor;
mod ranked;
mod shared;

pub use monitor::StationSummary;

use super::{Job, StationModel};
use crate::policy::scheduling::Ties;
use crate::time::Nanos;
use monitor::Monitor;
use ranked::Ranked;
use shared::Shared;

/// A job at a station, with the work that it brings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Visit {
    /// Which.
    pub job: Job,
    /// The service demand at this station.
    pub demand: Nanos,
    /// What it was served elsewhere before.
    pub served_before: Nanos,
}

/// A station in motion.
#[derive(Debug)]
pub struct Station {
    engine: Engine,
    monitor: Monitor,
}

#[derive(Debug)]
enum Engine {
    Ranked(Ranked),
    Shared(Shared),
}

impl Station {
    pub(super) fn new(model: &StationModel) -> Station {
        let engine = match model.discipline.ties {
            Ties::Share => Engine::Shared(Shared::new(model.servers)),
            Ties::FirstCome => Engine::Ranked(Ranked::new(model.servers, model.discipline)),
        };
        Station { engine, monitor: Monitor::new(model.servers) }
    }

    /// A job arrives.
    #[inline]
    pub(super) fn arrive(&mut self, now: Nanos, visit: Visit) {
        self.monitor.arrive(now, visit.demand);
        match &mut self.engine {
            Engine::Ranked(engine) => engine.arrive(now, visit),
            Engine::Shared(engine) => engine.arrive(now, visit),
        }
    }

    /// When the next service ends if nobody else arrives; [`Nanos::MAX`] when the station is
    /// empty.
    #[inline]
    pub(super) fn next_completion(&self) -> Nanos {
        match &self.engine {
            Engine::Ranked(engine) => engine.next_completion(),
            Engine::Shared(engine) => engine.next_completion(),
        }
    }

    /// Ends the service that is due at [`Station::next_completion`], which `now` must be.
    #[inline]
    pub(super) fn complete(&mut self, now: Nanos) -> Option<Visit> {
        let visit = match &mut self.engine {
            Engine::Ranked(engine) => engine.complete(now),
            Engine::Shared(engine) => engine.complete(now),
        }?;
        self.monitor.depart(now);
        Some(visit)
    }

    pub(super) fn number(&self) -> u64 {
        self.monitor.number()
    }

    pub(super) fn begin_measuring(&mut self, now: Nanos) {
        self.monitor.begin(now);
    }

    pub(super) fn summary(&self, now: Nanos) -> StationSummary {
        self.monitor.summary(now)
    }
}
