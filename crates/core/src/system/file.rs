//! The system file: the one schema, from which reading, writing and the JSON Schema come.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::schema::Scalar;

/// A system: the stations that requests visit, in the order of the file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "Thinktime system")]
pub struct SystemFile {
    /// A name for tables and charts.
    pub name: String,
    /// The stations. A request visits, in this order, those that have a demand for it.
    pub station: Vec<StationTable>,
}

/// One queue with its servers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StationTable {
    /// The name in all tables and charts.
    pub name: String,
    /// The number of servers; 1 by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub servers: Option<u32>,
    /// The scheduling policy: `"fcfs"` (the default), `"ps"`, `"sjf"`, `"psjf"` or `"srpt"`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy: Option<String>,
    /// The service demand, as in `"h2(10ms, cv2=8)"`, for all requests or by request name.
    pub demand: DemandValue,
}

/// A service demand for all requests, or one for each request name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum DemandValue {
    /// The same distribution for every request.
    All(Scalar),
    /// By request name; requests without an entry do not visit the station.
    ByRequest(BTreeMap<String, Scalar>),
}
