//! The figures of a cluster over the measured time.

use serde::{Deserialize, Serialize};

use crate::system::machine::MachineSummary;
use crate::system::station::StationSummary;

/// The figures of a cluster.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClusterSummary {
    /// Each server.
    pub servers: Vec<ServerSummary>,
    /// The names of the stations of each, or of the machine that each is.
    pub stations: Vec<String>,
    /// The operating system of servers that are machines.
    pub os: Option<String>,
    /// The names of the classes.
    pub classes: Vec<String>,
    /// The time average of the number of requests that wait at the switch.
    pub waiting_mean: f64,
}

/// The figures of a server of a cluster.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ServerSummary {
    /// Each of its stations, or the machine that it is.
    pub stations: Vec<StationSummary>,
    /// The machine that it is.
    pub machine: Option<MachineSummary>,
    /// Requests that were sent to it.
    pub requests: u64,
    /// Requests whose response its cache could have held, and the hits among them.
    pub looked_up: u64,
    /// The hits.
    pub hits: u64,
    /// Requests by class, in the order of the cluster's classes.
    pub by_class: Vec<u64>,
}

impl ClusterSummary {
    /// Takes away an earlier measurement of the stations; the other figures stay.
    pub(in crate::system) fn subtract(&mut self, earlier: &ClusterSummary) {
        for (now, then) in self.servers.iter_mut().zip(&earlier.servers) {
            now.stations.iter_mut().zip(&then.stations).for_each(|(now, then)| now.subtract(then));
        }
    }

    /// Averages with another measurement of the same cluster, each weighted by its length.
    pub fn join(&mut self, other: &ClusterSummary) {
        let length = |one: &ClusterSummary| one.servers[0].stations[0].duration_s;
        let (mine, theirs) = (length(self), length(other));
        if mine + theirs > 0.0 {
            let sum = self.waiting_mean * mine + other.waiting_mean * theirs;
            self.waiting_mean = sum / (mine + theirs);
        }
        for (mine, theirs) in self.servers.iter_mut().zip(&other.servers) {
            mine.stations.iter_mut().zip(&theirs.stations).for_each(|(a, b)| a.join(b));
            let machines = mine.machine.iter_mut().zip(&theirs.machine);
            machines.for_each(|(mine, theirs)| mine.join(theirs));
            mine.requests += theirs.requests;
            mine.looked_up += theirs.looked_up;
            mine.hits += theirs.hits;
            mine.by_class.iter_mut().zip(&theirs.by_class).for_each(|(a, b)| *a += b);
        }
    }

    /// A station of all servers together: the mean of their loads, and the sum of their jobs.
    #[must_use]
    pub fn station(&self, at: usize) -> StationSummary {
        let all: Vec<&StationSummary> = self.servers.iter().map(|one| &one.stations[at]).collect();
        let mut pooled = all[0].clone();
        all[1..].iter().for_each(|one| pooled.join(one));
        // Averages over the servers' times together.
        let servers = all.len() as f64;
        pooled.by_kind.iter_mut().for_each(|one| one.queue_length_mean *= servers);
        StationSummary {
            duration_s: all[0].duration_s,
            // It does not follow from that of each server.
            above: Vec::new(),
            load: all.iter().map(|one| one.load).sum::<f64>() / servers,
            queue_length_mean: all.iter().map(|one| one.queue_length_mean).sum(),
            ..pooled
        }
    }

    /// How unevenly the work is spread: the load of the busiest server's busiest station, divided
    /// by the mean over all servers of that station's load, less 1; 0 without any work.
    #[must_use]
    pub fn imbalance(&self) -> f64 {
        let stations = 0..self.stations.len();
        let mean = |at: usize| self.station(at).load;
        let Some(busiest) = stations.max_by(|a, b| mean(*a).total_cmp(&mean(*b))) else {
            return 0.0;
        };
        let most = self.servers.iter().map(|one| one.stations[busiest].load).fold(0.0, f64::max);
        if mean(busiest) > 0.0 { most / mean(busiest) - 1.0 } else { 0.0 }
    }
}
