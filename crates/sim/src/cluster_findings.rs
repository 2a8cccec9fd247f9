//! Surprises in a simulation of clusters, in words.

use thinktime_core::record::Summary;
use thinktime_core::system::SystemModel;
use thinktime_core::words;

/// A load that exceeds the given one by more than this share of it is far from it.
const FAR: f64 = 0.05;

/// The findings of clusters.
#[derive(Default)]
pub(crate) struct ClusterFindings {
    /// The changes of servers that happened, and the loads of stations that a given load leaves
    /// out.
    pub(crate) notes: Vec<String>,
    /// Changes that never happened, and loads that are far above the given one.
    pub(crate) warnings: Vec<String>,
}

impl ClusterFindings {
    /// For a system and its figures; `load` is the given one, if there is one.
    pub(crate) fn new(system: &SystemModel, summary: &Summary, load: Option<f64>) -> Self {
        let mut found = ClusterFindings::default();
        found.add_changes(system, summary);
        if let Some(asked) = load {
            found.add_loads(system, summary, asked);
        }
        found
    }

    fn add_changes(&mut self, system: &SystemModel, summary: &Summary) {
        let replications = summary.replication_means_s.len().max(1);
        let warmup_s = summary.warmup_s;
        let end_s = warmup_s + summary.duration_s / replications as f64;
        let all = system.clusters().flat_map(|one| one.changes.iter().map(move |what| (one, what)));
        for (cluster, change) in all {
            let at_s = change.at.as_secs_f64();
            let (at, name) = (words::time(at_s), &cluster.name);
            let what = format!("at {at} {name}/{} {}", change.server, change.does);
            if at_s < warmup_s {
                self.notes.push(format!("{what}: before the measured time, and lasts into it"));
            } else if at_s <= end_s {
                let after = words::time(at_s - warmup_s);
                self.notes
                    .push(format!("{what}: within the measured time, {after} after its beginning"));
            } else {
                let end = words::time(end_s);
                self.warnings.push(format!(
                    "{what}: it never happened, because the simulation ended at {end}"
                ));
            }
        }
    }

    /// Stations that only misses visit are left out if a load is given.
    fn add_loads(&mut self, system: &SystemModel, summary: &Summary, asked: f64) {
        let stations = system.clusters().flat_map(|one| &one.stations);
        for station in stations.filter(|station| station.on_miss) {
            let name = &station.model.name;
            let Some(figures) = summary.stations.get(name) else { continue };
            let text = format!(
                "a load of {asked} was asked for, and {name} reached {}: it is left out, because \
                 only misses visit it",
                words::plain(figures.queue.load)
            );
            let is_far = figures.queue.load > (1.0 + FAR) * asked;
            if is_far { self.warnings.push(text) } else { self.notes.push(text) }
        }
    }
}
