//! The tables of a cluster, as they stand in a system file.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::schema::Scalar;
use crate::system::file::StationTable;

/// Servers that are all alike, behind a switch that sends each request to one of them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub struct ClusterTable {
    /// The name in all tables and charts.
    pub name: String,
    /// The number of servers.
    pub servers: u32,
    /// The dispatch policy, as in `"cap"` or `"jsq(2)"`.
    pub dispatch: String,
    /// The request names of each class, for policies that heed classes.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub classes: BTreeMap<String, Vec<String>>,
    /// The weight of each server, for policies that heed weights; all the same by default.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub weights: Vec<f64>,
    /// How long after a request has ended the switch knows of it; at once by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seen_after: Option<Scalar>,
    /// The stations that each server has; a request visits those that have a demand for it, in
    /// this order.
    pub station: Vec<StationTable>,
    /// The cache that each server has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache: Option<CacheTable>,
    /// What happens to servers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub change: Vec<ChangeTable>,
}

/// Something that happens to a server of a cluster.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub struct ChangeTable {
    /// How long after the beginning, as in `"60s"`.
    pub at: Scalar,
    /// To which server; they are counted from 0.
    pub server: u32,
    /// What: `"fails"`, `"recovers"`, `"drains"`, or `"slows(0.5)"`, to a half of its speed.
    pub does: String,
}

/// What each server of a cluster holds, so that it need not be fetched.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub struct CacheTable {
    /// How many bytes it holds, as in `"32MB"`.
    pub size: Scalar,
    /// What it forgets where there is no room: `"lru"`, the default, the least recently used, or
    /// `"greedy-dual-size"`, the large ones first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replacement: Option<String>,
    /// The request names whose responses it holds; all by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub holds: Option<Vec<String>>,
}
