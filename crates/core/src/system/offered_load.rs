//! The loads that a workload offers to parts of a system whose servers do not share one queue.

use std::collections::BTreeMap;

use super::cluster::ClusterModel;
use super::ids::NodeId;
use super::machine::{ServiceModel, Threads};
use super::model::SystemModel;
use super::nodes::AnyNodeModel;
use super::uses::{Amount, Use};
use crate::workload::Workload;

/// The load that a workload offers to a part of a system. At 1 and more it grows without bound.
#[derive(Clone, Debug, PartialEq)]
pub struct OfferedLoad {
    /// The name of the part: of one server of a cluster as in `web/0/cpu`.
    pub name: String,
    /// The least load, if nothing were lost: waits within a place that is kept, and packets that
    /// are sent again, only add to it.
    pub load: f64,
}

/// By node and entry, what each kind of request uses in a second.
type Rates = BTreeMap<(NodeId, u32), Vec<f64>>;

impl SystemModel {
    /// The loads of pools, of services' threads and CPU limits, of the servers of clusters and of
    /// links, when the populations make requests at these rates. Requests that may be turned away
    /// before, or give up, are not counted.
    #[must_use]
    pub fn offered_loads(&self, workload: &Workload, rates: &[f64]) -> Vec<OfferedLoad> {
        let asked = self.asked(workload, rates, &|one| self.amount(one));
        let demanded = self.asked(workload, rates, &|one| match one.of {
            Amount::Demand(_, amount) => amount,
            Amount::Kept(_) | Amount::Bytes(_) => 0.0,
        });
        let nodes = || (0..).map(NodeId).zip(&self.nodes);
        let limits = nodes().flat_map(|(node, model)| loads_of_limits(model, node, &demanded));
        nodes().flat_map(|(node, model)| loads_of(model, node, &asked)).chain(limits).collect()
    }

    /// What is used in a second, of each use its `amount`.
    fn asked(&self, workload: &Workload, rates: &[f64], amount: &dyn Fn(&Use) -> f64) -> Rates {
        let mut asked = Rates::new();
        let program = self.program_for(workload);
        for (population, rate) in workload.populations.iter().zip(rates) {
            let (weights, total) = population.weights(&workload.requests);
            for (kind, weight) in population.kinds.clone().zip(weights) {
                for one in self.uses(&program, workload, kind).iter().filter(|one| one.certain) {
                    let of_kinds = asked.entry((one.node, one.entry)).or_default();
                    of_kinds.resize(workload.requests.len(), 0.0);
                    of_kinds[kind] += rate * weight / total * amount(one);
                }
            }
        }
        asked
    }

    /// What a use takes of its part: seconds, or bytes with their headers.
    fn amount(&self, one: &Use) -> f64 {
        match (one.of, self.node(one.node)) {
            (Amount::Bytes(bytes), AnyNodeModel::Link(link)) => link.on_the_wire(bytes),
            // Threads are kept beside the demand of the service.
            (Amount::Demand(..), AnyNodeModel::Machine(_)) => 0.0,
            (Amount::Demand(_, amount) | Amount::Kept(amount) | Amount::Bytes(amount), _) => amount,
        }
    }
}

fn offered(name: String, asked: f64, offers: f64) -> OfferedLoad {
    OfferedLoad { name, load: asked / offers }
}

fn loads_of(model: &AnyNodeModel, node: NodeId, asked: &Rates) -> Vec<OfferedLoad> {
    let of = |entry| asked.get(&(node, entry)).map_or(&[][..], Vec::as_slice);
    let sum = |entry| of(entry).iter().sum();
    match model {
        AnyNodeModel::Pool(pool) => vec![offered(pool.name.clone(), sum(0), pool.size.into())],
        AnyNodeModel::Limiter(limiter) => vec![offered(limiter.name.clone(), sum(0), 1.0)],
        AnyNodeModel::Machine(machine) => {
            let threads = |(service, entry): (&ServiceModel, u32)| match service.threads {
                Threads::Pool(size) => Some(offered(service.name.clone(), sum(entry), size.into())),
                Threads::PerRequest | Threads::EventLoops(_) => None,
            };
            machine.services.iter().zip(0..).filter_map(threads).collect()
        }
        AnyNodeModel::Link(link) => {
            let ways = asked.range((node, 0)..=(node, u32::MAX));
            let most = ways.map(|(_, one)| one.iter().sum()).fold(0.0, f64::max);
            let load = |(rate, _)| offered(link.name.clone(), most, rate);
            link.rate.map(load).into_iter().collect()
        }
        AnyNodeModel::Cluster(cluster) => loads_of_servers(cluster, &of),
        AnyNodeModel::Station(_) | AnyNodeModel::TokenServer(_) | AnyNodeModel::Delay(_) => {
            Vec::new()
        }
    }
}

/// The loads of the CPU limits of a machine's services: the CPU time that is demanded in a second
/// over the cores that a limit is worth in the long run, whatever its period and its burst.
fn loads_of_limits(model: &AnyNodeModel, node: NodeId, demanded: &Rates) -> Vec<OfferedLoad> {
    let AnyNodeModel::Machine(machine) = model else { return Vec::new() };
    let limited = |(service, entry): (&ServiceModel, u32)| {
        let cores = service.limit?.cores();
        let sum = demanded.get(&(node, entry)).map_or(0.0, |kinds| kinds.iter().sum());
        Some(offered(format!("{}.cpu_limit", service.name), sum, cores))
    };
    machine.services.iter().zip(0..).filter_map(limited).collect()
}

/// The loads of the parts of a cluster's servers. `of` gives what each kind of request needs in a
/// second by an entry.
fn loads_of_servers<'a>(cluster: &ClusterModel, of: &dyn Fn(u32) -> &'a [f64]) -> Vec<OfferedLoad> {
    let Some(speeds) = cluster.speeds() else { return Vec::new() };
    let mut all = Vec::new();
    for (station, entry) in cluster.stations.iter().zip(0..) {
        let (kinds, servers) = (of(entry), station.model.speed());
        let (asked, name) = (kinds.iter().sum::<f64>(), &station.model.name);
        let speed: f64 = speeds.iter().sum();
        all.push(offered(name.clone(), asked, servers * speed));
        let one_kind = kinds.iter().filter(|one| **one > 0.0).count() == 1;
        let shares = cluster.dispatch.shares(&cluster.setting.weights, one_kind);
        let own = name.strip_prefix(&cluster.name).unwrap_or(name);
        let each = shares.into_iter().flatten().zip(&speeds).enumerate();
        all.extend(each.map(|(number, (share, speed))| {
            offered(format!("{}/{number}{own}", cluster.name), asked * share, servers * speed)
        }));
    }
    all
}
