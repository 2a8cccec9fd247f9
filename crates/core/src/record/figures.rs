//! The parts of a summary: figures of machines, clusters, kinds of request and objectives.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use thinktime_file::workload::Model;

use crate::statistics::TimeFigures;
use crate::system::Demands;
use crate::system::cluster::{ClusterSummary, ServerSummary};
use crate::system::machine::{LimitSummary, MachineSummary};

/// A machine over the measured time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MachineFigures {
    /// Its operating system.
    pub os: String,
    /// The fraction of time that each core was busy.
    pub core_loads: Vec<f64>,
    /// The mean number of tasks of each core, the running one included.
    pub core_tasks_mean: Vec<f64>,
    /// The mean number of tasks that waited for a core.
    pub run_queue_mean: f64,
    /// The largest number.
    pub run_queue_max: u64,
    /// Tasks that were moved from one core to another.
    pub migrations: u64,
    /// Tasks that lost their core to another one before their burst was done.
    pub preemptions: u64,
    /// The number of switches of a core to another task.
    pub context_switches: u64,
    /// Each service that has a CPU limit.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub limits: BTreeMap<String, LimitFigures>,
}

/// The CPU limit of a service over the measured time, as `cpu.stat` of a control group has it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LimitFigures {
    /// Periods in which the service was at work (`nr_periods`).
    pub periods: u64,
    /// Those at whose end it was throttled on at least one core (`nr_throttled`).
    pub throttled_periods: u64,
    /// The time for which its threads were throttled, in seconds, summed over cores
    /// (`throttled_usec`).
    pub throttled_s: f64,
    /// The time for which its threads waited because of that, in seconds, summed over threads.
    pub waited_s: f64,
}

impl LimitFigures {
    fn new(limit: &LimitSummary) -> (String, LimitFigures) {
        let LimitSummary { service, periods, throttled_periods, throttled_s, waited_s } = limit;
        let figures = LimitFigures {
            periods: *periods,
            throttled_periods: *throttled_periods,
            throttled_s: *throttled_s,
            waited_s: *waited_s,
        };
        (service.clone(), figures)
    }
}

impl MachineFigures {
    pub(super) fn new(os: &str, machine: &MachineSummary) -> MachineFigures {
        MachineFigures {
            os: os.to_owned(),
            core_loads: machine.core_loads.clone(),
            core_tasks_mean: machine.core_tasks_mean.clone(),
            run_queue_mean: machine.run_queue_mean,
            run_queue_max: machine.run_queue_max,
            migrations: machine.migrations,
            preemptions: machine.preemptions,
            context_switches: machine.context_switches,
            limits: machine.limits.iter().map(LimitFigures::new).collect(),
        }
    }
}

/// A cluster over the measured time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ClusterFigures {
    /// Its dispatch policy, as the file names it.
    pub dispatch: String,
    /// Each server.
    pub servers: Vec<ServerFigures>,
    /// The load of the busiest server, divided by the mean of all, less 1; at the busiest station.
    pub imbalance: f64,
    /// The mean number of requests that waited at the switch.
    pub waiting_mean: f64,
}

/// A server of a cluster over the measured time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ServerFigures {
    /// The fraction of time that each of its stations, or its machine, was busy.
    pub load: BTreeMap<String, f64>,
    /// Requests that were sent to it.
    pub requests: u64,
    /// The hit ratio, among the requests that its cache could hold; `None` if there are none.
    pub hit_ratio: Option<f64>,
    /// Requests by class.
    pub by_class: BTreeMap<String, u64>,
    /// The machine that it is; `None` if it has stations.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub machine: Option<MachineFigures>,
}

impl ClusterFigures {
    pub(super) fn new(dispatch: &str, cluster: &ClusterSummary) -> ClusterFigures {
        let station =
            |name: &String| name.split_once('/').map_or(name.clone(), |(_, own)| own.into());
        let names: Vec<String> = cluster.stations.iter().map(station).collect();
        let os = cluster.os.as_deref();
        let server = |one: &ServerSummary| ServerFigures {
            load: names.iter().cloned().zip(one.stations.iter().map(|it| it.load)).collect(),
            requests: one.requests,
            hit_ratio: (one.looked_up > 0).then(|| one.hits as f64 / one.looked_up as f64),
            by_class: cluster.classes.iter().cloned().zip(one.by_class.iter().copied()).collect(),
            machine: one.machine.as_ref().zip(os).map(|(one, os)| MachineFigures::new(os, one)),
        };
        ClusterFigures {
            dispatch: dispatch.to_owned(),
            servers: cluster.servers.iter().map(server).collect(),
            imbalance: cluster.imbalance(),
            waiting_mean: cluster.waiting_mean,
        }
    }
}

