//! The result directory: `run.toml`, `summary.json`, `requests.parquet`, `series.parquet`,
//! `latency.hlog`, and for machines `schedule.json`.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use arrow_array::RecordBatch;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use thinktime_core::record::{Collector, Summary};
use thinktime_core::run_file::RunFile;

use crate::figure_files::{write, write_figures};
use crate::figures::Figures;
use crate::files::{
    HISTOGRAM, OF_RESULT, PAGES, REQUESTS, RUN, SCHEDULE, SERIES, SUMMARY, is_known,
};
use crate::partial::{Partial, leftovers};
use crate::run_secrets::without_secrets;
use crate::writer::{RowSelection, RowWriter};
use crate::{DataError, Labels};

/// A result directory that is being written, beside its place.
#[derive(Debug)]
pub struct ResultDirectory {
    partial: Partial,
}

impl ResultDirectory {
    /// Begins one. An older result at its place stays until [`ResultDirectory::finish`].
    ///
    /// # Errors
    /// If it cannot be created, or its place holds files that are no result.
    pub fn create(path: &Path) -> Result<ResultDirectory, DataError> {
        let foreign = !path.join(RUN).exists()
            && fs::read_dir(path).is_ok_and(|entries| {
                let partial = |name: &str| name.starts_with(".partial") || is_known(name);
                entries.flatten().any(|entry| !entry.file_name().to_str().is_some_and(partial))
            });
        if foreign {
            let reason = "is not empty and holds no result: name a new directory";
            return Err(DataError::new(path, reason));
        }
        Ok(ResultDirectory { partial: Partial::begin(path)? })
    }

    /// Its place until it is complete.
    #[must_use]
    pub fn partial(&self) -> &Path {
        self.partial.path()
    }

    /// Writes the description of the run. It comes first: an interrupted run leaves it behind.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn write_run(&self, run: &RunFile) -> Result<(), DataError> {
        write_run(self.partial(), run)
    }

    /// The destination of rows. With `figures` they are made of the rows; else the driver gives
    /// them.
    ///
    /// # Errors
    /// If the file cannot be created.
    pub fn rows(
        &self,
        labels: Labels,
        keep: RowSelection,
        figures: Option<Figures>,
    ) -> Result<RowWriter, DataError> {
        RowWriter::to_directory(self.partial(), labels, keep, figures)
    }

    /// Writes the summary, the series and the histograms.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub fn write_figures(
        &self,
        summary: &Summary,
        collector: &Collector,
        labels: &Labels,
    ) -> Result<(), DataError> {
        write_figures(self.partial(), summary, collector, labels)
    }

    /// Writes the schedule of the machines' cores.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn write_schedule(&self, schedule: &str) -> Result<(), DataError> {
        write(&self.partial().join(SCHEDULE), schedule.as_bytes())
    }

    /// Its complete files, where `rows` covers the rows, and the incomplete ones, in words.
    #[must_use]
    pub fn state(&self, rows: bool) -> String {
        let there = OF_RESULT.into_iter().filter(|name| self.partial().join(name).exists());
        let (whole, begun): (Vec<&str>, Vec<&str>) =
            there.partition(|name| rows || *name != REQUESTS);
        let mut words = match whole.as_slice() {
            [] => "no file is whole".to_owned(),
            whole => format!("whole are {}", whole.join(", ")),
        };
        if !begun.is_empty() {
            words += &format!("; {} exists in part", begun.join(", "));
        }
        words
    }

    /// Gives it up: removes it, unless it has measurements, which can be recovered.
    pub fn abandon(self) {
        if !self.partial().join(SUMMARY).exists() {
            self.partial.abandon();
        }
    }

    /// Moves it to its place, and returns that.
    ///
    /// # Errors
    /// If it cannot take its place; it then stays where it is.
    pub fn finish(self) -> Result<PathBuf, DataError> {
        self.partial.finish()
    }
}

pub(crate) fn write_run(directory: &Path, run: &RunFile) -> Result<(), DataError> {
    let path = directory.join(RUN);
    let kept = without_secrets(run).map_err(|error| DataError::new(&path, error))?;
    let text = kept.to_toml().map_err(|error| DataError::new(&path, error))?;
    write(&path, text.as_bytes())
}

/// A result read back from its directory.
#[derive(Debug)]
pub struct StoredResult {
    /// The description of the run.
    pub run: RunFile,
    /// Its figures; `None` if the run was killed before its end.
    pub summary: Option<Summary>,
    /// The run over time.
    pub series: Vec<RecordBatch>,
    /// The path of the histograms.
    pub histogram: PathBuf,
    /// The schedule of the machines' cores, if any.
    pub schedule: Option<String>,
}

/// The kind of a directory that is no result, but something else that Thinktime made.
fn other_than_result(path: &Path) -> Option<String> {
    let (page, what) = PAGES.iter().find(|(page, _)| path.join(page).exists())?;
    let page = path.join(page);
    Some(format!("is {what}, and no result of one run: its page is {}", page.display()))
}

/// The advice if a summary cannot be read.
fn damaged(error: &serde_json::Error, path: &Path, run: &RunFile) -> String {
    let (kind, path) = (&run.run.kind, path.display());
    format!(
        "is damaged: {error}; take it from a copy, or remove the file and do it again: `thinktime \
         {kind} --again {path}`"
    )
}

/// Reads a result directory.
///
/// # Errors
/// If it holds no result, or a file of it is damaged.
pub fn load(path: &Path) -> Result<StoredResult, DataError> {
    let run_path = path.join(RUN);
    let text = fs::read_to_string(&run_path).map_err(|error| {
        if let Some(what) = other_than_result(path) {
            return DataError::new(path, what);
        }
        let left = leftovers(path).first().map_or_else(String::new, |left| {
            let (left, path) = (left.display(), path.display());
            format!("; {left} holds the files of a run that was killed: `thinktime recover {path}`")
        });
        DataError::new(path, format!("holds no result: {RUN}: {error}{left}"))
    })?;
    let run = RunFile::read(&text).map_err(|error| DataError::new(&run_path, error))?;
    let summary_path = path.join(SUMMARY);
    let summary = match fs::read(&summary_path) {
        Ok(bytes) => Some(
            serde_json::from_slice(&bytes)
                .map_err(|error| DataError::new(&summary_path, damaged(&error, path, &run)))?,
        ),
        Err(error) if error.kind() == ErrorKind::NotFound => None,
        Err(error) => return Err(DataError::new(&summary_path, error)),
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
/// If the file is damaged.
pub fn load_rows(path: &Path) -> Result<Vec<RecordBatch>, DataError> {
    read_batches(&path.join(REQUESTS))
}

fn read_batches(path: &Path) -> Result<Vec<RecordBatch>, DataError> {
    let file = match fs::File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(DataError::new(path, error)),
    };
    let builder = ParquetRecordBatchReaderBuilder::try_new(file);
    let batches = builder.and_then(|builder| builder.build()).map_err(|error| error.to_string());
    let batches = batches
        .and_then(|batches| batches.collect::<Result<_, _>>().map_err(|error| error.to_string()));
    batches.map_err(|why| {
        let remedy = "take it from a copy, or remove it: the figures do not need it";
        DataError::new(path, format!("is damaged ({why}); {remedy}"))
    })
}
