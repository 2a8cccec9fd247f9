//! The figures of a node of any kind over the measured time.

use serde::{Deserialize, Serialize};

use super::cluster::ClusterSummary;
use super::link::LinkSummary;
use super::machine::MachineSummary;
use super::station::StationSummary;
use super::token_server::TokenServerSummary;

/// A node's figures over the measured time, by the place where results show them.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum NodeSummary {
    /// Among the stations.
    Station(StationSummary),
    /// Among the pools.
    Pool(StationSummary),
    /// Among the machines, and as a station whose servers are the cores.
    Machine {
        /// As a station.
        station: StationSummary,
        /// As a machine.
        machine: MachineSummary,
        /// Its operating system, as the file names it.
        os: String,
    },
    /// Among the servers of tokens, and among the stations.
    TokenServer {
        /// As a station.
        station: StationSummary,
        /// As a server of tokens.
        tokens: TokenServerSummary,
    },
    /// Among the clusters, and its stations among the stations.
    Cluster(ClusterSummary),
    /// Among the links.
    Link(LinkSummary),
}

impl NodeSummary {
    /// Takes away an earlier measurement that began with this one: the figures of its stations, or
    /// of the pool, are then those of the time since. Its other figures stay those of the whole.
    pub fn subtract(&mut self, earlier: &NodeSummary) {
        match (self, earlier) {
            (NodeSummary::Station(now), NodeSummary::Station(then))
            | (NodeSummary::Pool(now), NodeSummary::Pool(then))
            | (
                NodeSummary::Machine { station: now, .. },
                NodeSummary::Machine { station: then, .. },
            )
            | (
                NodeSummary::TokenServer { station: now, .. },
                NodeSummary::TokenServer { station: then, .. },
            ) => now.subtract(then),
            (NodeSummary::Cluster(now), NodeSummary::Cluster(then)) => now.subtract(then),
            (NodeSummary::Link(_), NodeSummary::Link(_)) => {}
            _ => unreachable!("a node is of one kind"),
        }
    }

    /// Averages with another measurement of the same node, each weighted by its length.
    pub fn join(&mut self, other: &NodeSummary) {
        match (self, other) {
            (NodeSummary::Station(mine), NodeSummary::Station(theirs))
            | (NodeSummary::Pool(mine), NodeSummary::Pool(theirs)) => mine.join(theirs),
            (
                NodeSummary::Machine { station: mine, machine, .. },
                NodeSummary::Machine { station: theirs, machine: other, .. },
            ) => {
                mine.join(theirs);
                machine.join(other);
            }
            (
                NodeSummary::TokenServer { station: mine, tokens },
                NodeSummary::TokenServer { station: theirs, tokens: other },
            ) => {
                mine.join(theirs);
                tokens.join(other);
            }
            (NodeSummary::Cluster(mine), NodeSummary::Cluster(theirs)) => mine.join(theirs),
            (NodeSummary::Link(mine), NodeSummary::Link(theirs)) => mine.join(theirs),
            _ => unreachable!("a node is of one kind"),
        }
    }
}
