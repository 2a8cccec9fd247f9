//! The modelled system, by a fast engine if one applies.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use thinktime_core::file::Cancel;
use thinktime_core::random::Purpose;
use thinktime_core::record::{StationFigures, Summary};
use thinktime_core::request::RequestKind;
use thinktime_core::system::machine::Schedule;
use thinktime_core::system::{
    AnyNodeModel, Deadlock, Departure, DrawnDemands, FastFcfs, FastStation, Job, JobRef,
    LimitedParts, NodeSummary, StationSummary, System, SystemModel,
};
use thinktime_core::time::Nanos;
use thinktime_core::workload::{ClientLimits, Workload};

/// The modelled system. All are boxed, so that one branch tells which one it is.
pub(crate) enum ModelledSystem {
    /// Any system.
    Any(Box<System<DrawnDemands>>),
    /// One station alone, from which no request is taken back.
    FastStation(Box<FastStation<DrawnDemands>>),
    /// One server, first come, first served: clients learn at once when the answer will come.
    FastFcfs(Box<FastFcfs<DrawnDemands>>),
}

/// By node, its figures; `None` if it is not measured.
pub(crate) type Nodes = Vec<Option<NodeSummary>>;

/// The nodes' figures over the measured time.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Measured {
    pub(crate) nodes: Nodes,
    /// How many more requests were in the system at the end than at the beginning.
    pub(crate) growth: i64,
    /// The first turns of the machines' cores.
    pub(crate) schedule: Schedule,
}

