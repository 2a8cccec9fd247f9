//! The result directory: `run.toml`, `summary.json`, `requests.parquet`, `series.parquet`,
//! `latency.hlog`, and for machines `schedule.json`.

use std::fs;
use std::path::{Path, PathBuf};

use arrow_array::RecordBatch;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use serde::{Deserialize, Serialize};
use thinktime_core::record::{Collector, Summary};
use thinktime_core::system::SystemFile;
use thinktime_core::workload::WorkloadFile;

use crate::histogram::write_log;
use crate::series::series_batch;
use crate::writer::{Keep, RowWriter, properties};
use crate::{DataError, Labels};

/// `run.toml`: what was done, so that it can be done again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunFile {
    /// The circumstances.
    pub run: RunTable,
    /// The workload as it was used, after `--load` and `--seed`.
    pub workload: WorkloadFile,
    /// The modelled system; for a run, the one whose demands the requests carried.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub system: Option<SystemFile>,
    /// How it ended; absent when it was killed before its end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<OutcomeTable>,
}

/// How a run ended.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OutcomeTable {
    /// Whether it was stopped before its end.
    pub interrupted: bool,
    /// Why the result is not to be trusted, if it is not.
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
    /// Where the files lie that the workload names, if it names any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workload_files: Option<String>,
    /// Where the files lie that the system names, if it names any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub system_files: Option<String>,
    /// The target of a run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
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
    /// How long the last responses of a run were waited for, in seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub drain_s: Option<f64>,
    /// The number of replications of a simulation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replications: Option<u32>,
    /// The precision that a simulation sought.
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

/// A result directory that is being written.
#[derive(Debug)]
pub struct ResultDirectory {
    path: PathBuf,
}

const RUN: &str = "run.toml";
const SUMMARY: &str = "summary.json";
const REQUESTS: &str = "requests.parquet";
const SERIES: &str = "series.parquet";
const HISTOGRAM: &str = "latency.hlog";
const SCHEDULE: &str = "schedule.json";

impl ResultDirectory {
    /// Makes the directory, if need be. An older result in it is replaced.
    ///
    /// # Errors
    /// When it cannot be made, or holds files that are no result.
    pub fn create(path: &Path) -> Result<ResultDirectory, DataError> {
        fs::create_dir_all(path).map_err(|error| DataError::new(path, error))?;
        let foreign = !path.join(RUN).exists()
            && fs::read_dir(path).map_err(|error| DataError::new(path, error))?.next().is_some();
        if foreign {
            let reason = "is not empty and holds no result: name a new directory";
            return Err(DataError::new(path, reason));
        }
        for name in [SUMMARY, REQUESTS, SERIES, HISTOGRAM, SCHEDULE] {
            let old = path.join(name);
            if old.exists() {
                fs::remove_file(&old).map_err(|error| DataError::new(&old, error))?;
            }
        }
        Ok(ResultDirectory { path: path.to_owned() })
    }

    /// Writes what was done. It goes first: an interrupted run leaves it behind.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn write_run(&self, run: &RunFile) -> Result<(), DataError> {
        let path = self.path.join(RUN);
        let text = toml::to_string(run).map_err(|error| DataError::new(&path, error))?;
        fs::write(&path, text).map_err(|error| DataError::new(&path, error))
    }

    /// Where the rows go.
    ///
    /// # Errors
    /// When the file cannot be made.
    pub fn rows(&self, labels: Labels, keep: Keep) -> Result<RowWriter, DataError> {
        RowWriter::to_file(&self.path.join(REQUESTS), labels, keep)
    }

    /// Writes the summary, the series and the histograms.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn write_figures(
        &self,
        summary: &Summary,
        collector: &Collector,
        names: &[String],
    ) -> Result<(), DataError> {
        let path = self.path.join(SUMMARY);
        let mut text =
            serde_json::to_string_pretty(summary).map_err(|error| DataError::new(&path, error))?;
        text.push('\n');
        fs::write(&path, text).map_err(|error| DataError::new(&path, error))?;
        write_batch(&self.path.join(SERIES), &series_batch(collector.timeline(), names))?;
        let responses = collector.responses();
        let tallies = names.iter().map(String::as_str).zip(&responses);
        write_log(&self.path.join(HISTOGRAM), summary.duration_s, tallies)
    }

    /// Writes the schedule of the machines' cores.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn write_schedule(&self, schedule: &str) -> Result<(), DataError> {
        let path = self.path.join(SCHEDULE);
        fs::write(&path, schedule).map_err(|error| DataError::new(&path, error))
    }
}

fn write_batch(path: &Path, batch: &RecordBatch) -> Result<(), DataError> {
    let error = |error: parquet::errors::ParquetError| DataError::new(path, error);
    let file = fs::File::create(path).map_err(|error| DataError::new(path, error))?;
    let mut writer =
        ArrowWriter::try_new(file, batch.schema(), Some(properties())).map_err(error)?;
    writer.write(batch).map_err(error)?;
    writer.close().map_err(error)?;
    Ok(())
}

/// A result read back from its directory.
#[derive(Debug)]
pub struct StoredResult {
    /// What was done.
    pub run: RunFile,
    /// Its figures; none when the run was killed before its end.
    pub summary: Option<Summary>,
    /// The run over time.
    pub series: Vec<RecordBatch>,
    /// Where the histograms are.
    pub histogram: PathBuf,
    /// The schedule of the machines' cores, if there are any.
    pub schedule: Option<String>,
}

/// Reads a result directory.
///
/// # Errors
/// When it holds no result, or a file of it is damaged.
pub fn load(path: &Path) -> Result<StoredResult, DataError> {
    let run_path = path.join(RUN);
    let text = fs::read_to_string(&run_path)
        .map_err(|error| DataError::new(path, format!("holds no result: {RUN}: {error}")))?;
    let run = toml::from_str(&text).map_err(|error| DataError::new(&run_path, error))?;
    let summary_path = path.join(SUMMARY);
    let summary = match fs::read(&summary_path) {
        Ok(bytes) => Some(
            serde_json::from_slice(&bytes).map_err(|error| DataError::new(&summary_path, error))?,
        ),
        Err(_) => None,
    };
    Ok(StoredResult {
        run,
        summary,
        series: read_batches(&path.join(SERIES))?,
        histogram: path.join(HISTOGRAM),
        schedule: fs::read_to_string(path.join(SCHEDULE)).ok(),
    })
}

/// Reads the rows that a result directory holds.
///
/// # Errors
/// When the file is damaged.
pub fn load_rows(path: &Path) -> Result<Vec<RecordBatch>, DataError> {
    read_batches(&path.join(REQUESTS))
}

fn read_batches(path: &Path) -> Result<Vec<RecordBatch>, DataError> {
    let Ok(file) = fs::File::open(path) else { return Ok(Vec::new()) };
    ParquetRecordBatchReaderBuilder::try_new(file)
        .and_then(|builder| builder.build())
        .map_err(|error| DataError::new(path, error))?
        .collect::<Result<_, _>>()
        .map_err(|error| DataError::new(path, error))
}
