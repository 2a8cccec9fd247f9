//! The tables of a cluster in a system file.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

use super::station::StationTable;
use crate::schema::{Scalar, WholeNumber};

/// Servers that are all alike, behind a switch that sends each request to one of them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub struct ClusterTable {
    /// The name in all tables and charts.
    pub name: String,
    /// The number of servers.
    #[serde(deserialize_with = "servers")]
    pub servers: u32,
    /// The dispatch policy, as in `"cap"` or `"jsq(2)"`.
    pub dispatch: String,
    /// The request names of each class, for policies that heed classes.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub classes: BTreeMap<String, Vec<String>>,
    /// The weight of each server, for policies that heed weights; all the same by default.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub weights: Vec<f64>,
    /// The delay after which the switch learns of the end of a request; none by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seen_after: Option<Scalar>,
    /// The stations that each server has; a request visits those that have a demand for it, in
    /// this order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub station: Vec<StationTable>,
    /// What each server is instead of stations, as in `"machine:NAME"`: a copy of that
    /// `[[machine]]` with all its services.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server: Option<String>,
    /// The cache that each server has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache: Option<CacheTable>,
    /// What happens to servers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub change: Vec<ChangeTable>,
}

/// The most servers of a cluster.
const SERVERS_MAX: u32 = 10_000;

fn servers<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u32, D::Error> {
    deserializer.deserialize_any(WholeNumber { least: 1, most: SERVERS_MAX })
}

/// The beginning of `server` before the name of a machine.
const MACHINE: &str = "machine:";

impl ClusterTable {
    /// The name of the machine of which each server is a copy; `None` if servers have stations, or
    /// `server` is something else.
    pub fn copied(&self) -> Option<&str> {
        self.server.as_ref()?.strip_prefix(MACHINE)
    }

    /// Whether each server is a copy of the machine of this name.
    pub(super) fn copies(&self, machine: &str) -> bool {
        self.copied() == Some(machine)
    }
}

/// Something that happens to a server of a cluster.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub struct ChangeTable {
    /// The time from the beginning, as in `"60s"`.
    pub at: Scalar,
    /// To which server; they are counted from 0.
    pub server: u32,
    /// What: `"fails"`, `"recovers"`, `"drains"`, or `"slows(0.5)"`, to a half of its speed.
    pub does: String,
}

/// The responses that each server of a cluster holds, so that it need not fetch them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub struct CacheTable {
    /// The bytes that it can hold, as in `"32MB"`; with a `ttl`, any number by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<Scalar>,
    /// How long it holds a response, as in `"60s"`, from when it was stored; until it is forgotten
    /// by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ttl: Option<Scalar>,
    /// The response that it forgets if there is no room: `"lru"`, the least recently used;
    /// `"fifo"`, the one that came first; `"random"`, any; `"lfu"`, the one with the fewest
    /// requests; `"tinylfu"`, the least recently used, if the new one has more requests;
    /// `"greedy-dual-size"`, large ones first; or `"none"`: it keeps nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = CacheTable::REPLACEMENT))]
    pub replacement: Option<String>,
    /// The request names whose responses it holds; all by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub holds: Option<Vec<String>>,
}

impl CacheTable {
    /// The rule without `replacement`.
    pub const REPLACEMENT: &str = "lru";
}
