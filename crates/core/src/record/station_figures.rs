//! The figures of stations and pools.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::figures::DemandFigures;
use crate::system::{KindSummary, ScaleSummary, StationSummary};
use crate::workload::Workload;

/// This many numbers of requests have their share of time.
const SHARES_MAX: usize = 1000;

/// The requests at a station or a pool over the measured time: those in service too, or those that
/// hold a place.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct QueueFigures {
    /// The fraction of time that a server was busy; of a pool, the fraction of its places that was
    /// taken.
    pub load: f64,
    /// Their mean number.
    pub queue_length_mean: f64,
    /// The largest number.
    pub queue_length_max: u64,
    /// The fractions of time with 0, 1, 2, ... of them, up to the largest number or to 999. Empty
    /// for a station of several servers of a cluster.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub queue_length_shares: Vec<f64>,
    /// Those that left, a second; of a pool, those that gave up their place or their wait.
    #[serde(default)]
    pub throughput: Option<f64>,
    /// The mean time that a visit lasted, from arrival to departure: the mean number divided by the
    /// throughput (Little's law).
    #[serde(default)]
    pub response_time_mean_s: Option<f64>,
}

/// A modelled station over the measured time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StationFigures {
    /// Its queue.
    #[serde(flatten)]
    pub queue: QueueFigures,
    /// The service demands of its requests.
    pub demand_s: DemandFigures,
    /// Its servers, if their number changes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scale: Option<ScaleFigures>,
    /// The half-widths of 95 % confidence intervals: of the means of replications, or of batches of
    /// time. `None` if the run was too short, or if in some part of it no request left.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ci95: Option<FlowIntervals>,
    /// The same by request name; empty if the workload has one kind of request.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub by_request: BTreeMap<String, StationRequestFigures>,
}

/// The servers of a station, whose number changes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ScaleFigures {
    /// The mean number of servers that were there, those that were to go included.
    pub servers_mean: f64,
    /// The mean number of servers that started, and were not there yet.
    pub setups_mean: f64,
    /// How often one came; over all replications.
    pub additions: u64,
    /// How often one went; over all replications.
    pub removals: u64,
}

impl ScaleFigures {
    fn new(scale: &ScaleSummary) -> ScaleFigures {
        let ScaleSummary { servers_mean, setups_mean, additions, removals } = *scale;
        ScaleFigures { servers_mean, setups_mean, additions, removals }
    }
}

/// The requests of one name at a station.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StationRequestFigures {
    /// Their part of the load, by the service that those had that left.
    pub load: f64,
    /// Their mean number at the station.
    pub queue_length_mean: f64,
    /// Those that left it, a second.
    pub throughput: f64,
    /// The mean time that their visits lasted; `None` if none of them left.
    pub response_time_mean_s: Option<f64>,
    /// Their service demands.
    pub demand_s: DemandFigures,
    /// As that of the station.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ci95: Option<FlowIntervals>,
}

/// The half-widths of the 95 % confidence intervals of a station's figures.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FlowIntervals {
    /// Of the load.
    pub load: f64,
    /// Of the mean number of requests.
    pub queue_length_mean: f64,
    /// Of the throughput.
    pub throughput: f64,
    /// Of the mean time of a visit.
    pub response_time_mean_s: f64,
}

impl QueueFigures {
    pub(super) fn new(queue: &StationSummary) -> QueueFigures {
        let flow = queue.flow();
        let mut shares = queue.queue_length_shares();
        shares.truncate(SHARES_MAX);
        QueueFigures {
            load: queue.load,
            queue_length_mean: queue.queue_length_mean,
            queue_length_max: queue.queue_length_max,
            queue_length_shares: shares,
            throughput: Some(flow.throughput),
            response_time_mean_s: flow.response_time_mean_s,
        }
    }
}

impl StationFigures {
    /// Without intervals.
    #[must_use]
    pub fn new(station: &StationSummary, workload: &Workload) -> StationFigures {
        StationFigures {
            queue: QueueFigures::new(station),
            demand_s: DemandFigures::new(&station.demands),
            scale: station.scale.as_ref().map(ScaleFigures::new),
            ci95: None,
            by_request: by_request(station, workload),
        }
    }
}

fn by_request(
    station: &StationSummary,
    workload: &Workload,
) -> BTreeMap<String, StationRequestFigures> {
    // Several populations may have requests of one name.
    let mut by_name: BTreeMap<&str, Vec<&KindSummary>> = BTreeMap::new();
    for one in &station.by_kind {
        by_name.entry(&workload.requests[one.kind as usize].name).or_default().push(one);
    }
    let figures = |kinds: &Vec<&KindSummary>| {
        let (flow, demands) = station.flow_of(kinds);
        StationRequestFigures {
            load: station.load_of(kinds),
            queue_length_mean: flow.queue_length_mean,
            throughput: flow.throughput,
            response_time_mean_s: flow.response_time_mean_s,
            demand_s: DemandFigures::new(&demands),
            ci95: None,
        }
    };
    by_name.iter().map(|(name, kinds)| ((*name).to_owned(), figures(kinds))).collect()
}
