//! `read_log`.

use std::num::NonZero;
use std::ops::ControlFlow;

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use thinktime_log::sessions::{
    Apart, Batch, Learned, METHODS, PathCount, Rules, Sessions, Tally, UserBy,
};
use thinktime_log::{FORMATS, FileReport, LogError, Options, Reading, Report, Source};

use crate::errors::{InputError, invalid};
use crate::parameters::Time;
use crate::supervise::supervise;

/// Reads access logs and makes sessions of their requests.
#[pyfunction]
#[pyo3(signature = (
    logs, *, format = None, user = "agent", user_field = None, timeout = None, pages = true,
    page_gap = None, crawlers_apart = true, follow = false, threads = None, progress = None,
    only = None, without = None
))]
#[allow(clippy::too_many_arguments, reason = "they are Python's keyword arguments")]
pub(crate) fn read_log<'py>(
    py: Python<'py>,
    logs: Vec<String>,
    format: Option<String>,
    user: &str,
    user_field: Option<String>,
    timeout: Option<Time>,
    pages: bool,
    page_gap: Option<Time>,
    crawlers_apart: bool,
    follow: bool,
    threads: Option<usize>,
    progress: Option<Py<PyAny>>,
    only: Option<Vec<String>>,
    without: Option<Vec<String>>,
) -> PyResult<Bound<'py, PyDict>> {
    let usual = Rules::default();
    let nanos = |time: &Option<Time>, usual: i64| match time {
        None => Ok(usual),
        Some(time) => time.seconds().map(|seconds| (seconds * 1e9) as i64),
    };
    let rules = Rules {
        timeout_ns: nanos(&timeout, usual.timeout_ns)?,
        pages,
        page_gap_ns: nanos(&page_gap, usual.page_gap_ns)?,
        crawlers_apart,
    };
    if rules.timeout_ns <= 0 {
        return Err(InputError::new_err("the session timeout must be more than 0"));
    }
    let by = user_by(user, user_field.is_some())?;
    let (only, without) = (only.unwrap_or_default(), without.unwrap_or_default());
    let user = user_field;
    let mut options = Options { format, user, follow, only, without, ..Options::default() };
    if let Some(threads) = threads.and_then(NonZero::new) {
        options.threads = threads;
    }
    let wrong = |error: LogError| InputError::new_err(error.to_string());
    let mut sources = Source::expand(&logs).map_err(wrong)?;
    if sources.len() > 1 && !follow {
        sources = Source::in_time_order(sources, &options).map_err(|error| invalid(&error))?;
    }
    let reading = Reading::new(sources, options).map_err(|error| invalid(&error))?;
    let done = supervise(py, progress.as_ref(), move |watch| {
        let mut sessions = Sessions::new(rules);
        let report = reading.run(
            |entry, batch: &mut Batch| batch.add(entry, by),
            |batch| sessions.take(batch),
            |seen| {
                let share = seen.stored_bytes_total.filter(|total| *total > 0);
                let share = share.map_or(0.0, |total| seen.stored_bytes as f64 / total as f64);
                match watch.report(seen.entries, share, seen.bytes) {
                    true => ControlFlow::Continue(()),
                    false => ControlFlow::Break(()),
                }
            },
        );
        report.map(|report| (report, sessions.finish()))
    })?;
    let (report, learned) = done.map_err(wrong)?;
    to_dict(py, &report, learned)
}

/// The formats of logs that are known: name, summary, and where the format is described.
#[pyfunction]
pub(crate) fn log_formats() -> Vec<(String, String, String)> {
    let known = |one: &&thinktime_log::Known| {
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
            "`{other}` is no way to tell users apart: give `address`, `agent` (address and agent) \
             or `field`"
        ))),
    }
}

fn to_dict<'py>(
    py: Python<'py>,
    report: &Report,
    mut learned: Learned,
) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    let files: Vec<_> =
        report.files.iter().map(|file| file_dict(py, file)).collect::<PyResult<_>>()?;
    dict.set_item("files", PyList::new(py, files)?)?;
    dict.set_item("stopped", report.stopped)?;
    for (name, value) in [("start_ns", learned.start_ns), ("end_ns", learned.end_ns)] {
        dict.set_item(name, value)?;
    }
    let Apart { users, sessions, requests, late_requests } = learned.apart;
    for (name, count) in [
        ("backwards", learned.backwards),
        ("requests", learned.requests),
        ("pages", learned.pages),
        ("users", learned.users),
        ("addresses", learned.addresses),
        ("sessions", learned.sessions),
        ("cut_at_start", learned.cut_at_start),
        ("cut_at_end", learned.cut_at_end),
        ("whole_sessions", learned.lengths.sessions),
        ("whole_requests", learned.lengths.requests),
        ("first_visits", learned.first_visits),
        ("apart_users", users),
        ("apart_sessions", sessions),
        ("apart_requests", requests),
        ("apart_late_requests", late_requests),
    ] {
        dict.set_item(name, count)?;
    }
    dict.set_item("session_seconds", learned.session_seconds)?;
    let (staying, staying_requests, staying_seconds) = learned.staying;
    dict.set_item("staying_sessions", staying)?;
    dict.set_item("staying_requests", staying_requests)?;
    dict.set_item("staying_seconds", staying_seconds)?;
    for (name, tally) in [
        ("gaps_us", &learned.gaps),
        ("thinks_us", &learned.thinks),
        ("page_thinks_us", &learned.page_thinks),
        ("object_gaps_us", &learned.object_gaps),
        ("session_requests", &learned.lengths.by_requests),
        ("session_pages", &learned.lengths.by_pages),
        ("bytes", &learned.bytes),
        ("durations_us", &learned.durations),
    ] {
        dict.set_item(name, bins(tally))?;
    }
    let methods = METHODS.iter().zip(learned.methods).filter(|(_, count)| *count > 0);
    dict.set_item("methods", methods.collect::<Vec<_>>())?;
    dict.set_item("statuses", learned.statuses.iter().collect::<Vec<_>>())?;
    let minutes = learned.minutes();
    dict.set_item("minutes_start_ns", minutes.start_ns)?;
    dict.set_item("minute_requests", minutes.requests)?;
    dict.set_item("minute_sessions", minutes.sessions)?;
    dict.set_item("minute_active", minutes.active)?;
    dict.set_item("starts", learned.starts())?;
    let (paths, others) = learned.paths();
    let text = |path: &PathCount| String::from_utf8_lossy(&path.path).into_owned();
    let row = |path: &PathCount| (text(path), METHODS[usize::from(path.method)], path.count);
    let rows: Vec<_> = paths.iter().map(row).collect();
    dict.set_item("paths", rows)?;
    dict.set_item("other_paths", others)?;
    Ok(dict)
}

/// The bins of a tally, as three lists: low, high, count.
fn bins(tally: &Tally) -> (Vec<u64>, Vec<u64>, Vec<u64>) {
    let mut columns = (Vec::new(), Vec::new(), Vec::new());
    for bin in tally.bins() {
        columns.0.push(bin.low);
        columns.1.push(bin.high);
        columns.2.push(bin.count);
    }
    columns
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
    dict.set_item("resolution_s", file.resolution_ns as f64 * 1e-9)?;
    let bad = file.bad.iter().map(|bad| (bad.reason.words(), bad.count, bad.line, &bad.example));
    dict.set_item("bad", bad.collect::<Vec<_>>())?;
    Ok(dict)
}
