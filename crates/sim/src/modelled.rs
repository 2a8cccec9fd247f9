//! The modelled system, by the quick way where there is one.

use serde::{Deserialize, Serialize};
use thinktime_core::file::Cancel;
use thinktime_core::random::Purpose;
use thinktime_core::record::Summary;
use thinktime_core::request::RequestKind;
use thinktime_core::system::machine::Schedule;
use thinktime_core::system::{
    AnyNodeModel, Departure, DrawnDemands, Job, Line, Lone, NodeSummary, Presence, StationSummary,
    System, SystemModel,
};
use thinktime_core::time::Nanos;
use thinktime_core::workload::{ClientLimits, Workload};

/// The modelled system. All are boxed, so that which one it is takes one look to see.
pub(crate) enum Modelled {
    /// Whatever the file says.
    Any(Box<System<DrawnDemands>>),
    /// One station alone, of which nobody is taken back.
    Lone(Box<Lone<DrawnDemands>>),
    /// One server, first come, first served: clients are told at once when they will be answered.
    Line(Box<Line<DrawnDemands>>),
}

/// What the nodes of the system were like over the measured time.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Measured {
    /// By node; none for what is not measured.
    nodes: Vec<Option<NodeSummary>>,
    /// The first turns of the machines' cores.
    pub(crate) schedule: Schedule,
}

impl Measured {
    fn of_station(station: StationSummary) -> Measured {
        let nodes = vec![Some(NodeSummary::Station(station))];
        Measured { nodes, schedule: Schedule::default() }
    }

    /// Adds the nodes of the system to a summary.
    pub(crate) fn add_to(&self, summary: &mut Summary, system: &SystemModel) {
        for (model, node) in system.nodes.iter().zip(&self.nodes) {
            let name = model.name();
            match node {
                None => {}
                Some(NodeSummary::Station(station)) => summary.add_station(name, station),
                Some(NodeSummary::Pool(pool)) => summary.add_pool(name, pool),
                Some(NodeSummary::Machine { station, machine, os }) => {
                    summary.add_station(name, station);
                    summary.add_machine(name, os, machine);
                }
                Some(NodeSummary::Link(link)) => summary.add_link(name, link),
                Some(NodeSummary::Cluster(cluster)) => {
                    let AnyNodeModel::Cluster(model) = model else { continue };
                    summary.add_cluster(name, &model.dispatch_text, cluster);
                }
            }
        }
    }

    /// Adds another replication: time averages over both, each weighted by its length. The
    /// schedule stays the first's.
    pub(crate) fn join(&mut self, other: &Measured) {
        let nodes = self.nodes.iter_mut().flatten().zip(other.nodes.iter().flatten());
        nodes.for_each(|(mine, theirs)| mine.join(theirs));
    }
}

impl Modelled {
    pub(crate) fn new(model: &SystemModel, workload: &Workload) -> Modelled {
        let names: Vec<&str> = workload.requests.iter().map(|kind| kind.name.as_str()).collect();
        let program = model.program_for(workload);
        let demands = || DrawnDemands::new(&program, workload.seed, Purpose::Demand);
        if can_be_told_early(workload)
            && let Some(line) = Line::new(model, demands)
        {
            return Modelled::Line(Box::new(line));
        }
        if !takes_back(workload)
            && let Some(lone) = Lone::new(model, &program, &names, demands, workload.seed)
        {
            return Modelled::Lone(Box::new(lone));
        }
        let system = System::new(model, &program, &names, demands(), workload.seed);
        Modelled::Any(Box::new(system))
    }

    /// When the system next wants to act; never, where clients are told of everything when they
    /// arrive.
    #[inline(always)]
    pub(crate) fn next_event(&self) -> Nanos {
        match self {
            Modelled::Any(system) => system.next_event(),
            Modelled::Lone(station) => station.next_event(),
            Modelled::Line(_) => Nanos::MAX,
        }
    }

