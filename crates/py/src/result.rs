//! `Outcome`: a result in memory or read back from its directory.

use std::path::PathBuf;

use arrow_array::RecordBatch;
use pyo3::prelude::*;
use thinktime_core::record::{Collector, Summary};
use thinktime_core::system::SystemModel;
use thinktime_core::workload;
use thinktime_data::{RunFile, load_rows, read_log, series_batch};

use crate::errors::{InputError, data, schema};
use crate::parameters::DiskFiles;
use crate::system::System;
use crate::table::Table;
use crate::workload::Workload;

/// A result as the compiled half knows it; `thinktime.Result` is its face.
#[pyclass(frozen, module = "thinktime._core")]
pub(crate) struct Outcome {
    pub(crate) run: RunFile,
    pub(crate) summary: Option<Summary>,
    /// Where there is a directory, they are read from it when somebody asks for them.
    pub(crate) rows: Vec<RecordBatch>,
    pub(crate) series: Vec<RecordBatch>,
    /// (nanoseconds, requests at or below the bin's upper end that are above the bin before).
    pub(crate) bins: Vec<(u64, u64)>,
    pub(crate) path: Option<PathBuf>,
    pub(crate) schedule: Option<String>,
}

impl Outcome {
    pub(crate) fn of(
        run: RunFile,
        summary: Summary,
        collector: &Collector,
        names: &[String],
        rows: Vec<RecordBatch>,
    ) -> Outcome {
        let all = collector.all_responses();
        let bins = all
            .histogram()
            .iter_recorded()
            .map(|bin| (bin.value_iterated_to(), bin.count_at_value()))
            .collect();
        Outcome {
            run,
            summary: Some(summary),
            rows,
            series: vec![series_batch(collector.timeline(), names)],
            bins,
            path: None,
            schedule: None,
        }
    }
}

#[pymethods]
impl Outcome {
    /// The summary as JSON; None when the run was killed before its end.
    #[getter]
    fn summary_json(&self) -> PyResult<Option<String>> {
        let json = |summary| {
            serde_json::to_string(summary).map_err(|error| InputError::new_err(error.to_string()))
        };
        self.summary.as_ref().map(json).transpose()
    }

    /// `run.toml`.
    #[getter]
    fn run_toml(&self) -> PyResult<String> {
        workload::to_toml(&self.run).map_err(|error| schema(&error))
    }

    #[getter]
    fn kind(&self) -> &str {
        &self.run.run.kind
    }

    #[getter]
    fn target(&self) -> Option<&str> {
        self.run.run.target.as_deref()
    }

    #[getter]
    fn path(&self) -> Option<PathBuf> {
        self.path.clone()
    }

    /// Whether `requests` holds a row for every attempt.
    #[getter]
    fn rows_complete(&self) -> bool {
        self.run.run.rows == "all"
    }

    #[getter]
    fn interrupted(&self) -> bool {
        self.run.outcome.as_ref().is_none_or(|outcome| outcome.interrupted)
    }

    /// Why the result is not to be trusted, if it is not.
    #[getter]
    fn untrusted(&self) -> Option<&str> {
        self.run.outcome.as_ref()?.untrusted.as_deref()
    }

    /// The objectives of the workload that the result does not meet, in words.
    fn breaches(&self) -> PyResult<Vec<String>> {
        let Some(summary) = &self.summary else { return Ok(Vec::new()) };
        Ok(summary.breaches(&self.workload()?.inner.slo))
    }

    /// The workload as it was used.
    #[getter]
    fn workload(&self) -> PyResult<Workload> {
        let files = DiskFiles::of_result(self.run.run.workload_files.as_deref());
        let inner = workload::Workload::from_file(&self.run.workload, &files)
            .map_err(|error| schema(&error))?;
        Ok(Workload { inner, files })
    }

    /// The modelled system, or the one whose demands the requests carried; else None.
    #[getter]
    fn system(&self) -> PyResult<Option<System>> {
        let files = DiskFiles::of_result(self.run.run.system_files.as_deref());
        let build = |file| SystemModel::from_file(file, &files).map_err(|error| schema(&error));
        Ok(self
            .run
            .system
            .as_ref()
            .map(build)
            .transpose()?
            .map(|inner| System { inner, files: DiskFiles::beside("") }))
    }

    #[getter]
    fn requests(&self) -> PyResult<Option<Table>> {
        match &self.path {
            Some(path) => Ok(Table::new(load_rows(path).map_err(|error| data(&error))?)),
            None => Ok(Table::new(self.rows.clone())),
        }
    }

    #[getter]
    fn series(&self) -> Option<Table> {
        Table::new(self.series.clone())
    }

    /// The first turns of the cores of modelled machines, in the Trace Event Format (JSON).
    #[getter]
    fn schedule_json(&self) -> Option<&str> {
        self.schedule.as_deref()
    }

    /// (response time in seconds, number of requests), rising, all request names together.
    #[getter]
    fn histogram(&self) -> Vec<(f64, u64)> {
        self.bins.iter().map(|(time, count)| (*time as f64 * 1e-9, *count)).collect()
    }
}

/// Reads a result directory.
#[pyfunction]
pub(crate) fn load(path: PathBuf) -> PyResult<Outcome> {
    let stored = thinktime_data::load(&path).map_err(|error| data(&error))?;
    let mut all = hdr();
    if stored.histogram.exists() {
        for (_, histogram) in read_log(&stored.histogram).map_err(|error| data(&error))? {
            all.add(&histogram).map_err(|error| InputError::new_err(format!("{error:?}")))?;
        }
    }
    let bins =
        all.iter_recorded().map(|bin| (bin.value_iterated_to(), bin.count_at_value())).collect();
    Ok(Outcome {
        run: stored.run,
        summary: stored.summary,
        rows: Vec::new(),
        series: stored.series,
        bins,
        path: Some(path),
        schedule: stored.schedule,
    })
}

fn hdr() -> hdrhistogram::Histogram<u64> {
    thinktime_core::record::Tally::default().histogram()
}
