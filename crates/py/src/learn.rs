//! `read_log`.

use std::num::NonZero;
use std::ops::ControlFlow;

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList};
use thinktime_log::columns::{Batch, Collector, Columns, Digest, UserBy};
use thinktime_log::{FORMATS, FileReport, LogError, LogPart, LogReader, Options, Report, Source};

use crate::columns::LogColumns;
use crate::errors::{InputError, invalid, words};
use crate::remote_iterator::RemoteIterator;
use crate::supervise::supervise;

/// Adds these to the module.
pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    crate::fits::add(module)?;
    module.add_function(wrap_pyfunction!(read_log, module)?)?;
    module.add_function(wrap_pyfunction!(read_log_file, module)?)?;
    module.add_function(wrap_pyfunction!(crate::visits::find_visits, module)?)?;
    module.add_function(wrap_pyfunction!(crate::visits::places_by_number, module)?)?;
    module.add_function(wrap_pyfunction!(log_formats, module)?)
}

/// Reads access logs into columns; `elsewhere` reads each file in another place.
#[pyfunction]
#[pyo3(signature = (
    logs, *, format = None, user = "agent", user_field = None, follow = false, threads = None,
    progress = None, only = None, without = None, elsewhere = None
))]
#[allow(clippy::too_many_arguments, reason = "they are Python's keyword arguments")]
pub(crate) fn read_log<'py>(
    py: Python<'py>,
    logs: Vec<String>,
    format: Option<String>,
    user: &str,
    user_field: Option<String>,
    follow: bool,
    threads: Option<usize>,
    progress: Option<Py<PyAny>>,
    only: Option<Vec<String>>,
    without: Option<Vec<String>>,
    elsewhere: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let digest = Digest::new(user_by(user, user_field.is_some())?);
    let mut options = options_of(format, user_field, only, without);
    options.follow = follow;
    if let Some(threads) = threads.and_then(NonZero::new) {
        options.threads = threads;
    }
    let wrong = |error: LogError| InputError::new_err(words(error));
    let mut sources = Source::expand(&logs).map_err(wrong)?;
    if sources.len() > 1 && !follow {
        sources = Source::in_time_order(sources, &options).map_err(|error| invalid(&error))?;
    }
    if let Some(elsewhere) = elsewhere {
        let names = sources.iter().map(Source::name).collect();
        let (report, columns) = gathered(py, names, elsewhere, progress.as_ref())?;
        return read_dict(py, &report, columns);
    }
    let reader = LogReader::new(sources, options).map_err(|error| invalid(&error))?;
    let (done, interrupted) = supervise(py, progress.as_ref(), move |watch| {
        let mut collector = Collector::default();
        let report = reader.run(
            |entry, batch: &mut Batch| digest.add(entry, batch),
            |batch| collector.take(batch),
            |seen| {
                let share = seen.stored_bytes_total.filter(|total| *total > 0);
                let share = share.map_or(0.0, |total| seen.stored_bytes as f64 / total as f64);
                match watch.report(seen.entries, share, seen.bytes) {
                    true => ControlFlow::Continue(()),
                    false => ControlFlow::Break(()),
                }
            },
        );
        report.map(|report| (report, collector.finish()))
    })?;
    let (mut report, columns) = done.map_err(wrong)?;
    report.stopped |= interrupted;
    read_dict(py, &report, columns)
}

/// Reads one file, for the `elsewhere` of `read_log`, in the same way as the others.
#[pyfunction]
#[pyo3(signature = (
    log, *, format = None, user = "agent", user_field = None, only = None, without = None
))]
#[allow(clippy::too_many_arguments, reason = "they are Python's keyword arguments")]
pub(crate) fn read_log_file<'py>(
    py: Python<'py>,
    log: String,
    format: Option<String>,
    user: &str,
    user_field: Option<String>,
    only: Option<Vec<String>>,
    without: Option<Vec<String>>,
) -> PyResult<Bound<'py, PyBytes>> {
    let digest = Digest::new(user_by(user, user_field.is_some())?);
    let options = options_of(format, user_field, only, without);
    let options = Options { threads: NonZero::<usize>::MIN, ..options };
    let sources = vec![Source::File(log.into())];
    let reader = LogReader::new(sources, options).map_err(|error| invalid(&error))?;
    let told = py.detach(|| LogPart::of(reader, digest));
    let told = told.map_err(|error| InputError::new_err(words(error)))?;
    let bytes = told.to_bytes().map_err(|error| invalid(&error))?;
    Ok(PyBytes::new(py, &bytes))
}