    /// Acts on what is due at [`Modelled::next_event`], which is `now`. Perhaps a request leaves.
    #[inline(always)]
    pub(crate) fn advance(&mut self, now: Nanos) -> Option<Departure> {
        match self {
            Modelled::Any(system) => system.advance(),
            Modelled::Lone(station) => station.advance(now),
            Modelled::Line(_) => None,
        }
    }

    /// A request arrives; gives its departure, where that is known.
    #[inline(always)]
    pub(crate) fn arrive(&mut self, now: Nanos, job: Job) -> Arrived {
        match self {
            Modelled::Any(system) => Arrived::Present(system.arrive(now, job)),
            Modelled::Lone(station) => {
                station.arrive(now, job);
                Arrived::Stays
            }
            Modelled::Line(line) => Arrived::Leaves(line.arrive(now, job)),
        }
    }

    /// As [`System::take_segments`].
    pub(crate) fn take_segments(&mut self) -> u64 {
        match self {
            Modelled::Any(system) => system.take_segments(),
            Modelled::Lone(_) | Modelled::Line(_) => 0,
        }
    }

    /// Those who are in the system.
    pub(crate) fn inside(&self) -> Vec<Job> {
        match self {
            Modelled::Any(system) => system.inside().copied().collect(),
            Modelled::Lone(station) => station.inside().copied().collect(),
            Modelled::Line(_) => Vec::new(),
        }
    }

    pub(crate) fn number(&self) -> u64 {
        match self {
            Modelled::Any(system) => system.in_system(),
            Modelled::Lone(station) => station.number(),
            Modelled::Line(line) => line.number(),
        }
    }

    pub(crate) fn begin_measuring(&mut self, now: Nanos) {
        match self {
            Modelled::Any(system) => system.begin_measuring(now),
            Modelled::Lone(station) => station.begin_measuring(now),
            Modelled::Line(line) => line.begin_measuring(now),
        }
    }

    pub(crate) fn measured(&self, now: Nanos) -> Measured {
        match self {
            Modelled::Any(system) => {
                Measured { nodes: system.summaries(now), schedule: system.schedule() }
            }
            Modelled::Lone(station) => Measured::of_station(station.summary(now)),
            Modelled::Line(line) => Measured::of_station(line.summary(now)),
        }
    }
}

/// What comes of an arrival.
pub(crate) enum Arrived {
    /// The request is there, and may be taken back by this name.
    Present(Presence),
    /// It is there until it is done.
    Stays,
    /// It is there until this departure, which lies ahead.
    Leaves(Departure),
}

/// Whether clients take requests back that they have given up.
pub(crate) fn takes_back(workload: &Workload) -> bool {
    workload.requests.iter().any(|kind| kind.cancel != Cancel::Never)
}

/// Whether clients may be told of a response before its time: they may if nothing that they do
/// meanwhile, and nothing that others do, hangs on whether it has come.
fn can_be_told_early(workload: &Workload) -> bool {
    let patient = |kind: &RequestKind| kind.timeout.is_never() && kind.objects.is_none();
    let free = workload.populations.iter().all(|one| one.clients == ClientLimits::NONE);
    free && workload.requests.iter().all(patient)
}

#[cfg(test)]
mod tests {
    use thinktime_core::files::NoFiles;
    use thinktime_core::schema::Source;

    use super::*;

    /// A pool that nobody takes places of is measured like any other.
    #[test]
    fn a_pool_beside_the_only_station_is_measured() {
        let text = "name = 's'\n[[station]]\nname = 'a'\ndemand = '1ms'\n\
                    [[pool]]\nname = 'p'\nsize = 2";
        let model = SystemModel::parse(Source { file: "", text }, &NoFiles).unwrap();
        let text = "name = 'w'\n[arrivals]\nmodel = 'open'\nrate = '50/s'";
        let workload = Workload::parse(Source { file: "", text }, &NoFiles).unwrap();
        let modelled = Modelled::new(&model, &workload);
        let measured = modelled.measured(Nanos(1_000_000));
        let kinds: Vec<bool> =
            measured.nodes.iter().map(|one| matches!(one, Some(NodeSummary::Pool(_)))).collect();
        assert_eq!(kinds, [false, true]);
    }
}
