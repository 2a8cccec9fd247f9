//! The nodes of a modelled system in a summary.

use super::Summary;
use super::figures::{ClusterFigures, MachineFigures};
use super::station_figures::{QueueFigures, StationFigures};
use super::token_servers::TokenServerFigures;
use crate::system::StationSummary;
use crate::system::cluster::ClusterSummary;
use crate::system::link::LinkSummary;
use crate::system::machine::MachineSummary;
use crate::system::token_server::TokenServerSummary;

impl Summary {
    /// Adds a modelled station.
    pub fn add_station(&mut self, name: &str, station: StationFigures) {
        self.stations.insert(name.to_owned(), station);
    }

    /// Adds a pool.
    pub fn add_pool(&mut self, name: &str, pool: &StationSummary) {
        self.pools.insert(name.to_owned(), QueueFigures::new(pool));
    }

    /// Adds a machine with the name of its operating system.
    pub fn add_machine(&mut self, name: &str, os: &str, machine: &MachineSummary) {
        self.machines.insert(name.to_owned(), MachineFigures::new(os, machine));
    }

    /// Adds a server of tokens.
    pub fn add_token_server(&mut self, name: &str, server: &TokenServerSummary) {
        self.token_servers.insert(name.to_owned(), TokenServerFigures::new(server));
    }

    /// Adds a cluster with its dispatch policy.
    pub fn add_cluster(&mut self, name: &str, dispatch: &str, cluster: &ClusterSummary) {
        self.clusters.insert(name.to_owned(), ClusterFigures::new(dispatch, cluster));
    }

    /// Adds a link.
    pub fn add_link(&mut self, name: &str, link: &LinkSummary) {
        self.links.insert(name.to_owned(), link.into());
    }
}
