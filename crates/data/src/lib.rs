//! Result files: rows and series as Arrow and Parquet, histograms as HdrHistogram logs, and the
//! directory that holds them.

mod column;
mod directory;
mod histogram;
mod rows;
mod schedule;
mod series;
mod writer;

pub use column::read_column;
pub use directory::{
    Host, OutcomeTable, ResultDirectory, RunFile, RunTable, StoredResult, load, load_rows,
};
pub use histogram::{read_log, write_log};
pub use rows::{Labels, RowTable};
pub use schedule::schedule_json;
pub use series::series_batch;
pub use writer::{Keep, RowWriter};

use std::path::PathBuf;

use thiserror::Error;

/// A result file that cannot be written or read.
#[derive(Debug, Error)]
#[error("{}: {reason}", path.display())]
pub struct DataError {
    /// Which file.
    pub path: PathBuf,
    /// What is wrong with it.
    pub reason: String,
}

impl DataError {
    pub(crate) fn new(path: impl Into<PathBuf>, reason: impl ToString) -> DataError {
        DataError { path: path.into(), reason: reason.to_string() }
    }
}
