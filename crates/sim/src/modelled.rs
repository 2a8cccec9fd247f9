//! The modelled system, by the quick way where there is one.

use thinktime_core::random::Purpose;
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

    pub(crate) fn summaries(&self, now: Nanos) -> Vec<StationSummary> {
        match self {
            Modelled::Any(system) => system.summaries(now),
            Modelled::Line(line) => vec![line.summary(now)],
        }
    }
}

/// Whether clients may be told of a response before its time: they may if nothing that they do
/// meanwhile, and nothing that others do, hangs on whether it has come.
fn can_be_told_early(workload: &Workload) -> bool {
    let patient = |kind: &RequestKind| kind.timeout.is_never();
    workload.clients == ClientLimits::NONE && workload.requests.iter().all(patient)
}
