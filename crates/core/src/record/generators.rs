//! What a summary says of several generators that made a load together.

use serde::{Deserialize, Serialize};

/// One of several generators that made the load together.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GeneratorNode {
    /// The address of its node, and which of all generators it is, as in `10.0.0.7/0`.
    pub name: String,
    /// Its shares of the sessions: it began every session whose number gives one of these when it
    /// is divided by the number of all shares.
    pub shares: Vec<u64>,
    /// The number of all shares.
    pub of: u64,
    /// How much later than agreed it began, in seconds.
    pub begun_late_s: Option<f64>,
    /// How far its node's clock was ahead of the driver's before the run, in seconds.
    pub clock_offset_s: f64,
    /// How much the offset may be wrong by, in seconds.
    pub clock_uncertainty_s: f64,
    /// By how much the offset had changed at the end, in seconds.
    pub clock_drift_s: Option<f64>,
    /// The time from which on its sessions are missing, in seconds; none where it was not lost.
    pub lost_at_s: Option<f64>,
    /// The name of the generator that took its sessions over.
    pub taken_over_by: Option<String>,
    /// From which time on it did, in seconds.
    pub taken_over_at_s: Option<f64>,
    /// The rows that stayed on its node; none where they were gathered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rows: Option<RemoteRows>,
}

/// Rows that a generator keeps on its node's own disk.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RemoteRows {
    /// The node's address.
    pub node: String,
    /// The folder there, which holds a `requests.parquet`.
    pub path: String,
    /// How many rows there are; none where nobody could say so.
    pub rows: Option<u64>,
    /// Of how many sessions, those included of which no row is kept.
    pub sessions: Option<u64>,
    /// The length of the file, in bytes.
    pub bytes: Option<u64>,
    /// What is known to be missing, and why.
    pub missing: Option<String>,
}
