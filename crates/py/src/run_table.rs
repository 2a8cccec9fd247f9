//! The contents of `run.toml` that all kinds of runs have.

use pyo3::prelude::*;
use serde::Serialize;
use thinktime_core::limit::Limit;
use thinktime_core::run_file::RunTable;
use thinktime_data::RowSelection;

use crate::errors::InputError;
use crate::workload::Workload;

/// Options in the form of `run.toml`.
pub(crate) fn as_table(options: &impl Serialize) -> PyResult<toml::Table> {
    toml::Table::try_from(options).map_err(|error| InputError::new_err(error.to_string()))
}

/// The contents of `run.toml` for every kind of run.
pub(crate) fn run_table(workload: &Workload, limit: &Limit, keep: RowSelection) -> RunTable {
    RunTable {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        seed: workload.inner.seed,
        workload_files: workload.files.directory_if_used(),
        requests: (limit.requests < u64::MAX).then_some(limit.requests),
        duration_s: (!limit.until.is_never()).then(|| limit.until.as_secs_f64()),
        warmup_s: limit.warmup.as_secs_f64(),
        rows: keep.to_string(),
        ..RunTable::default()
    }
}
