//! `run.toml`: the description and the end of a run.

use serde::{Deserialize, Serialize};
use thinktime_core::file::WorkloadFile;
use thinktime_core::secrets;
use thinktime_core::system::SystemFile;

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
    /// Its form for display and files: without secrets, whose places `run.secrets` then names.
    ///
    /// # Errors
    /// If it cannot be put into a file.
    pub fn without_secrets(&self) -> Result<RunFile, String> {
        let (workload, places) = secrets::removed_from(&self.workload)?;
        let mut kept = RunFile { workload, ..self.clone() };
        kept.run.secrets.extend(places);
        kept.run.target = kept.run.target.map(|url| secrets::without_secrets(&url));
        Ok(kept)
    }

    /// The workload with its secrets, which come from `given` if some were removed.
    ///
    /// # Errors
    /// If a necessary `given` is missing, or lacks a removed secret.
    pub fn whole_workload(&self, given: Option<&WorkloadFile>) -> Result<WorkloadFile, String> {
        let places = &self.run.secrets;
        match given {
            None if places.is_empty() => Ok(self.workload.clone()),
            None => Err(format!(
                "results keep no secrets, and the workload had some at `{}`: give the workload \
                 that has them",
                places.join("`, `"),
            )),
            Some(_) if places.is_empty() => {
                Err("a workload is given for its secrets alone, and there were none".to_owned())
            }
            Some(given) => secrets::with_secrets(&self.workload, given, places).map_err(|why| {
                format!("{}: it is not the workload of the result: {why}", given.name)
            }),
        }
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
