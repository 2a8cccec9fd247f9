//! The modelled system, by the quick way where there is one.

use thinktime_core::random::Purpose;
use thinktime_core::record::Summary;
use thinktime_core::system::machine::{MachineSummary, Schedule};
use thinktime_core::system::{DrawnDemands, Line, StationSummary, System, SystemModel};
use thinktime_core::time::Nanos;
use thinktime_core::workload::{ClientLimits, RequestKind, Workload};

/// The modelled system.
pub(crate) enum Modelled {
    /// Whatever the file says.
    Any(Box<System<DrawnDemands>>),
    /// One server, first come, first served: clients are told at once when they will be answered.
    Line(Line<DrawnDemands>),
}

/// What the parts of the system were like over the measured time.
#[derive(Clone, Debug)]
pub(crate) struct Measured {
    /// The stations, the pools, and the machines as stations.
    pub(crate) stations: Vec<StationSummary>,
    pub(crate) machines: Vec<MachineSummary>,
    /// The first turns of the machines' cores.
    pub(crate) schedule: Schedule,
}

impl Measured {
    /// Adds the parts of the system to a summary.
    pub(crate) fn add_to(&self, summary: &mut Summary, system: &SystemModel) {
        let (stations, others) = self.stations.split_at(system.stations.len());
        let (pools, machines) = others.split_at(system.pools.len());
        for (model, station) in system.stations.iter().zip(stations) {
            summary.add_station(&model.name, station);
        }
        for (model, pool) in system.pools.iter().zip(pools) {
            summary.add_pool(&model.name, pool);
        }
        let machines = machines.iter().zip(&self.machines);
        for (model, (station, machine)) in system.machines.iter().zip(machines) {
            summary.add_station(&model.name, station);
            summary.add_machine(&model.name, &model.os, machine);
        }
    }

    /// Adds another replication: time averages over both, each weighted by its length. The
    /// schedule stays the first's.
    pub(crate) fn join(&mut self, other: &Measured) {
        let stations = self.stations.iter_mut().zip(&other.stations);
        stations.for_each(|(mine, theirs)| mine.join(theirs));
        let machines = self.machines.iter_mut().zip(&other.machines);
        machines.for_each(|(mine, theirs)| mine.join(theirs));
    }
}

impl Modelled {
    pub(crate) fn new(model: &SystemModel, workload: &Workload) -> Modelled {
        let names: Vec<&str> = workload.requests.iter().map(|kind| kind.name.as_str()).collect();
        let program = model.program_for(workload);
        let demands = DrawnDemands::new(&program, workload.seed, Purpose::Demand);
        let general = |demands| {
            Modelled::Any(Box::new(System::new(model, &program, &names, demands, workload.seed)))
        };
        if !can_be_told_early(workload) {
            return general(demands);
        }
        Line::new(model, demands).map_or_else(general, Modelled::Line)
    }

    pub(crate) fn number(&self) -> u64 {
        match self {
            Modelled::Any(system) => system.in_system(),
            Modelled::Line(line) => line.number(),
        }
    }

    pub(crate) fn begin_measuring(&mut self, now: Nanos) {
        match self {
            Modelled::Any(system) => system.begin_measuring(now),
            Modelled::Line(line) => line.begin_measuring(now),
        }
    }

    pub(crate) fn measured(&self, now: Nanos) -> Measured {
        match self {
            Modelled::Any(system) => Measured {
                stations: system.summaries(now),
                machines: system.machine_summaries(now),
                schedule: system.schedule(),
            },
            Modelled::Line(line) => {
                let stations = vec![line.summary(now)];
                Measured { stations, machines: Vec::new(), schedule: Schedule::default() }
            }
        }
    }
}

/// Whether clients may be told of a response before its time: they may if nothing that they do
/// meanwhile, and nothing that others do, hangs on whether it has come.
fn can_be_told_early(workload: &Workload) -> bool {
    let patient = |kind: &RequestKind| kind.timeout.is_never();
    workload.clients == ClientLimits::NONE && workload.requests.iter().all(patient)
}
