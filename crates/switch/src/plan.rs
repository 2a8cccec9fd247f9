//! The switch's knowledge before the first request arrives.

use thinktime_core::error::{Invalid, unknown};
use thinktime_core::policy::dispatch::{self, PolicyInput};
use thinktime_core::random::{Purpose, Stream};
use thinktime_core::request::{RequestKind, target_key};
use thinktime_core::system::SystemModel;
use thinktime_core::system::cluster::ClusterModel;
use thinktime_core::time::Nanos;
use thinktime_core::workload::Workload;
use thinktime_net::server::PROBE_PATH;

use crate::backend::Backend;
use crate::check_path::CheckPath;

/// A cluster with real servers, and what its policy learns about requests.
#[derive(Clone, Debug)]
pub struct Plan {
    pub(crate) cluster: ClusterModel,
    pub(crate) servers: Vec<Backend>,
    /// The path at which servers report their load.
    pub(crate) probe: Option<CheckPath>,
    kinds: Vec<RequestKind>,
    seed: u64,
}

impl Plan {
    /// For the cluster of this name, or the only one. A workload, with its file, gives requests
    /// their names; without it the name is the first part of the target's path. `probe` is the path
    /// at which servers report their load, `seed` the seed of the policy's random choices.
    ///
    /// # Errors
    /// If there is no such cluster, the number of servers differs, two of these are the same, the
    /// workload lacks a request of a class, or the policy needs information that a real switch
    /// lacks.
    pub fn new(
        system: &SystemModel,
        name: Option<&str>,
        workload: Option<(&Workload, &str)>,
        servers: Vec<Backend>,
        probe: Option<CheckPath>,
        seed: u64,
    ) -> Result<Plan, Invalid> {
        let cluster = cluster(system, name)?.clone();
        let wanted = cluster.setting.weights.len();
        if servers.len() != wanted {
            return Err(Invalid::new(format!(
                "the cluster `{}` has {wanted} servers, and {} are given: give --server URL once \
                 for each",
                cluster.name,
                servers.len()
            )));
        }
        check_distinct(&servers)?;
        check_needs(&cluster, probe.is_some())?;
        if let Some((workload, file)) = workload {
            check_classes(&cluster, &workload.requests, file)?;
        }
        let kinds = workload.map_or_else(Vec::new, |(workload, _)| workload.requests.clone());
        Ok(Plan { cluster, servers, probe, kinds, seed })
    }

    /// The dispatcher, with nothing in progress.
    pub(crate) fn switch(&self) -> Result<dispatch::Switch, Invalid> {
        // As in the first cluster of a simulation with this seed.
        let random = Stream::new(self.seed, 0, Purpose::Dispatch);
        dispatch::Switch::new(&self.cluster.dispatch, &self.cluster.setting, random)
    }

    /// Whether the policy needs the servers' load.
    pub(crate) fn needs_probes(&self) -> bool {
        self.cluster.dispatch.entry().needs.contains(&PolicyInput::Probes)
    }

    /// The policy's view of a request.
    pub(crate) fn request(&self, method: &str, target: &str) -> dispatch::Request {
        let kind = RequestKind::place_of(&self.kinds, method, target).map(|at| &self.kinds[at]);
        let name = match kind {
            Some(kind) => &kind.name,
            None if self.kinds.is_empty() => first_part(target),
            None => "",
        };
        let mut classes = self.cluster.classes.iter();
        let class = classes.position(|(_, names)| names.iter().any(|one| one == name));
        let target = kind.map_or_else(|| target_key(target), |kind| kind.target.key_of(target));
        // Requests of no class join the first, as in a simulation.
        dispatch::Request { class: class.unwrap_or(0) as u32, target, work: Nanos::ZERO }
    }
}

fn cluster<'a>(system: &'a SystemModel, name: Option<&str>) -> Result<&'a ClusterModel, Invalid> {
    let all: Vec<&ClusterModel> = system.clusters().collect();
    match (name, all.as_slice()) {
        (_, []) => Err(Invalid::new(format!(
            "`{}` has no [[cluster]], which says what a switch does",
            system.name
        ))),
        (None, [only]) => Ok(only),
        (None, _) => Err(Invalid::new(format!(
            "`{}` has several clusters: say by --cluster NAME which one the servers are of",
            system.name
        ))),
        (Some(name), all) => {
            let found = all.iter().find(|one| one.name == name);
            let names = all.iter().map(|one| one.name.as_str());
            found.copied().ok_or_else(|| unknown("cluster", name, names))
        }
    }
}

/// Refuses policies that need information which a real switch lacks.
fn check_needs(cluster: &ClusterModel, can_ask: bool) -> Result<(), Invalid> {
    let entry = cluster.dispatch.entry();
    let why = |need: &PolicyInput| match need {
        PolicyInput::Work => Some(
            "the service demand of each request, which a real request does not report: it can be \
             simulated only"
                .to_owned(),
        ),
        PolicyInput::Probes if !can_ask => Some(format!(
            "the work of each server: name the path at which servers report it, as in --probe \
             {PROBE_PATH}"
        )),
        PolicyInput::Probes | PolicyInput::Classes | PolicyInput::Targets => None,
    };
    match entry.needs.iter().find_map(why) {
        None => Ok(()),
        Some(why) => Err(Invalid::new(format!(
            "the policy `{}` needs {why}; jsq, jsq(2) and peak-ewma need nothing of the kind",
            entry.name()
        ))),
    }
}

/// Refuses a repeated server: the policy would take it for two that are idle.
fn check_distinct(servers: &[Backend]) -> Result<(), Invalid> {
    for (number, server) in servers.iter().enumerate() {
        let same = servers[..number].iter().position(|other| other.address == server.address);
        if let Some(other) = same {
            let (one, two) = (&servers[other].url, &server.url);
            return Err(Invalid::new(format!(
                "servers {other} ({one}) and {number} ({two}) are the same: give each once, and a \
                 larger one a larger number in `weights`"
            )));
        }
    }
    Ok(())
}

/// Refuses classes of requests that the workload does not have.
fn check_classes(cluster: &ClusterModel, kinds: &[RequestKind], file: &str) -> Result<(), Invalid> {
    let known = kinds.iter().map(|kind| kind.name.as_str());
    for (class, names) in &cluster.classes {
        if let Some(name) = names.iter().find(|name| !known.clone().any(|one| one == *name)) {
            let place = if file.is_empty() { String::new() } else { format!("{file}: ") };
            return Err(Invalid::new(format!(
                "{place}the class `{class}` of the cluster `{}` has an {}",
                cluster.name,
                unknown("request", name, known)
            )));
        }
    }
    Ok(())
}

/// The first part of a target's path.
fn first_part(target: &str) -> &str {
    let path = target.split(['?', '#']).next().unwrap_or(target);
    path.split('/').nth(1).unwrap_or("")
}

#[cfg(test)]
mod tests;
