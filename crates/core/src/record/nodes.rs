//! The nodes of a modelled system in a summary.

use super::Summary;
use super::figures::{ClusterFigures, DemandFigures, MachineFigures, PoolFigures, StationFigures};
use crate::system::StationSummary;
use crate::system::cluster::ClusterSummary;
use crate::system::link::LinkSummary;
use crate::system::machine::MachineSummary;

impl Summary {
    /// Adds a modelled station.
    pub fn add_station(&mut self, name: &str, station: &StationSummary) {
        let figures = StationFigures {
            load: station.load,
            queue_length_mean: station.queue_length_mean,
            queue_length_max: station.queue_length_max,
            demand_s: DemandFigures { mean: station.demand_mean_s, cv2: station.demand_cv2 },
        };
        self.stations.insert(name.to_owned(), figures);
    }

    /// Adds a pool.
    pub fn add_pool(&mut self, name: &str, pool: &StationSummary) {
        let figures = PoolFigures {
            load: pool.load,
            queue_length_mean: pool.queue_length_mean,
            queue_length_max: pool.queue_length_max,
        };
        self.pools.insert(name.to_owned(), figures);
    }

    /// Adds a machine with the name of its operating system.
    pub fn add_machine(&mut self, name: &str, os: &str, machine: &MachineSummary) {
        self.machines.insert(name.to_owned(), MachineFigures::new(os, machine));
    }

    /// Adds a cluster with its dispatch policy, and its stations as those of all servers together.
    pub fn add_cluster(&mut self, name: &str, dispatch: &str, cluster: &ClusterSummary) {
        for (at, station) in cluster.stations.iter().enumerate() {
            self.add_station(station, &cluster.station(at));
        }
        self.clusters.insert(name.to_owned(), ClusterFigures::new(dispatch, cluster));
    }

    /// Adds a link.
    pub fn add_link(&mut self, name: &str, link: &LinkSummary) {
        self.links.insert(name.to_owned(), link.into());
    }
}
