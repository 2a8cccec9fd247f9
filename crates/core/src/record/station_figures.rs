//! The figures of stations and pools.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::figures::DemandFigures;
use crate::system::{KindSummary, StationSummary};
use crate::workload::Workload;

/// This many numbers of requests have their share of time.
const SHARES_MAX: usize = 1000;

/// A modelled station over the measured time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StationFigures {
    /// The fraction of time that a server was busy.
    pub load: f64,
    /// The mean number of requests at the station, those in service included.
    pub queue_length_mean: f64,
    /// The largest number.
    pub queue_length_max: u64,
    /// The fractions of time with 0, 1, 2, ... requests there, up to the largest number or to 999.
    /// Empty for a station of several servers of a cluster.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub queue_length_shares: Vec<f64>,
    /// Requests that left it, a second.
    #[serde(default)]
    pub throughput: Option<f64>,
    /// The mean time that a visit lasted, from arrival to departure: the mean number divided by the
    /// throughput (Little's law).
    #[serde(default)]
    pub response_time_mean_s: Option<f64>,
    /// The service demands of its requests.
    pub demand_s: DemandFigures,
    /// The half-widths of 95 % confidence intervals: of the means of replications, or of batches of
    /// time. `None` if the run was too short, or if in some part of it no request left.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ci95: Option<FlowIntervals>,
    /// The same by request name; empty if the workload has one kind of request.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub by_request: BTreeMap<String, StationRequestFigures>,
}

/// The requests of one name at a station.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StationRequestFigures {
    /// Their part of the load, by the demands of those that left.
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

/// A pool over the measured time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PoolFigures {
    /// The fraction of its places that was taken.
    pub load: f64,
    /// The mean number of requests that held a place or waited for one.
    pub queue_length_mean: f64,
    /// The largest number.
    pub queue_length_max: u64,
    /// The fractions of time with 0, 1, 2, ... of them, up to the largest number or to 999.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub queue_length_shares: Vec<f64>,
    /// Requests that gave up their place or their wait, a second.
    #[serde(default)]
    pub throughput: Option<f64>,
    /// The mean time that they waited and held a place.
    #[serde(default)]
    pub response_time_mean_s: Option<f64>,
}

impl PoolFigures {
    pub(super) fn new(pool: &StationSummary) -> PoolFigures {
        let flow = pool.flow();
        PoolFigures {
            load: pool.load,
            queue_length_mean: pool.queue_length_mean,
            queue_length_max: pool.queue_length_max,
            queue_length_shares: shares(pool),
            throughput: Some(flow.throughput),
            response_time_mean_s: flow.response_time_mean_s,
        }
    }
}

impl StationFigures {
    /// Without intervals.
    #[must_use]
    pub fn new(station: &StationSummary, workload: &Workload) -> StationFigures {
        let flow = station.flow();
        StationFigures {
            load: station.load,
            queue_length_mean: station.queue_length_mean,
            queue_length_max: station.queue_length_max,
            queue_length_shares: shares(station),
            throughput: Some(flow.throughput),
            response_time_mean_s: flow.response_time_mean_s,
            demand_s: DemandFigures::new(&station.demands),
            ci95: None,
            by_request: by_request(station, workload),
        }
    }
}

fn shares(station: &StationSummary) -> Vec<f64> {
    let mut shares = station.queue_length_shares();
    shares.truncate(SHARES_MAX);
    shares
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
    let all = work(station, &station.by_kind);
    let share = if all > 0.0 { station.load / all } else { 0.0 };
    let figures = |kinds: &Vec<&KindSummary>| {
        let (flow, demands) = station.flow_of(kinds);
        StationRequestFigures {
            load: share * work(station, kinds.iter().copied()),
            queue_length_mean: flow.queue_length_mean,
            throughput: flow.throughput,
            response_time_mean_s: flow.response_time_mean_s,
            demand_s: DemandFigures::new(&demands),
            ci95: None,
        }
    };
    by_name.iter().map(|(name, kinds)| ((*name).to_owned(), figures(kinds))).collect()
}

/// The demands of those requests of these kinds that left, in seconds a second.
pub(super) fn work<'a>(
    station: &StationSummary,
    kinds: impl IntoIterator<Item = &'a KindSummary>,
) -> f64 {
    let of = |one: &KindSummary| station.flow_of(&[one]).0.throughput * one.demands.mean_s();
    kinds.into_iter().map(of).sum()
}
