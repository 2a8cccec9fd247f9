//! A modelled system: stations that requests visit, one after another.
//!
//! [`SystemModel`] is what the file says; [`System`] is the state machine. It is told of arrivals,
//! says when it next wants to act, and gives departures. The same code is simulated on a virtual
//! clock and served on the wall clock.

mod demand;
mod file;
mod model;
mod station;

pub use demand::{DemandSource, DrawnDemands};
pub use file::{DemandValue, StationTable, SystemFile};
pub use model::{Demand, StationModel, SystemModel};
pub use station::{Station, StationSummary, Visit};

use crate::time::Nanos;

/// A request inside the system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Job {
    /// The driver's own name for it.
    pub token: u64,
    /// The session, for its random streams.
    pub session: u64,
    /// The attempt's number in the session, for its random streams.
    pub serial: u64,
    /// Which of the workload's kinds of request.
    pub kind: u32,
}

/// A request that has left the system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Departure {
    /// Which.
    pub job: Job,
    /// When it left.
    pub at: Nanos,
    /// The last station that served it.
    pub station: u32,
    /// All the service demand that it brought.
    pub demand: Nanos,
}

/// The running system.
#[derive(Debug)]
pub struct System<D> {
    stations: Vec<Station>,
    demands: D,
}

impl<D: DemandSource> System<D> {
    /// An empty system.
    pub fn new(model: &SystemModel, demands: D) -> System<D> {
        let stations = model.stations.iter().map(Station::new).collect();
        System { stations, demands }
    }

    /// A request arrives. `now` must not be before any earlier event.
    #[inline]
    pub fn arrive(&mut self, now: Nanos, job: Job) {
        let visit = Visit { job, demand: Nanos::ZERO, served_before: Nanos::ZERO };
        // A request with no demand anywhere is refused by `check_requests`; here it would pass
        // through the last station with a demand of zero.
        let first = self.next_station(&job, 0).unwrap_or((self.stations.len() - 1, Nanos::ZERO));
        self.enter(now, visit, first);
    }

    /// When the system next wants to act; [`Nanos::MAX`] when it is idle.
    #[inline]
    #[must_use]
    pub fn next_event(&self) -> Nanos {
        match self.stations.as_slice() {
            [only] => only.next_completion(),
            all => all.iter().map(Station::next_completion).min().unwrap_or(Nanos::MAX),
        }
    }

    /// Acts on the earliest event, which is due at [`System::next_event`]: a service ends, and
    /// its request leaves the system or goes on to its next station.
    #[inline]
    pub fn advance(&mut self) -> Option<Departure> {
        let at = self.next_event();
        let station = self.stations.iter().position(|one| one.next_completion() == at)?;
        let visit = self.stations[station].complete(at)?;
        let served = visit.served_before + visit.demand;
        match self.next_station(&visit.job, station + 1) {
            Some(next) => {
                self.enter(at, Visit { served_before: served, ..visit }, next);
                None
            }
            None => {
                let station = station as u32;
                Some(Departure { job: visit.job, at, station, demand: served })
            }
        }
    }

    #[inline]
    fn enter(&mut self, now: Nanos, visit: Visit, (station, demand): (usize, Nanos)) {
        self.stations[station].arrive(now, Visit { demand, ..visit });
    }

    #[inline]
    fn next_station(&mut self, job: &Job, from: usize) -> Option<(usize, Nanos)> {
        for station in from..self.stations.len() {
            if let Some(demand) = self.demands.demand(job, station) {
                return Some((station, demand));
            }
        }
        None
    }

    /// The demands' source.
    pub fn demands_mut(&mut self) -> &mut D {
        &mut self.demands
    }

    /// Requests in the system.
    #[must_use]
    pub fn in_system(&self) -> u64 {
        self.stations.iter().map(Station::number).sum()
    }

    /// Begins the stations' time averages anew.
    pub fn begin_measuring(&mut self, now: Nanos) {
        for station in &mut self.stations {
            station.begin_measuring(now);
        }
    }

    /// The stations' time averages so far.
    #[must_use]
    pub fn summaries(&self, now: Nanos) -> Vec<StationSummary> {
        self.stations.iter().map(|station| station.summary(now)).collect()
    }
}

#[cfg(test)]
mod tests;
