//! The part of a summary about several generators that made a load together.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One of several generators that made the load together.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GeneratorNode {
    /// The address of its node, and its number among all generators, as in `10.0.0.7/0`.
    pub name: String,
    /// Its shares of the sessions: it began every session whose number, modulo the number of all
    /// shares, is one of these.
    pub shares: Vec<u64>,
    /// The number of all shares.
    pub of: u64,
    /// How much later than planned it began, in seconds.
    pub begun_late_s: Option<f64>,
    /// How far its node's clock was ahead of the driver's before the run, in seconds.
    pub clock_offset_s: f64,
    /// The largest error of the offset, in seconds.
    pub clock_uncertainty_s: f64,
    /// The change of the offset by the end, in seconds.
    pub clock_drift_s: Option<f64>,
    /// The time from which its sessions are missing, in seconds; `None` if it was not lost.
    pub lost_at_s: Option<f64>,
    /// The name of the generator that took its sessions over.
    pub taken_over_by: Option<String>,
    /// The time from which that one did, in seconds.
    pub taken_over_at_s: Option<f64>,
    /// The rows that stayed on its node; `None` if they were gathered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rows: Option<RemoteRows>,
}

/// Rows that a generator keeps on its node's own disk.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RemoteRows {
    /// The node's address.
    pub node: String,
    /// The folder there, which holds a `requests.parquet`.
    pub path: String,
    /// The number of rows; `None` if it is not known.
    pub rows: Option<u64>,
    /// The number of sessions, including those of which no row is kept.
    pub sessions: Option<u64>,
    /// The length of the file, in bytes.
    pub bytes: Option<u64>,
    /// The known gaps, and their causes.
    pub missing: Option<String>,
}
