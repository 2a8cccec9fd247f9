//! The parts of a server: stations, or a machine.

use thinktime_file::time::Nanos;

use super::ClusterModel;
use crate::system::ids::NodeId;
use crate::system::jobs::{Handle, Jobs};
use crate::system::machine::{MachineNode, MachineSummary};
use crate::system::node::{Answer, Building, Detail, Node, Visit};
use crate::system::station::{Station, StationSummary};

/// A station of a server, or the machine that it is.
#[derive(Debug)]
#[allow(clippy::large_enum_variant, reason = "most parts are stations, the largest")]
pub(super) enum Part {
    Station(Station),
    Machine(Box<MachineNode>),
}

/// Does the same with a part of any kind.
macro_rules! each {
    ($part:expr, $one:ident => $does:expr) => {
        match $part {
            Part::Station($one) => $does,
            Part::Machine($one) => $does,
        }
    };
}

impl Part {
    /// The parts of all servers of a cluster, server by server.
    pub(super) fn all(id: NodeId, model: &ClusterModel, building: &Building<'_>) -> Vec<Part> {
        let servers = 0..model.setting.weights.len() as u64;
        let Some(machine) = &model.machine else {
            let first = u64::from(model.number + 1) << 32;
            let numbered = (first..).zip(servers.flat_map(|_| (0..).zip(&model.stations)));
            let station = |(number, (entry, one)): (u64, (u32, &super::ServerStation))| {
                Part::Station(one.model.station((id, entry), number, building))
            };
            return numbered.map(station).collect();
        };
        // The first server of the first cluster has the draws of the machine alone.
        let copy = |server| ((u64::from(model.number) << 16) + server) << 32;
        let seed = |server| building.seed.wrapping_add(copy(server));
        let kinds = building.kinds.len();
        let part =
            |server| Part::Machine(Box::new(MachineNode::new(id, machine, kinds, seed(server))));
        servers.map(part).collect()
    }

    /// Its figures over the measured time, by its own clock.
    pub(super) fn figures(
        &self,
        own: Nanos,
        detail: Detail,
    ) -> (StationSummary, Option<MachineSummary>) {
        match self {
            Part::Station(station) => (station.monitor().summary(own, detail), None),
            Part::Machine(machine) => {
                let (station, machine) = machine.figures(own, detail);
                (station, Some(machine))
            }
        }
    }

    #[inline(always)]
    pub(super) fn arrive(&mut self, now: Nanos, visit: Visit, jobs: &mut Jobs) -> Answer {
        each!(self, one => one.arrive(now, visit, jobs))
    }

    #[inline(always)]
    pub(super) fn next_event(&self) -> Nanos {
        each!(self, one => one.next_event())
    }

    #[inline(always)]
    pub(super) fn advance(&mut self, now: Nanos, jobs: &mut Jobs) -> Option<Handle> {
        each!(self, one => one.advance(now, jobs))
    }

    #[inline(always)]
    pub(super) fn settle(&mut self, now: Nanos, jobs: &mut Jobs) -> bool {
        each!(self, one => one.settle(now, jobs))
    }

    pub(super) fn release(&mut self, now: Nanos, entry: u32, handle: Handle, jobs: &mut Jobs) {
        each!(self, one => one.release(now, entry, handle, jobs));
    }

    pub(super) fn withdraw(&mut self, now: Nanos, handle: Handle, jobs: &mut Jobs) -> bool {
        each!(self, one => one.withdraw(now, handle, jobs))
    }

    pub(super) fn abandon(&mut self, now: Nanos, entry: u32, handle: Handle, jobs: &mut Jobs) {
        each!(self, one => one.abandon(now, entry, handle, jobs));
    }

    pub(super) fn begin_measuring(&mut self, now: Nanos) {
        each!(self, one => one.begin_measuring(now));
    }
}
