//! Whether a cluster and a workload fit together.

use thinktime_file::error::Invalid;

use super::ClusterModel;
use crate::policy::dispatch::PolicyInput;
use crate::system::node::NodeModel;
use crate::workload::Workload;

impl ClusterModel {
    /// Checks that each request has the properties that the policy and the caches need.
    pub(in crate::system) fn check_requests(&self, workload: &Workload) -> Result<(), Invalid> {
        let cluster = &self.name;
        let needs_classes = self.dispatch.entry().needs.contains(&PolicyInput::Classes);
        let visits = |name: &str| {
            let mut entry_names = (0..).take(self.entry_names().len());
            entry_names.any(|at| self.demand(at).is_some_and(|demand| demand.of(name).is_some()))
        };
        for request in workload.requests.iter().filter(|one| visits(&one.name)) {
            let name = &request.name;
            let in_class = self.classes.iter().any(|(_, names)| names.contains(name));
            if needs_classes && !in_class {
                return Err(Invalid::new(format!(
                    "the request `{name}` is in no class of the cluster `{cluster}`, whose \
                     dispatch policy goes by classes"
                )));
            }
            if self.holds(name) && request.size.is_none() {
                return Err(Invalid::new(format!(
                    "the cache of the cluster `{cluster}` may hold the response to `{name}`, which \
                     has no `size` in the workload: give it one, as in size = \"20kB\", or leave \
                     it out of `holds`"
                )));
            }
        }
        Ok(())
    }

    /// Whether the servers' caches may hold the responses to requests of this name.
    pub(super) fn holds(&self, name: &str) -> bool {
        match self.cache.as_ref().map(|cache| &cache.holds) {
            None => false,
            Some(None) => true,
            Some(Some(names)) => names.iter().any(|one| one == name),
        }
    }

    /// The names of the stations or services of each server, in their order, as in `web/3/cpu`.
    pub(in crate::system) fn station_labels(&self) -> Vec<String> {
        let own = |name: &str| name[self.name.len() + 1..].to_owned();
        let stations: Vec<String> = self.entry_names().into_iter().map(own).collect();
        let of_server = |server| {
            let name = &self.name;
            stations.iter().map(move |station| format!("{name}/{server}/{station}"))
        };
        (0..self.setting.weights.len()).flat_map(of_server).collect()
    }
}
