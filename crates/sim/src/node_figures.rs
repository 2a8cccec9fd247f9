//! The figures of a system's nodes over the measured time.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use thinktime_core::record::{StationFigures, Summary};
use thinktime_core::statistics::Tally;
use thinktime_core::system::machine::Schedule;
use thinktime_core::system::{AnyNodeModel, NodeSummary, StationSummary, SystemModel};
use thinktime_core::workload::Workload;

/// By node, its figures; `None` if it is not measured.
pub(crate) type Nodes = Vec<Option<NodeSummary>>;

/// The nodes' figures over the measured time.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct NodeFigures {
    pub(crate) nodes: Nodes,
    /// How many more requests were in the system at the end than at the beginning.
    pub(crate) growth: i64,
    /// The first turns of the machines' cores.
    pub(crate) schedule: Schedule,
}

impl NodeFigures {
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
                Some(NodeSummary::TokenServer { tokens, .. }) => {
                    summary.add_token_server(name, tokens);
                }
                Some(NodeSummary::Cluster(cluster)) => {
                    let AnyNodeModel::Cluster(model) = model else { continue };
                    summary.add_cluster(name, &model.dispatch_text, cluster);
                }
            }
        }
    }

    /// The times between the events of responses, by kind of request; none without a server of
    /// tokens.
    pub(crate) fn event_gaps(&self) -> Vec<Tally> {
        let mut all = Vec::<Tally>::new();
        for node in self.nodes.iter().flatten() {
            let NodeSummary::TokenServer { tokens, .. } = node else { continue };
            all.resize(all.len().max(tokens.gaps.len()), Tally::default());
            all.iter_mut().zip(&tokens.gaps).for_each(|(sum, one)| sum.merge(one));
        }
        all
    }

    /// Adds another replication: time averages over both, each weighted by its length. The
    /// schedule stays the first's.
    pub(crate) fn join(&mut self, other: &NodeFigures) {
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
            Some(
                NodeSummary::Station(station)
                | NodeSummary::Machine { station, .. }
                | NodeSummary::TokenServer { station, .. },
            ) => {
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