/// The resources that the generator of a real run used itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct GeneratorFigures {
    /// The number of its event loops, each in a thread of its own.
    pub loops: u64,
    /// The CPU time of its event loop, of the busiest if there are several, as a share of one core.
    pub cpu_share: f64,
    /// The share of the time in which it was ready to run and had no core.
    pub without_core_share: f64,
    /// The most connections open at a time, sampled ten times a second.
    pub connections_max: u64,
    /// The system's limit of its descriptors; `None` if there is no limit.
    pub descriptors_allowed: Option<u64>,
    /// The traffic of its network interface, as a share of its capacity; `None` if that is unknown.
    pub interface_share: Option<f64>,
}

impl GeneratorFigures {
    /// With those of another event loop of the same generator.
    #[must_use]
    pub fn joined(self, other: GeneratorFigures) -> GeneratorFigures {
        let larger = |a: Option<f64>, b: Option<f64>| a.into_iter().chain(b).reduce(f64::max);
        GeneratorFigures {
            loops: self.loops + other.loops,
            cpu_share: self.cpu_share.max(other.cpu_share),
            without_core_share: self.without_core_share.max(other.without_core_share),
            connections_max: self.connections_max + other.connections_max,
            descriptors_allowed: self.descriptors_allowed,
            interface_share: larger(self.interface_share, other.interface_share),
        }
    }
}

/// Service demands, in seconds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DemandFigures {
    /// The sample mean; `None` without requests.
    pub mean: Option<f64>,
    /// The sample squared coefficient of variation; `None` without requests.
    pub cv2: Option<f64>,
}

impl DemandFigures {
    pub(super) fn new(demands: &Demands) -> DemandFigures {
        let of_some = |value: f64| (demands.arrivals > 0).then_some(value);
        DemandFigures { mean: of_some(demands.mean_s()), cv2: of_some(demands.cv2()) }
    }
}

/// Users of one kind.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PopulationFigures {
    /// Its system model.
    pub model: Model,
    /// Its requests that count and are over.
    pub requests: u64,
    /// Of these, the ones that failed for good.
    pub errors: u64,
    /// The rate at which its requests were scheduled, per second.
    pub offered_rate: f64,
    /// The response times of those that succeeded.
    pub response_time_s: TimeFigures,
    /// Its pages that are over; `None` if it has no pages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pages: Option<u64>,
    /// Of these, the ones with a request that failed for good.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page_errors: Option<u64>,
    /// The page response times of the others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page_response_time_s: Option<TimeFigures>,
    /// How long its sessions lasted, as that of all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_time_s: Option<TimeFigures>,
}

/// One kind of request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RequestFigures {
    /// Requests that succeeded.
    pub requests: u64,
    /// Requests that failed for good.
    #[serde(default)]
    pub errors: u64,
    /// Failed attempts by cause, as in `timeout` or `status 404`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub causes: BTreeMap<String, u64>,
    /// The beginning of the body of each cause's first response, if that was asked for.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub bodies: BTreeMap<String, String>,
    /// Their response times.
    pub response_time_s: TimeFigures,
    /// The events of their responses, if these are streamed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub events: Option<u64>,
    /// The tokens of their prompts, by the responses that report them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt_tokens: Option<u64>,
    /// The tokens of these responses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_tokens: Option<u64>,
    /// From the scheduled time to the first of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_event_s: Option<TimeFigures>,
    /// The times between them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub event_gap_s: Option<TimeFigures>,
}

/// Whether an objective is met.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Attainment {
    /// It is, by 95 % intervals.
    Met,
    /// It is not.
    #[serde(rename = "not met")]
    NotMet,
    /// The figure is not known well enough.
    #[serde(rename = "cannot tell")]
    CannotTell,
}

/// An objective, its figure, and its attainment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ObjectiveFigures {
    /// The figure's key in the file, as in `p99`, `page_p99`, `errors` or `checks`.
    pub name: String,
    /// The population, request or check of the figure; `None` for the whole.
    pub of: Option<String>,
    /// The limit: the largest time in seconds or share that fails; the least share that passes.
    pub limit: f64,
    /// The figure, in the same unit; `None` if it was not measured.
    pub value: Option<f64>,
    /// Its 95 % confidence interval; `None` if the data cannot bound it.
    #[serde(default, deserialize_with = "super::intervals::interval")]
    pub interval: Option<[f64; 2]>,
    /// Whether it is met.
    pub verdict: Attainment,
    /// All of that in words.
    pub words: String,
}
