//! Where a result goes while it is made: a directory, or memory.

use std::path::PathBuf;

use pyo3::prelude::*;
use thinktime_core::record::{Collector, Summary};
use thinktime_data::{Keep, Labels, OutcomeTable, ResultDirectory, RowWriter, RunFile};

use crate::errors::data;
use crate::result::Outcome;

pub(crate) struct Storage {
    path: Option<PathBuf>,
    directory: Option<ResultDirectory>,
    run: RunFile,
    names: Vec<String>,
}

impl Storage {
    /// Makes ready to take a result; `run` is written at once, so that even a run that is killed
    /// says what it was.
    pub(crate) fn open(
        path: Option<PathBuf>,
        run: RunFile,
        labels: Labels,
        keep: Keep,
    ) -> PyResult<(Storage, RowWriter)> {
        let names = labels.requests.clone();
        let directory = path.as_deref().map(ResultDirectory::create).transpose();
        let directory = directory.map_err(|error| data(&error))?;
        let writer = match &directory {
            Some(directory) => {
                directory.write_run(&run).map_err(|error| data(&error))?;
                directory.rows(labels, keep).map_err(|error| data(&error))?
            }
            None => RowWriter::to_memory(labels, keep),
        };
        Ok((Storage { path, directory, run, names }, writer))
    }

    /// Writes the rest of the result and gives it back.
    pub(crate) fn finish(
        mut self,
        summary: Summary,
        collector: &Collector,
        rows: Vec<arrow_array::RecordBatch>,
        outcome: OutcomeTable,
        schedule: Option<String>,
    ) -> PyResult<Outcome> {
        self.run.outcome = Some(outcome);
        self.run.run.warmup_s = summary.warmup_s; // it may have been found only now
        if let Some(directory) = &self.directory {
            directory.write_run(&self.run).map_err(|error| data(&error))?;
            directory
                .write_figures(&summary, collector, &self.names)
                .map_err(|error| data(&error))?;
            if let Some(schedule) = &schedule {
                directory.write_schedule(schedule).map_err(|error| data(&error))?;
            }
        }
        let result = Outcome::of(self.run, summary, collector, &self.names, rows);
        Ok(Outcome { path: self.path, schedule, ..result })
    }
}