fn options_of(
    format: Option<String>,
    user: Option<String>,
    only: Option<Vec<String>>,
    without: Option<Vec<String>>,
) -> Options {
    // Without filters all requests are read.
    let (only, without) = (only.unwrap_or_default(), without.unwrap_or_default());
    Options { format, user, only, without, ..Options::default() }
}

/// The results of reading these files elsewhere, in their order.
fn gathered(
    py: Python<'_>,
    names: Vec<String>,
    elsewhere: Py<PyAny>,
    progress: Option<&Py<PyAny>>,
) -> PyResult<(Report, Columns)> {
    let number = names.len().max(1) as f64;
    let mut there = RemoteIterator::new(elsewhere);
    let (done, interrupted) = supervise(py, progress, move |watch| {
        there.call(|py, python| python.call1(py, (names,)));
        let (mut collector, mut report) = (Collector::default(), Report::default());
        let read = |found: &Bound<'_, PyAny>| {
            LogPart::from_bytes(found.cast::<PyBytes>()?.as_bytes())
                .map_err(|error| invalid(&error))
        };
        let mut bytes = 0;
        while let Some(found) = there.next_item(read) {
            if let Some(told) = found {
                let told = told.into_columns(&mut collector);
                bytes += told.files.iter().map(|file| file.bytes).sum::<u64>();
                report.files.extend(told.files);
            }
            let share = report.files.len() as f64 / number;
            if !watch.report(report.entries(), share, bytes) {
                report.stopped = true;
                break;
            }
        }
        match there.raised.take() {
            Some(raised) => Err(raised),
            None => Ok((report, collector.finish())),
        }
    })?;
    let (mut report, columns) = done?;
    report.stopped |= interrupted;
    Ok((report, columns))
}

/// The result of reading, in Python's form.
fn read_dict<'py>(
    py: Python<'py>,
    report: &Report,
    columns: Columns,
) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    let files: Vec<_> =
        report.files.iter().map(|file| file_dict(py, file)).collect::<PyResult<_>>()?;
    dict.set_item("files", PyList::new(py, files)?)?;
    dict.set_item("stopped", report.stopped)?;
    dict.set_item("backwards", columns.backwards)?;
    dict.set_item("requests", columns.requests)?;
    dict.set_item("one_in", columns.one_in)?;
    dict.set_item("columns", Py::new(py, LogColumns::new(columns))?)?;
    Ok(dict)
}

/// The known formats of logs: name, summary, and address of the description.
#[pyfunction]
pub(crate) fn log_formats() -> Vec<(String, String, String)> {
    let known = |one: &&thinktime_log::FormatEntry| {
        (one.name.to_owned(), one.summary.to_owned(), one.source.to_owned())
    };
    FORMATS.iter().map(known).collect()
}

fn user_by(name: &str, field: bool) -> PyResult<UserBy> {
    match name {
        _ if field => Ok(UserBy::Field),
        "address" => Ok(UserBy::Address),
        "agent" => Ok(UserBy::AddressAndAgent),
        "field" => Ok(UserBy::Field),
        other => Err(InputError::new_err(format!(
            "`{other}` does not identify users: give `address`, `agent` (address and agent) or \
             `field`"
        ))),
    }
}

fn file_dict<'py>(py: Python<'py>, file: &FileReport) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("name", &file.name)?;
    dict.set_item("format", file.format)?;
    dict.set_item("bytes", file.bytes)?;
    dict.set_item("lines", file.lines)?;
    dict.set_item("entries", file.entries)?;
    dict.set_item("dropped", file.dropped)?;
    dict.set_item("left_over", &file.left_over)?;
    dict.set_item("doubts", &file.doubts)?;
    dict.set_item("unit_open", file.unit_open)?;
    dict.set_item("resolution_s", file.resolution_ns as f64 * 1e-9)?;
    let bad = file.bad.iter().map(|bad| (bad.reason.words(), bad.count, bad.line, &bad.example));
    dict.set_item("bad", bad.collect::<Vec<_>>())?;
    Ok(dict)
}
