//! The tables of a cluster, as they stand in a system file.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::Invalid;
use crate::schema::Scalar;
use crate::system::file::{StationTable, SystemFile};

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

impl SystemFile {
    /// The same system with one server of its cluster instead of all, for whom a switch elsewhere
    /// chooses; what happens to the others is left out. Servers are counted from 0.
    ///
    /// # Errors
    /// When it is not one cluster and nothing else, or has no such server.
    pub fn only_server(&self, server: u32) -> Result<SystemFile, Invalid> {
        let [cluster] = self.cluster.as_slice() else {
            let number = self.cluster.len();
            return Err(Invalid::new(format!(
                "`server` is for a system of one cluster; this one has {number}"
            )));
        };
        let SystemFile { station, machine, service, pool, behaviour, .. } = self;
        let beside = [station.len(), machine.len(), service.len(), pool.len(), behaviour.len()];
        if beside.iter().any(|number| *number > 0) {
            return Err(Invalid::new("`server` is for a cluster with nothing beside it"));
        }
        if server >= cluster.servers {
            let last = cluster.servers.saturating_sub(1);
            return Err(Invalid::new(format!(
                "`server` must be from 0 to {last}: servers are counted from 0"
            )));
        }
        let its = cluster.change.iter().filter(|change| change.server == server);
        let one = ClusterTable {
            servers: 1,
            dispatch: "round-robin".to_owned(),
            weights: Vec::new(),
            change: its.map(|change| ChangeTable { server: 0, ..change.clone() }).collect(),
            ..cluster.clone()
        };
        Ok(SystemFile { cluster: vec![one], ..self.clone() })
    }
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
    /// `"greedy-dual-size"`, the large ones first; or `"none"`: it keeps nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replacement: Option<String>,
    /// The request names whose responses it holds; all by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub holds: Option<Vec<String>>,
}
