//! A modelled system: stations, pools and delays, and requests that go through them.
//!
//! [`SystemModel`] is what the file says; [`System`] is the state machine. It is told of arrivals,
//! says when it next wants to act, and gives departures. The same code is simulated on a virtual
//! clock and served on the wall clock.

mod behaviour;
mod demand;
mod equal_shares;
mod file;
mod fit;
mod inside;
mod jobs;
mod line;
mod lone;
pub mod machine;
mod model;
mod on_machines;
mod parts;
mod pool;
mod program;
mod run;
mod station;

pub use behaviour::{Behaviour, Step};
pub use demand::{Demand, DemandLaw, DemandSource, DrawnDemands};
pub use file::{BehaviourTable, DemandValue, PoolTable, StationTable, StepTable, SystemFile};
pub use line::{Leaving, Line};
pub use lone::Lone;
pub use model::SystemModel;
pub use parts::{Overload, PoolModel, StationModel};
pub use program::Program;
pub use station::StationSummary;

use std::collections::VecDeque;

use crate::heap::Heap;
use crate::time::Nanos;
use jobs::{Handle, Jobs, NOBODY, Place};
use machine::{Machine, Service};
use pool::Pool;
use program::Instruction;
use station::{Monitor, Ranks, Station};

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
    /// The last station that served it; `u32::MAX` if none did.
    pub station: u32,
    /// All the service demand that it brought to what it went through.
    pub demand: Nanos,
    /// Why it was not served to the end: [`REFUSED`] or [`DROPPED`].
    pub error: Option<&'static str>,
}

/// The word for a request that came to a full queue.
pub const REFUSED: &str = "refused";
/// The word for a request that had waited too long when its turn came.
pub const DROPPED: &str = "dropped";

/// Names a request that is in the system, for [`System::withdraw`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Presence(Handle);

/// The running system.
#[derive(Debug)]
pub struct System<D> {
    stations: Vec<Station>,
    pools: Vec<Pool>,
    machines: Vec<Machine>,
    /// By machine, what it looks like as a station.
    machine_monitors: Vec<Monitor>,
    services: Vec<Service>,
    code: Vec<Instruction>,
    begins: Vec<u32>,
    forks: bool,
    demands: D,
    jobs: Jobs,
    delays: Heap<Handle>,
    /// Who is to go on with its next step.
    ready: Vec<Handle>,
    /// Departures that the driver has not taken yet.
    leaving: VecDeque<Departure>,
    /// Requests that are here.
    number: u64,
}

impl<D: DemandSource> System<D> {
    /// An empty system for the requests named `kinds`, whose behaviours are `program`. `seed` is
    /// that of the errors of estimated demands.
    pub fn new(
        model: &SystemModel,
        program: &Program,
        kinds: &[&str],
        demands: D,
        seed: u64,
    ) -> System<D> {
        let station = |(number, station): (usize, &StationModel)| {
            let means: Vec<Nanos> =
                (0..kinds.len()).map(|kind| program.first_mean(kind, number)).collect();
            let ranks = Ranks::new(number as u64, station, kinds, &means, seed);
            Station::new(number as u32, station, ranks)
        };
        let pools = model.pools.iter().enumerate();
        System {
            stations: model.stations.iter().enumerate().map(station).collect(),
            pools: pools.map(|(number, pool)| Pool::new(number as u32, pool)).collect(),
            machines: (0..)
                .zip(&model.machines)
                .map(|(at, one)| Machine::new(at, one, seed))
                .collect(),
            machine_monitors: model.machines.iter().map(|one| Monitor::new(one.cores)).collect(),
            services: (0..).zip(&model.services).map(|(at, one)| Service::new(at, one)).collect(),
            code: program.code.clone(),
            begins: program.begins.clone(),
            forks: program.forks,
            demands,
            jobs: Jobs::default(),
            delays: Heap::new(),
            ready: Vec::new(),
            leaving: VecDeque::new(),
            number: 0,
        }
    }

    /// A request arrives. `now` must not be before any earlier event.
    #[inline(always)]
    pub fn arrive(&mut self, now: Nanos, job: Job) -> Presence {
        self.number += 1;
        let handle = self.jobs.add(job, self.begins[job.kind as usize], NOBODY);
        self.go_on(now, handle, u32::MAX);
        Presence(handle)
    }

    /// When the system next wants to act; [`Nanos::MAX`] when it is idle.
    #[inline(always)]
    #[must_use]
    pub fn next_event(&self) -> Nanos {
        if let Some(departure) = self.leaving.front() {
            return departure.at;
        }
        let service = match self.stations.as_slice() {
            [only] => only.next_event(),
            all => all.iter().map(Station::next_event).min().unwrap_or(Nanos::MAX),
        };
        let service =
            if self.machines.is_empty() { service } else { service.min(self.next_of_machines()) };
        match self.delays.peek() {
            None => service,
            Some((at, _)) => service.min(Nanos(at)),
        }
    }

    /// Acts on the earliest event, which is due at [`System::next_event`]. Perhaps a request
    /// leaves.
    #[inline(always)]
    pub fn advance(&mut self) -> Option<Departure> {
        if let Some(departure) = self.leaving.pop_front() {
            return Some(departure);
        }
        let at = self.next_event();
        if let Some(number) = self.machines.iter().position(|one| one.next_event() == at) {
            self.advance_machine(at, number);
        } else if self.delays.peek().is_some_and(|(due, _)| due == at.0) {
            self.end_delay(at);
        } else {
            let station = match self.stations.len() {
                1 => 0,
                _ => self.stations.iter().position(|one| one.next_event() == at)?,
            };
            let done = self.stations[station].advance(at, &mut self.jobs);
            if let Some(handle) = done {
                let visitor = &mut self.jobs[handle];
                visitor.served += visitor.demand;
                visitor.place = Place::Between;
                let leaves = self.code[visitor.step as usize] == Instruction::Leave;
                if leaves && self.jobs.dropped.is_empty() {
                    // The common case, without the detour by `leaving`.
                    return Some(self.departed(at, handle, station as u32, None));
                }
                self.go_on(at, handle, station as u32);
            } else {
                self.settle(at);
            }
        }
        self.leaving.pop_front()
    }

    /// The demands' source.
    pub fn demands_mut(&mut self) -> &mut D {
        &mut self.demands
    }

    /// Requests in the system.
    #[must_use]
    pub fn in_system(&self) -> u64 {
        self.number
    }

    /// Begins the time averages anew.
    pub fn begin_measuring(&mut self, now: Nanos) {
        for station in &mut self.stations {
            station.begin_measuring(now);
        }
        for pool in &mut self.pools {
            pool.begin_measuring(now);
        }
        self.begin_measuring_machines(now);
    }

    /// The time averages so far: the stations', the pools', then the machines' as stations.
    #[must_use]
    pub fn summaries(&self, now: Nanos) -> Vec<StationSummary> {
        let stations = self.stations.iter().map(|station| station.monitor().summary(now));
        let pools = self.pools.iter().map(|pool| pool.summary(now));
        stations.chain(pools).chain(self.machine_stations(now)).collect()
    }
}

#[cfg(test)]
mod tests;
