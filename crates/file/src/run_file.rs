//! `run.toml`: the description and the end of a run.

use serde::{Deserialize, Serialize};

use crate::schema::{SchemaError, to_toml};
use crate::system::SystemFile;
use crate::workload::WorkloadFile;

/// `run.toml`: the description of a run, so that it can be repeated.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunFile {
    /// The circumstances.
    pub run: RunTable,
    /// The options as they were given. Load and seed are already in the workload. None in results
    /// of older versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub options: Option<toml::Table>,
    /// The workload as it was used, after `--load` and `--seed`.
    pub workload: WorkloadFile,
    /// The modelled system; for a run, the one whose demands the requests carried.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub system: Option<SystemFile>,
    /// How it ended; absent while it runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<OutcomeTable>,
}

impl RunFile {
    /// Reads its text.
    ///
    /// # Errors
    /// If the text is not TOML, or has unknown, missing or mistyped keys.
    pub fn read(text: &str) -> Result<RunFile, String> {
        toml::from_str(text).map_err(|error| error.to_string())
    }

    /// Its text. It has all that the tables hold, secrets too.
    ///
    /// # Errors
    /// If a value cannot be written, such as an infinite number.
    pub fn to_toml(&self) -> Result<String, SchemaError> {
        to_toml(self)
    }
}

/// How a run ended.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OutcomeTable {
    /// Whether it was stopped before its end.
    pub interrupted: bool,
    /// Whether it was killed, and these are its rows until then.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub recovered: bool,
    /// Why the result is not to be trusted, if so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub untrusted: Option<String>,
}

/// The circumstances of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunTable {
    /// `simulate` or `run`.
    pub kind: String,
    /// Thinktime's version.
    pub version: String,
    /// The seed of all random streams.
    pub seed: u64,
    /// The folder of the workload's files, if it names any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workload_files: Option<String>,
    /// The folder of the system's files, if it names any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub system_files: Option<String>,
    /// The target of a run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// The places of the workload's secrets, which are not kept.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub secrets: Vec<String>,
    /// `virtual` or `monotonic`.
    pub clock: String,
    /// When it began, UTC; not for simulations, which are the same at all times.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started: Option<String>,
    /// The machine of a run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<Host>,
    /// The number of requests after which it was to end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requests: Option<u64>,
    /// The time after which it was to end, in seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_s: Option<f64>,
    /// The length of the warm-up, in seconds.
    pub warmup_s: f64,
    /// How long the run waited for its last responses, in seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub drain_s: Option<f64>,
    /// The number of replications of a simulation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replications: Option<u32>,
    /// The precision that was sought.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub precision: Option<f64>,
    /// Which rows `requests.parquet` holds: `all`, `1/N` of the sessions, or `none`.
    pub rows: String,
}

/// The machine of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Host {
    /// Its kernel.
    pub kernel: String,
    /// Its architecture.
    pub architecture: String,
    /// The cores that the run could use.
    pub cores: usize,
}
