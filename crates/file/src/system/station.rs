//! The table of a station in a system file.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::demand::DemandValue;
use crate::schema::Scalar;

/// Failures of a whole station. Service continues after a repair where it was.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub struct FailureTable {
    /// The time from the beginning, or from a repair, to the next failure.
    pub after: Scalar,
    /// The time from a failure to the end of its repair.
    pub repair: Scalar,
    /// Whether the time to a failure passes always, `"time"`, or only while the station works,
    /// `"work"`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = FailureTable::CLOCK))]
    pub clock: Option<String>,
}

impl FailureTable {
    /// The clock of failures without a `clock`.
    pub const CLOCK: &str = "time";
}

/// Requests that are served together. The service takes as long as the largest demand among them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub struct BatchTable {
    /// The most requests in a batch.
    pub max: u32,
    /// How long the first of a batch that is not full waits for others while the server is idle; by
    /// default the server begins at once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wait: Option<Scalar>,
}

/// The number of servers changes. A server that goes finishes its request first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub struct ScaleTable {
    /// What the number follows: `"load"`, the part of the servers that are busy; `"requests"`, the
    /// number of requests there; or `"time"`, a plan.
    pub on: String,
    /// The least number of servers, which is also that of the beginning: 1 by default under
    /// `"load"`, 0 under `"requests"`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<u32>,
    /// The largest number of servers. Required unless the number follows a plan.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<u32>,
    /// The law of the time from the wish for a server until it serves; none by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delay: Option<Scalar>,
    /// The part of the servers that should be busy, under `"load"`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = ScaleTable::TARGET))]
    pub target: Option<f64>,
    /// The relative difference of the load from its target at which the number stays.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = ScaleTable::TOLERANCE))]
    pub tolerance: Option<f64>,
    /// The interval at which the rule looks at the mean load of the interval before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = ScaleTable::EVERY))]
    pub every: Option<Scalar>,
    /// For how long fewer servers must be wanted before any go: 5 minutes by default under
    /// `"load"`, none under `"requests"`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wait: Option<Scalar>,
    /// The numbers of servers over time, under `"time"`, as in `"steps(0s: 2, 8h: 10)"`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan: Option<String>,
}

impl ScaleTable {
    /// The target without a `target`: that of Kubernetes.
    pub const TARGET: f64 = 0.8;
    /// The tolerance without a `tolerance`: that of Kubernetes.
    pub const TOLERANCE: f64 = 0.1;
    /// The interval without `every`: that of Kubernetes.
    pub const EVERY: &str = "15s";
    /// The wait under `"load"` without a `wait`: that of Kubernetes.
    pub const WAIT: &str = "5min";
}

/// One queue with its servers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub struct StationTable {
    /// The name in all tables and charts.
    pub name: String,
    /// The number of servers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = StationTable::SERVERS))]
    pub servers: Option<u32>,
    /// The scheduling policy, as in `"ps"` or `"rr(10ms)"`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = StationTable::POLICY))]
    pub policy: Option<String>,
    /// The service demand, as in `"h2(10ms, cv2=8)"` or `"1ms + size / 12.5MB/s"`, for all requests
    /// or by request name; it may be left out if behaviours give their own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub demand: Option<DemandValue>,
    /// The class of each request name under `priority`: the smallest is served first, and names
    /// without a class come last.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub priority: BTreeMap<String, u32>,
    /// The time after its arrival by which a request of this name should be done, under `edf`: the
    /// earliest deadline is served first, and names without one come last.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub deadline: BTreeMap<String, Scalar>,
    /// The weight of requests of this name, under `dps`; 1 by default.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub weight: BTreeMap<String, f64>,
    /// At most this many requests wait; others are refused at once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queue_limit: Option<u32>,
    /// A request that has waited longer than this when its turn comes is dropped. It may be a law.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queue_timeout: Option<Scalar>,
    /// With more than this many waiting, the newest is served first. Under `fcfs` only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub newest_first_above: Option<u32>,
    /// How many requests the server serves together. Under `fcfs` and with one server only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub batch: Option<BatchTable>,
    /// The total speed with 1, 2, ... requests present, in units of one server, as in
    /// `"table(1, 1.5, 1.8)"`; the last one is that with more. Without it each busy server has a
    /// speed of 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate: Option<String>,
    /// How the whole station fails and is repaired.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<FailureTable>,
    /// The time that the station, if it is off, needs after a request has come until it serves. It
    /// is off at first, and when it is empty.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub setup: Option<Scalar>,
    /// How long a station with a `setup` stays on when it is empty; not at all by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idle_for: Option<Scalar>,
    /// How the number of servers changes, in the place of `servers`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scale: Option<ScaleTable>,
    /// Who visits a station of a cluster's server: with `"miss"` those whose response the
    /// server's cache does not hold.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub when: Option<String>,
}

impl StationTable {
    /// The number of servers without `servers`.
    pub const SERVERS: u32 = 1;
    /// The scheduling policy without a `policy`.
    pub const POLICY: &str = "fcfs";
}
