//! The fast way through the commonest system: one server, first come, first served.
//!
//! There a request's departure is known when it arrives: it begins when the one before it ends
//! (Lindley, 1952). So no departure need be waited for as an event. Tests hold this against
//! [`super::System`], which is told nothing of it.

use super::station::{Monitor, Overload, StationSummary};
use super::{DemandSource, Departure, DoorId, Job, SystemModel};
use crate::policy::scheduling::{Rank, Ties};
use crate::ring::Ring;
use crate::time::Nanos;

/// A waiting line with one server.
#[derive(Debug)]
pub struct Line<D> {
    demands: D,
    /// When the server will have served all who are here.
    free_at: Nanos,
    /// Those who are here, by the time at which they leave.
    leaving: Ring<Leaving>,
    /// When the first of them leaves.
    next: Nanos,
    monitor: Monitor,
}

/// Somebody in the line.
#[derive(Clone, Copy, Debug, Default)]
pub struct Leaving {
    /// When it came.
    pub came: Nanos,
    /// When it leaves.
    pub at: Nanos,
}

impl<D: DemandSource> Line<D> {
    /// An empty line, where the system is nothing else.
    pub fn new(model: &SystemModel, demands: impl FnOnce() -> D) -> Option<Line<D>> {
        let plain = model.only_station().is_some_and(|only| {
            only.servers == 1
                && only.discipline.rank == Rank::Equal
                && only.discipline.ties == Ties::FirstCome
                && only.overload == Overload::NONE
        });
        if !plain {
            return None;
        }
        let (free_at, leaving, next) = (Nanos::ZERO, Ring::new(), Nanos::MAX);
        Some(Line { demands: demands(), free_at, leaving, next, monitor: Monitor::new(1) })
    }

    /// A request arrives: gives its departure, which lies ahead.
    #[inline(always)]
    pub fn arrive(&mut self, now: Nanos, job: Job) -> Departure {
        let demand = self.demands.demand(&job, 0).unwrap_or_default();
        self.monitor.arrive(now, demand);
        self.free_at = self.free_at.max(now) + demand;
        self.next = self.next.min(self.free_at);
        self.leaving.push_back(Leaving { came: now, at: self.free_at });
        Departure { job, at: self.free_at, station: DoorId(0), demand, error: None }
    }

    /// Takes out one who has left by `now`.
    #[inline(always)]
    pub fn leave(&mut self, now: Nanos) -> Option<Leaving> {
        if self.next > now {
            return None;
        }
        let first = *self.leaving.front()?;
        self.leaving.pop_front();
        self.next = self.leaving.front().map_or(Nanos::MAX, |next| next.at);
        self.monitor.depart(first.at);
        Some(first)
    }

    /// When the last one leaves, if there is one.
    #[must_use]
    pub fn last_leaves(&self) -> Option<Nanos> {
        self.leaving.back().map(|last| last.at)
    }

    /// Those who are here.
    #[must_use]
    pub fn number(&self) -> u64 {
        self.leaving.len() as u64
    }

    /// Begins the time averages anew.
    pub fn begin_measuring(&mut self, now: Nanos) {
        self.monitor.begin(now);
    }

    /// The time averages so far.
    #[must_use]
    pub fn summary(&self, now: Nanos) -> StationSummary {
        self.monitor.summary(now)
    }
}
