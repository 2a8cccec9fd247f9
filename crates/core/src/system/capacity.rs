//! The capacities of a system's nodes, and their load under a workload.

use super::ids::EntranceId;
use super::model::SystemModel;
use super::nodes::AnyNodeModel;
use super::uses::{Amount, Use};
use crate::workload::Workload;

/// The capacity of a node with servers, and the load that requests put on it.
#[derive(Clone, Copy, Debug)]
pub struct Capacity {
    /// The mean service demand of a request with the workload's mix, in seconds.
    pub demand_s: f64,
    /// The work that it does in a second with very many requests, in seconds of one server or core:
    /// their number, unless its speed varies.
    pub speed: f64,
    /// Whether no request is turned away, and each waits as long as it takes.
    pub unlimited: bool,
}

impl Capacity {
    /// The load that one request a second puts on it: the demand divided by the speed, in seconds.
    #[must_use]
    pub fn demand_per_server_s(&self) -> f64 {
        self.demand_s / self.speed
    }
}

impl SystemModel {
    /// The capacity of each node with servers, and its demand per second when the populations make
    /// requests at these rates, or for one request if they are shares.
    #[must_use]
    pub fn capacities(&self, workload: &Workload, rates: &[f64]) -> Vec<Capacity> {
        let program = self.program_for(workload);
        self.capacities_for(workload, rates, &|kind| program.mean_visits_s(kind).collect())
    }

    /// As [`SystemModel::capacities`], for the requests alone that wait as long as it takes, in any
    /// number. A load of 1 and more of these makes a queue grow without bound; the others are
    /// bounded, because the client or a queue turns them away, or because they give up.
    #[must_use]
    pub fn patient_capacities(&self, workload: &Workload, rates: &[f64]) -> Vec<Capacity> {
        let program = self.program_for(workload);
        self.capacities_for(workload, rates, &|kind| {
            let uses = self.uses(&program, workload, kind).into_iter();
            let demand = |one: Use| match one.of {
                Amount::Demand(entrance, mean_s) => Some((entrance, mean_s)),
                Amount::Kept(_) | Amount::Bytes(_) => None,
            };
            uses.filter(|one| one.certain).filter_map(demand).collect()
        })
    }

    /// `visits` gives the entrances by which a kind of request goes, with its mean demand there.
    fn capacities_for(
        &self,
        workload: &Workload,
        rates: &[f64],
        visits: &dyn Fn(usize) -> Vec<(EntranceId, f64)>,
    ) -> Vec<Capacity> {
        let mut by_door = vec![0.0; self.entrances.len()];
        let mut means = vec![0.0; self.entrances.len()];
        for (population, rate) in workload.populations.iter().zip(rates) {
            let (weights, total) = population.weights(&workload.requests);
            let mut sums = vec![0.0; self.entrances.len()];
            for (kind, weight) in population.kinds.clone().zip(weights) {
                // Of many entrances a request uses few, and only those are added up.
                let visits = visits(kind);
                visits.iter().for_each(|(at, mean)| means[at.0 as usize] += mean);
                for (at, _) in visits {
                    sums[at.0 as usize] += weight * std::mem::take(&mut means[at.0 as usize]);
                }
            }
            by_door.iter_mut().zip(sums).for_each(|(all, sum)| *all += rate * (sum / total));
        }
        let mut by_node = vec![0.0; self.nodes.len()];
        let mut by_entrance = Vec::new();
        for (entrance, sum) in self.entrances.iter().zip(by_door) {
            by_node[entrance.node.0 as usize] += sum;
            let model = self.node(entrance.node).model();
            if let Some(speed) = model.capacity_at(entrance.entry) {
                let unlimited = model.is_unlimited();
                by_entrance.push(Capacity { demand_s: sum, speed, unlimited });
            }
        }
        let capacity = |(node, demand_s): (&AnyNodeModel, f64)| {
            let (model, speed) = (node.model(), node.model().capacity()?);
            Some(Capacity { demand_s, speed, unlimited: model.is_unlimited() })
        };
        self.nodes.iter().zip(by_node).filter_map(capacity).chain(by_entrance).collect()
    }

    /// The load of the busiest station or machine when the populations make requests at these
    /// rates; with one population and a rate of 1, its demand divided by its speed, in seconds.
    #[must_use]
    pub fn bottleneck_load(&self, workload: &Workload, rates: &[f64]) -> f64 {
        let capacities = self.capacities(workload, rates);
        capacities.iter().map(Capacity::demand_per_server_s).fold(0.0, f64::max)
    }
}
