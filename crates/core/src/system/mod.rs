//! A modelled system: nodes (stations, pools, machines, links, delays), and requests that go
//! through them.
//!
//! [`SystemModel`] is the content of the file; [`System`] is the state machine. It learns of
//! arrivals, says when it next acts, and gives departures. The same code is simulated on a virtual
//! clock and served on the wall clock.

mod agenda;
mod behaviour;
mod capacity;
mod clock;
pub mod cluster;
mod current_jobs;
mod deadlock;
mod delay;
mod demand;
mod demand_buffer;
mod drawn_demands;
mod equal_shares;
mod fast_fcfs;
mod fast_station;
mod finite_mean;
mod fit;
mod ids;
mod jobs;
mod limiter;
pub mod link;
pub mod machine;
mod model;
mod named_steps;
mod node;
mod node_summary;
mod nodes;
mod offered_load;
mod pool;
mod program;
mod read;
mod recent_sizes;
mod responses;
mod run;
mod size_demand;
mod station;
mod token_demand;
pub mod token_server;
mod uses;
mod visits;
mod workload_program;

pub use behaviour::{Behaviour, Step};
pub use capacity::Capacity;
pub use deadlock::{Deadlock, LimitedParts};
pub use delay::DelayModel;
pub use demand::{Demand, DemandLaw, DemandSource};
pub use drawn_demands::DrawnDemands;
pub use fast_fcfs::{FastFcfs, FcfsDeparture};
pub use fast_station::FastStation;
pub use ids::{EntranceId, NodeId};
pub use limiter::{Excess, LimiterModel};
pub use model::SystemModel;
pub use node::{Entrance, NodeSummary};
pub use nodes::AnyNodeModel;
pub use offered_load::OfferedLoad;
pub use pool::PoolModel;
pub use program::Program;
pub use size_demand::SizeDemand;
pub use station::{
    BatchModel, Demands, Flow, KindSummary, Overload, PaceModel, ScaleModel, ScaleSummary,
    StationModel, StationSummary,
};
pub use thinktime_file::system::{
    BehaviourTable, DemandValue, PoolTable, StationTable, StepTable, SystemFile,
};
pub use token_demand::TokenDemand;
pub use visits::KindVisit;

use std::collections::VecDeque;

use cluster::Condition;
use jobs::{Handle, Jobs, NOBODY, Place};
use machine::Schedule;
use node::{Building, Detail};
use nodes::Nodes;
use program::Instruction;
use thinktime_file::time::Nanos;

use crate::attempt::EventTimes;

/// A request inside the system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Job {
    /// The driver's own name for it.
    pub token: u64,
    /// The session, for its random streams.
    pub session: u64,
    /// The attempt's number in the session, for its random streams.
    pub serial: u64,
    /// Its kind among those of the workload.
    pub kind: u32,
}

/// A request that has left the system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Departure {
    /// The request.
    pub job: Job,
    /// The time at which it left.
    pub at: Nanos,
    /// The entrance of the visit from which it left; [`EntranceId::NONE`] if it left from
    /// elsewhere.
    pub station: EntranceId,
    /// The total service demand that it brought to its nodes.
    pub demand: Nanos,
    /// The reason why it was not served to the end: [`REFUSED`], [`DROPPED`], [`RESET`] or
    /// [`CONNECT_TIMEOUT`].
    pub error: Option<&'static str>,
}

/// Names a request that is in the system, for [`System::withdraw`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JobRef(Handle);