impl Measured {
    /// Adds the nodes of the system to a summary.
    pub(crate) fn add_to(&self, summary: &mut Summary, system: &SystemModel, workload: &Workload) {
        for (name, station) in stations(&self.nodes, system) {
            summary.add_station(name, StationFigures::new(&station, workload));
        }
        for (model, node) in system.nodes.iter().zip(&self.nodes) {
            let name = model.name();
            match node {
                None | Some(NodeSummary::Station(_)) => {}
                Some(NodeSummary::Pool(pool)) => summary.add_pool(name, pool),
                Some(NodeSummary::Machine { machine, os, .. }) => {
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
        self.growth += other.growth;
    }
}

/// The figures of all stations by name: machines too, and the stations of a cluster's servers
/// together.
pub(crate) fn stations<'a>(
    nodes: &'a Nodes,
    system: &'a SystemModel,
) -> Vec<(&'a str, Cow<'a, StationSummary>)> {
    let mut all = Vec::new();
    for (model, node) in system.nodes.iter().zip(nodes) {
        match node {
            Some(NodeSummary::Station(station) | NodeSummary::Machine { station, .. }) => {
                all.push((model.name(), Cow::Borrowed(station)));
            }
            Some(NodeSummary::Cluster(cluster)) => {
                let named = cluster.stations.iter().zip(0..);
                all.extend(named.map(|(name, at)| (&**name, Cow::Owned(cluster.station(at)))));
            }
            Some(NodeSummary::Pool(_) | NodeSummary::Link(_)) | None => {}
        }
    }
    all
}

impl ModelledSystem {
    pub(crate) fn new(model: &SystemModel, workload: &Workload) -> ModelledSystem {
        let names: Vec<&str> = workload.requests.iter().map(|kind| kind.name.as_str()).collect();
        let program = model.program_for(workload);
        let demands = || DrawnDemands::new(&program, workload.seed, Purpose::Demand);
        if can_be_told_early(workload)
            && let Some(line) = FastFcfs::new(model, names.len(), demands)
        {
            return ModelledSystem::FastFcfs(Box::new(line));
        }
        if !withdraws(workload)
            && let Some(lone) = FastStation::new(model, &program, &names, demands, workload.seed)
        {
            return ModelledSystem::FastStation(Box::new(lone));
        }
        let system = System::new(model, &program, &names, demands(), workload.seed);
        ModelledSystem::Any(Box::new(system))
    }

    /// When the system next acts; never, if clients learn of all answers on arrival.
    #[inline(always)]
    pub(crate) fn next_event(&self) -> Nanos {
        match self {
            ModelledSystem::Any(system) => system.next_event(),
            ModelledSystem::FastStation(station) => station.next_event(),
            ModelledSystem::FastFcfs(_) => Nanos::MAX,
        }
    }

    /// Acts on the event that is due at [`ModelledSystem::next_event`], which is `now`. Perhaps a
    /// request leaves.
    #[inline(always)]
    pub(crate) fn advance(&mut self, now: Nanos) -> Option<Departure> {
        match self {
            ModelledSystem::Any(system) => system.advance(),
            ModelledSystem::FastStation(station) => station.advance(now),
            ModelledSystem::FastFcfs(_) => None,
        }
    }

    /// A request arrives; gives its departure, if it is known.
    #[inline(always)]
    pub(crate) fn arrive(&mut self, now: Nanos, job: Job) -> Arrived {
        match self {
            ModelledSystem::Any(system) => Arrived::Present(system.arrive(now, job)),
            ModelledSystem::FastStation(station) => {
                station.arrive(now, job);
                Arrived::Stays
            }
            ModelledSystem::FastFcfs(line) => Arrived::Leaves(line.arrive(now, job)),
        }
    }

    /// As [`System::take_segments`].
    pub(crate) fn take_segments(&mut self) -> u64 {
        match self {
            ModelledSystem::Any(system) => system.take_segments(),
            ModelledSystem::FastStation(_) | ModelledSystem::FastFcfs(_) => 0,
        }
    }

    /// The requests in the system.
    pub(crate) fn inside(&self) -> Vec<Job> {
        match self {
            ModelledSystem::Any(system) => system.inside().copied().collect(),
            ModelledSystem::FastStation(station) => station.inside().copied().collect(),
            ModelledSystem::FastFcfs(_) => Vec::new(),
        }
    }

    /// Whether a departure is known on arrival.
    pub(crate) fn knows_departures(&self) -> bool {
        matches!(self, ModelledSystem::FastFcfs(_))
    }

    /// As [`System::deadlock`]: one station alone has none.
    pub(crate) fn deadlock(
        &self,
        parts: &LimitedParts,
        patient: &dyn Fn(&Job) -> bool,
    ) -> Option<Deadlock> {
        match self {
            ModelledSystem::Any(system) if !parts.is_empty() => system.deadlock(parts, patient),
            _ => None,
        }
    }

    pub(crate) fn number(&self) -> u64 {
        match self {
            ModelledSystem::Any(system) => system.in_system(),
            ModelledSystem::FastStation(station) => station.number(),
            ModelledSystem::FastFcfs(line) => line.number(),
        }
    }

    pub(crate) fn begin_measuring(&mut self, now: Nanos) {
        match self {
            ModelledSystem::Any(system) => system.begin_measuring(now),
            ModelledSystem::FastStation(station) => station.begin_measuring(now),
            ModelledSystem::FastFcfs(line) => line.begin_measuring(now),
        }
    }

    /// The figures of the measured time, if it ends now; it began with this many requests present.
    pub(crate) fn measured(&self, now: Nanos, number_before: u64) -> Measured {
        let growth = self.number() as i64 - number_before as i64;
        let schedule = match self {
            ModelledSystem::Any(system) => system.schedule(),
            ModelledSystem::FastStation(_) | ModelledSystem::FastFcfs(_) => Schedule::default(),
        };
        Measured { nodes: self.nodes(now), growth, schedule }
    }

    /// As [`ModelledSystem::nodes`]; of many nodes without the shares of numbers.
    pub(crate) fn averages(&self, now: Nanos) -> Nodes {
        match self {
            ModelledSystem::Any(system) => system.averages(now),
            ModelledSystem::FastStation(_) | ModelledSystem::FastFcfs(_) => self.nodes(now),
        }
    }

    /// The figures of the nodes, if the measured time ends now.
    pub(crate) fn nodes(&self, now: Nanos) -> Nodes {
        let station = |one| vec![Some(NodeSummary::Station(one))];
        match self {
            ModelledSystem::Any(system) => system.summaries(now),
            ModelledSystem::FastStation(alone) => station(alone.summary(now)),
            ModelledSystem::FastFcfs(line) => station(line.summary(now)),
        }
    }
}

/// The outcome of an arrival.
pub(crate) enum Arrived {
    /// The request is present, and may be taken back by this name.
    Present(JobRef),
    /// It is present until it is done.
    Stays,
    /// It is present until this departure, which lies ahead.
    Leaves(Departure),
}

/// Whether clients take requests back that they have given up.
pub(crate) fn withdraws(workload: &Workload) -> bool {
    workload.requests.iter().any(|kind| kind.cancel != Cancel::Never)
}

/// Whether clients may learn of a response before its time: they may if no action of theirs
/// meanwhile, and none of the others, depends on its arrival.
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

    /// A pool whose places are never taken is measured like any other.
    #[test]
    fn a_pool_beside_the_only_station_is_measured() {
        let text = "name = 's'\n[[station]]\nname = 'a'\ndemand = '1ms'\n\
                    [[pool]]\nname = 'p'\nsize = 2";
        let model = SystemModel::parse(Source { file: "", text }, &NoFiles).unwrap();
        let text = "name = 'w'\n[arrivals]\nmodel = 'open'\nrate = '50/s'";
        let workload = Workload::parse(Source { file: "", text }, &NoFiles).unwrap();
        let modelled = ModelledSystem::new(&model, &workload);
        let measured = modelled.measured(Nanos(1_000_000), 0);
        let kinds: Vec<bool> =
            measured.nodes.iter().map(|one| matches!(one, Some(NodeSummary::Pool(_)))).collect();
        assert_eq!(kinds, [false, true]);
    }
}
