//! `ResultData`: a result in memory or read back from its directory.

use std::path::PathBuf;

use arrow_array::RecordBatch;
use pyo3::prelude::*;
use thinktime_core::record::{Collector, Summary};
use thinktime_core::run_file::RunFile;
use thinktime_core::system::SystemModel;
use thinktime_core::workload;
use thinktime_data::{Labels, load_rows, read_log, series_batch, whole_workload, without_secrets};

use crate::disk_files::DiskFiles;
use crate::errors::{InputError, data, schema, unwritten};
use crate::python_values::plain;
use crate::system::System;
use crate::table::Table;
use crate::workload::Workload;

/// A result in the compiled half; `thinktime.Result` is its face.
#[pyclass(frozen, module = "thinktime._core")]
pub(crate) struct ResultData {
    pub(crate) run: RunFile,
    pub(crate) summary: Option<Summary>,
    /// If there is a directory, they are read from it on demand.
    pub(crate) rows: Vec<RecordBatch>,
    pub(crate) series: Vec<RecordBatch>,
    /// (nanoseconds, requests at or below the bin's upper end that are above the bin before).
    pub(crate) bins: Vec<(u64, u64)>,
    pub(crate) path: Option<PathBuf>,
    pub(crate) schedule: Option<String>,
    /// Why it could not be written to its directory, if so.
    pub(crate) unwritten: Option<String>,
}

impl ResultData {
    pub(crate) fn of(
        run: RunFile,
        summary: Summary,
        collector: &Collector,
        labels: &Labels,
        rows: Vec<RecordBatch>,
    ) -> ResultData {
        let all = collector.all_responses();
        let bins = all
            .histogram()
            .iter_recorded()
            .map(|bin| (bin.value_iterated_to(), bin.count_at_value()))
            .collect();
        ResultData {
            run,
            summary: Some(summary),
            rows,
            series: vec![series_batch(collector.timeline(), labels)],
            bins,
            path: None,
            schedule: None,
            unwritten: None,
        }
    }
}

#[pymethods]
impl ResultData {
    /// The summary; None if the run was killed before its end.
    #[getter]
    fn summary<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        plain(py, &self.summary)
    }

    /// The table `run` of `run.toml`: the circumstances of the run, those that are known.
    #[getter]
    fn run<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let kept = without_secrets(&self.run).map_err(InputError::new_err)?;
        plain(py, &kept.run)
    }

    /// `run.toml`, without secrets.
    #[getter]
    fn run_toml(&self) -> PyResult<String> {
        let kept = without_secrets(&self.run).map_err(InputError::new_err)?;
        kept.to_toml().map_err(|error| schema(&error))
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

    /// Why it could not be written to its directory, if so.
    #[getter]
    fn unwritten(&self) -> Option<&str> {
        self.unwritten.as_deref()
    }

    /// The workload as it was used.
    #[getter]
    fn workload(&self) -> PyResult<Workload> {
        let files = DiskFiles::of_result(self.run.run.workload_files.as_deref());
        let inner = workload::Workload::from_file(&self.run.workload, &files)
            .map_err(|error| schema(&error))?;
        Ok(Workload { inner, files })
    }

    /// The options as they were given; None if an older version did not note them.
    #[getter]
    fn options<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        plain(py, &self.run.options)
    }

    /// The workload and the system for a repetition. The files that they name must exist, and
    /// `secrets_of` has the secrets that the result does not keep.
    #[pyo3(signature = (secrets_of=None))]
    fn inputs(&self, secrets_of: Option<&Workload>) -> PyResult<(Workload, Option<System>)> {
        let run = &self.run.run;
        let files = DiskFiles::in_directory(run.workload_files.as_deref());
        let given = secrets_of.map(|workload| &workload.inner.file);
        let file = whole_workload(&self.run, given).map_err(InputError::new_err)?;
        let inner = workload::Workload::from_file(&file, &files).map_err(|error| schema(&error))?;
        let beside = DiskFiles::in_directory(run.system_files.as_deref());
        let build = |file| SystemModel::from_file(file, &beside).map_err(|error| schema(&error));
        let system = self.run.system.as_ref().map(build).transpose()?;
        let system = system.map(|inner| System { inner, files: beside.clone() });
        Ok((Workload { inner, files }, system))
    }

    /// The places of the workload's secrets, which are not kept.
    #[getter]
    fn secrets(&self) -> Vec<String> {
        self.run.run.secrets.clone()
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

    /// (response time in seconds, number of requests), rising, for all request names together.
    #[getter]
    fn histogram(&self) -> Vec<(f64, u64)> {
        self.bins.iter().map(|(time, count)| (*time as f64 * 1e-9, *count)).collect()
    }
}

/// Reads a result directory.
#[pyfunction]
pub(crate) fn load(path: PathBuf) -> PyResult<ResultData> {
    let stored = thinktime_data::load(&path).map_err(|error| data(&error))?;
    let mut all = hdr();
    if stored.histogram.exists() {
        for (_, histogram) in read_log(&stored.histogram).map_err(|error| data(&error))? {
            all.add(&histogram).map_err(|error| InputError::new_err(format!("{error:?}")))?;
        }
    }
    let bins =
        all.iter_recorded().map(|bin| (bin.value_iterated_to(), bin.count_at_value())).collect();
    Ok(ResultData {
        run: stored.run,
        summary: stored.summary,
        rows: Vec::new(),
        series: stored.series,
        bins,
        path: Some(path),
        schedule: stored.schedule,
        unwritten: None,
    })
}

/// The directories that killed runs left behind for the result directory `path`.
#[pyfunction]
pub(crate) fn leftovers(path: PathBuf) -> Vec<PathBuf> {
    thinktime_data::leftovers(&path)
}

/// Recovers results of killed runs: (the remains, the result or None).
#[pyfunction]
pub(crate) fn recover(path: PathBuf) -> PyResult<Vec<(PathBuf, Option<PathBuf>)>> {
    let all = thinktime_data::recover(&path).map_err(|error| data(&error))?;
    Ok(all.into_iter().map(|one| (one.from, one.path)).collect())
}

/// A directory that is filled beside its place, and takes that place once complete.
#[pyclass(module = "thinktime._core")]
pub(crate) struct Partial {
    inner: Option<thinktime_data::Partial>,
    path: PathBuf,
}

#[pymethods]
impl Partial {
    #[new]
    fn new(target: PathBuf) -> PyResult<Partial> {
        let inner = thinktime_data::Partial::begin(&target).map_err(|error| data(&error))?;
        Ok(Partial { path: inner.path().to_owned(), inner: Some(inner) })
    }

    /// The directory that is filled.
    #[getter]
    fn path(&self) -> PathBuf {
        self.path.clone()
    }

    /// Removes it unused.
    fn abandon(&mut self) {
        if let Some(inner) = self.inner.take() {
            inner.abandon();
        }
    }

    /// Puts it in its place.
    fn finish(&mut self) -> PyResult<()> {
        match self.inner.take() {
            Some(inner) => inner.finish().map(drop).map_err(|error| unwritten(&error)),
            None => Ok(()),
        }
    }
}

fn hdr() -> hdrhistogram::Histogram<u64> {
    thinktime_core::statistics::Tally::default().histogram()
}
