//! The destination of a result in progress: a directory, or memory.

use std::path::PathBuf;

use arrow_array::RecordBatch;
use pyo3::prelude::*;
use thinktime_core::record::{Collector, Summary};
use thinktime_core::run_file::{OutcomeTable, RunFile};
use thinktime_data::{DataError, Figures, Labels, ResultDirectory, RowSelection, RowWriter};

use crate::errors::{data, unwritten};
use crate::result::ResultData;

pub(crate) struct Storage {
    path: Option<PathBuf>,
    directory: Option<ResultDirectory>,
    run: RunFile,
    labels: Labels,
}

impl Storage {
    /// Prepares for a result; `run` is written at once, so that even a killed run has its
    /// description. `figures` make the figures for that case from rows.
    pub(crate) fn open(
        path: Option<PathBuf>,
        run: RunFile,
        labels: Labels,
        keep: RowSelection,
        figures: Option<Figures>,
    ) -> PyResult<(Storage, RowWriter)> {
        let kept = labels.clone();
        let directory = path.as_deref().map(ResultDirectory::create).transpose();
        let directory = directory.map_err(|error| data(&error))?;
        let writer = match &directory {
            Some(directory) => directory
                .write_run(&run)
                .and_then(|()| directory.rows(labels, keep, figures))
                .map_err(|error| unwritten(&error))?,
            None => RowWriter::to_memory(labels, keep),
        };
        Ok((Storage { path, directory, run, labels: kept }, writer))
    }

    /// Writes the rest of the result and returns it. If it cannot be written, the result says so.
    pub(crate) fn finish(
        mut self,
        summary: Summary,
        collector: &Collector,
        rows: Result<Vec<RecordBatch>, DataError>,
        outcome: OutcomeTable,
        schedule: Option<String>,
    ) -> PyResult<ResultData> {
        self.run.outcome = Some(outcome);
        self.run.run.warmup_s = summary.warmup_s; // the warm-up may have been found only now
        let (mut kept, mut unwritten) = (Vec::new(), None);
        match self.directory.take() {
            None => kept = rows.map_err(|error| data(&error))?,
            Some(directory) => {
                let partial = directory.partial().display().to_string();
                // If there is no room for the rows, there may be some for the figures.
                let figures = self.write(&directory, &summary, collector, &schedule);
                let state = directory.state(rows.is_ok());
                let written = rows.and(figures).and_then(|()| directory.finish().map(drop));
                unwritten = written.err().map(|error| {
                    let path = self.path.take().unwrap_or_default();
                    format!(
                        "{error}; the written part is in {partial}: {state}. When there is room, \
                         `thinktime recover {}` makes a result of it",
                        path.display()
                    )
                });
            }
        }
        let (path, run, labels) = (self.path.take(), self.run.clone(), &self.labels);
        let result = ResultData::of(run, summary, collector, labels, kept);
        Ok(ResultData { path, schedule, unwritten, ..result })
    }

    fn write(
        &self,
        directory: &ResultDirectory,
        summary: &Summary,
        collector: &Collector,
        schedule: &Option<String>,
    ) -> Result<(), DataError> {
        directory.write_figures(summary, collector, &self.labels)?;
        if let Some(schedule) = schedule {
            directory.write_schedule(schedule)?;
        }
        directory.write_run(&self.run)
    }
}

impl Drop for Storage {
    fn drop(&mut self) {
        if let Some(directory) = self.directory.take() {
            directory.abandon();
        }
    }
}