/// The running system.
#[derive(Debug)]
pub struct System<D> {
    nodes: Nodes,
    code: Vec<Instruction>,
    begins: Vec<u32>,
    forks: bool,
    demands: D,
    jobs: Jobs,
    /// Departures that the driver has not taken yet.
    leaving: VecDeque<Departure>,
    /// The requests in the system.
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
        let building = Building { entrances: &model.entrances, forecast: program, kinds, seed };
        System {
            nodes: Nodes::new(&model.nodes, &building),
            code: program.code.clone(),
            begins: program.begins.clone(),
            forks: program.forks,
            demands,
            jobs: Jobs::default(),
            leaving: VecDeque::new(),
            number: 0,
        }
    }

    /// A request arrives. `now` must not be before any earlier event.
    #[inline(always)]
    pub fn arrive(&mut self, now: Nanos, job: Job) -> JobRef {
        self.number += 1;
        let handle = self.jobs.add(job, self.begins[job.kind as usize], NOBODY);
        self.go_on(now, handle, EntranceId::NONE);
        JobRef(handle)
    }

    /// When the system next acts; [`Nanos::MAX`] when it is idle.
    #[inline(always)]
    #[must_use]
    pub fn next_event(&self) -> Nanos {
        if let Some(departure) = self.leaving.front() {
            return departure.at;
        }
        self.nodes.next_event().0
    }

    /// Acts on the earliest event, which is due at [`System::next_event`]. Perhaps a request
    /// leaves.
    #[inline(always)]
    pub fn advance(&mut self) -> Option<Departure> {
        if let Some(departure) = self.leaving.pop_front() {
            return Some(departure);
        }
        let (at, node) = self.nodes.next_event();
        match self.nodes.advance(at, node, &mut self.jobs) {
            None => self.settle(at),
            Some(handle) => {
                let visitor = &mut self.jobs[handle];
                visitor.served += visitor.demand;
                visitor.place = Place::Between;
                let (entrance, leaves) = match self.code[visitor.step as usize - 1..] {
                    [Instruction::Visit { entrance, .. }, next, ..] => {
                        (entrance, next == Instruction::Leave)
                    }
                    _ => unreachable!("who is at a node has come there"),
                };
                if leaves && self.jobs.lost.is_empty() {
                    // The common case, without the detour by `leaving`.
                    let departure = self.departed(at, handle, entrance, None);
                    self.nodes.settle(at, node, &mut self.jobs);
                    return Some(departure);
                }
                self.go_on(at, handle, entrance);
            }
        }
        self.nodes.settle(at, node, &mut self.jobs);
        self.leaving.pop_front()
    }

    /// The demands' source.
    pub fn demands_mut(&mut self) -> &mut D {
        &mut self.demands
    }

    /// The segments that links have sent since the last call: each takes time to simulate, and one
    /// event may send 65,536.
    pub fn take_segments(&mut self) -> u64 {
        std::mem::take(&mut self.jobs.segments)
    }

    /// The tokens that a request was given that has just left, and when.
    #[inline(always)]
    pub fn take_events(&mut self, departure: &Departure) -> EventTimes {
        self.jobs.take_events(&departure.job)
    }

    /// Appends the requests, by the driver's name, that were given a token since the last call, in
    /// their order. The first call appends nothing. The time of a token is that of the event in
    /// which it was given.
    pub fn take_tokens(&mut self, taken: &mut Vec<u64>) {
        taken.append(self.jobs.given.get_or_insert_default());
    }

    /// Requests in the system.
    #[must_use]
    pub fn in_system(&self) -> u64 {
        self.number
    }

    /// Whether it accepts requests; it does not if no server of a cluster does.
    #[must_use]
    pub fn condition(&self) -> Condition {
        self.nodes.condition()
    }

    /// Restarts the time averages.
    pub fn begin_measuring(&mut self, now: Nanos) {
        self.nodes.begin_measuring(now);
    }

    /// The time averages so far, by node; `None` if a node is not measured.
    #[must_use]
    pub fn summaries(&self, now: Nanos) -> Vec<Option<NodeSummary>> {
        self.nodes.summaries(now, Detail::Whole)
    }

    /// As [`System::summaries`], without the shares of time with each number of requests.
    #[must_use]
    pub fn averages(&self, now: Nanos) -> Vec<Option<NodeSummary>> {
        self.nodes.summaries(now, Detail::Averages)
    }

    /// The first turns of machines' cores since the measuring began.
    #[must_use]
    pub fn schedule(&self) -> Schedule {
        let mut all = Schedule::default();
        self.nodes.schedules().for_each(|one| all.join(one));
        all
    }
}

#[cfg(test)]
mod tests;
