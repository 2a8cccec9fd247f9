//! Result files: rows and series as Arrow and Parquet, histograms as HdrHistogram logs, and the
//! directory that holds them.

mod checkpoint;
mod column;
mod directory;
mod figure_files;
mod figures;
mod files;
mod histogram;
mod journal;
mod parquet_properties;
mod partial;
mod recover;
mod rows;
mod run_secrets;
mod schedule;
mod series;
mod writer;

pub use column::read_column;
pub use directory::{ResultDirectory, StoredResult, load, load_rows};
pub use figures::Figures;
pub use histogram::read_log;
pub use partial::{Partial, leftovers};
pub use recover::{Recovered, recover};
pub use rows::{Labels, RowTable};
pub use run_secrets::{whole_workload, without_secrets};
pub use schedule::schedule_json;
pub use series::series_batch;
pub use writer::{RowSelection, RowWriter};

use std::path::PathBuf;

use thiserror::Error;

/// A result file that cannot be written or read.
#[derive(Debug, Error)]
#[error("{}: {reason}", path.display())]
pub struct DataError {
    /// The file.
    pub path: PathBuf,
    /// The error.
    pub reason: String,
}

impl DataError {
    pub(crate) fn new(path: impl Into<PathBuf>, reason: impl ToString) -> DataError {
        DataError { path: path.into(), reason: reason.to_string() }
    }
}
