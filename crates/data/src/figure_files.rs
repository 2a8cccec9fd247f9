//! `summary.json`, `series.parquet` and `latency.hlog`: the figures of a result.

use std::path::Path;

use arrow_array::RecordBatch;
use parquet::arrow::ArrowWriter;
use thinktime_core::record::{Collector, Summary};

use crate::files::{HISTOGRAM, SERIES, SUMMARY};
use crate::histogram::log_of;
use crate::parquet_properties::properties;
use crate::partial::write_atomically;
use crate::series::series_batch;
use crate::{DataError, Labels};

/// Writes the summary, the series and the histograms. Each of them is complete at any time.
pub(crate) fn write_figures(
    directory: &Path,
    summary: &Summary,
    collector: &Collector,
    labels: &Labels,
) -> Result<(), DataError> {
    write_summary(directory, summary)?;
    let path = directory.join(SERIES);
    let series = parquet_of(&series_batch(collector.timeline(), labels))
        .map_err(|error| DataError::new(&path, error))?;
    write(&path, &series)?;
    let path = directory.join(HISTOGRAM);
    let responses = collector.responses();
    let tallies = labels.requests.iter().map(String::as_str).zip(&responses);
    let log = log_of(summary.duration_s, tallies).map_err(|error| DataError::new(&path, error))?;
    write(&path, &log)
}

pub(crate) fn write_summary(directory: &Path, summary: &Summary) -> Result<(), DataError> {
    let path = directory.join(SUMMARY);
    let mut text =
        serde_json::to_string_pretty(summary).map_err(|error| DataError::new(&path, error))?;
    text.push('\n');
    write(&path, text.as_bytes())
}

pub(crate) fn write(path: &Path, bytes: &[u8]) -> Result<(), DataError> {
    write_atomically(path, bytes).map_err(|error| DataError::new(path, error))
}

fn parquet_of(batch: &RecordBatch) -> Result<Vec<u8>, parquet::errors::ParquetError> {
    let mut writer = ArrowWriter::try_new(Vec::new(), batch.schema(), Some(properties()))?;
    writer.write(batch)?;
    writer.into_inner()
}
