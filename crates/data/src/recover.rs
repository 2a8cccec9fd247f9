//! Recovers results of killed runs.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use arrow_schema::SchemaRef;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::errors::ParquetError;
use thinktime_core::run_file::{OutcomeTable, RunFile};

use crate::checkpoint::settle;
use crate::directory::write_run;
use crate::figure_files::write_summary;
use crate::files::{FOOTER, MARK, RECOVERED, REQUESTS, RUN, SUMMARY, TAIL};
use crate::journal::read_leftover;
use crate::parquet_properties::properties;
use crate::partial::{Partial, leftovers, resolve, sibling};
use crate::rows::RowTable;
use crate::{DataError, Labels};

/// A result that was recovered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recovered {
    /// The remains of a killed run.
    pub from: PathBuf,
    /// The place of the result; `None` if nothing had been measured yet.
    pub path: Option<PathBuf>,
}

/// Recovers results of runs that were killed while they wrote to `target`; or of the remains at
/// `target` itself. A complete one takes its place. An incomplete one goes to its place only if no
/// older result is there, and else beside it, to `target.recovered`.
///
/// # Errors
/// If a file is damaged, or cannot be read or written.
pub fn recover(target: &Path) -> Result<Vec<Recovered>, DataError> {
    let target = resolve(target)?;
    let mut all = Vec::new();
    let (target, left) = match place_of(&target) {
        Some(place) if Partial::leftover_at(&target, &place).is_some() => (place, vec![target]),
        _ => {
            let left = leftovers(&target);
            (target, left)
        }
    };
    for from in left {
        if let Some(partial) = Partial::leftover_at(&from, &target) {
            all.push(Recovered { from, path: recover_one(partial)? });
        }
    }
    Ok(all)
}

/// The place that the name of a partial directory stands for.
fn place_of(path: &Path) -> Option<PathBuf> {
    let name = path.file_name()?.to_str()?;
    let (place, number) = name.rsplit_once(".partial")?;
    let fits = number.is_empty() || number.strip_prefix('-')?.parse::<u32>().is_ok();
    let above = path.parent()?;
    fits.then(|| if place.is_empty() { above.to_owned() } else { above.join(place) })
}

fn recover_one(mut partial: Partial) -> Result<Option<PathBuf>, DataError> {
    if partial.complete_files().is_some() {
        return partial.finish().map(Some);
    }
    let directory = partial.path().to_owned();
    if directory.join(RUN).exists() {
        settle(&directory, recover_rows(&directory)?)?;
        if !mark_as_cut_short(&directory)? {
            let fail = |error| DataError::new(&directory, error);
            fs::remove_dir_all(&directory).map_err(fail)?;
            return Ok(None);
        }
    } else if holds_nothing(&directory) {
        partial.abandon();
        return Ok(None);
    }
    let target = partial.target().to_owned();
    let is_taken = |path: &Path| fs::read_dir(path).is_ok_and(|mut all| all.next().is_some());
    let mut numbered = (2..).map(|number| sibling(&target, &format!(".recovered-{number}")));
    let first = [target.clone(), sibling(&target, ".recovered")].into_iter();
    if let Some(free) = first.chain(&mut numbered).find(|path| !is_taken(path)) {
        partial.set_target(free);
    }
    partial.finish().map(Some)
}

/// Whether a directory without a run has no other figures: those of a capacity, or of its probes.
fn holds_nothing(directory: &Path) -> bool {
    let about = [MARK, "label.json", "made.json"];
    let is_empty = |path: &Path| fs::read_dir(path).is_ok_and(|mut all| all.next().is_none());
    let all = fs::read_dir(directory).into_iter().flatten().flatten();
    all.into_iter()
        .all(|entry| about.iter().any(|name| entry.file_name() == *name) || is_empty(&entry.path()))
}

/// Writes `requests.parquet` from the available rows; gives their number. This step may be
/// interrupted and repeated.
fn recover_rows(directory: &Path) -> Result<u64, DataError> {
    let (rows, draft) = (directory.join(REQUESTS), directory.join("requests.recovered.new"));
    let done = directory.join(RECOVERED);
    let io = |error| DataError::new(directory, error);
    if !done.exists() && count(&rows).is_ok() {
        fs::rename(&rows, &done).map_err(io)?;
    } else if !done.exists() {
        let wrong = |error| DataError::new(&draft, error);
        let begin = |schema: SchemaRef| {
            let file = File::create(&draft).map_err(io)?;
            ArrowWriter::try_new(file, schema, Some(properties())).map_err(wrong)
        };
        // The rows themselves determine their columns.
        let mut writer = None;
        read_leftover(directory, |batch| {
            let begun = writer.take().map_or_else(|| begin(batch.schema()), Ok)?;
            writer.insert(begun).write(batch).map_err(wrong)
        })?;
        let none = || begin(RowTable::new(Labels::default()).schema());
        writer.map_or_else(none, Ok)?.close().map_err(wrong)?;
        fs::rename(&draft, &done).map_err(io)?;
    }
    for entry in fs::read_dir(directory).map_err(io)? {
        let entry = entry.map_err(io)?;
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if name == FOOTER || name.starts_with(TAIL) {
            fs::remove_file(entry.path()).map_err(io)?;
        }
    }
    fs::rename(&done, &rows).map_err(io)?;
    count(&rows).map_err(|error| DataError::new(&rows, error))
}

/// The number of rows of a file that is whole.
fn count(path: &Path) -> Result<u64, ParquetError> {
    let reader = ParquetRecordBatchReaderBuilder::try_new(File::open(path)?)?;
    Ok(reader.metadata().file_metadata().num_rows() as u64)
}

/// Marks the summary and `run.toml` as cut short; false without a summary.
fn mark_as_cut_short(directory: &Path) -> Result<bool, DataError> {
    let (run_path, path) = (directory.join(RUN), directory.join(SUMMARY));
    let Ok(bytes) = fs::read(&path) else { return Ok(false) };
    let mut summary: thinktime_core::record::Summary =
        serde_json::from_slice(&bytes).map_err(|error| DataError::new(&path, error))?;
    let text = fs::read_to_string(&run_path).map_err(|error| DataError::new(&run_path, error))?;
    let mut run = RunFile::read(&text).map_err(|error| DataError::new(&run_path, error))?;
    if run.outcome.is_none() {
        let time_s = summary.warmup_s + summary.duration_s;
        summary.warnings.retain(|one| !one.starts_with("interrupted"));
        summary.warnings.push(format!(
            "cut short: it was killed; the result has the requests that were over {time_s:.3} s \
             after its start, without the findings of scripts"
        ));
        write_summary(directory, &summary)?;
        run.run.warmup_s = summary.warmup_s;
        let outcome = OutcomeTable { interrupted: true, recovered: true, untrusted: None };
        run.outcome = Some(outcome);
        write_run(directory, &run)?;
    }
    Ok(true)
}
