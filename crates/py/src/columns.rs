//! The requests of a log in columns, and the sessions that they make.

use std::sync::Arc;

use arrow_array::{ArrayRef, BooleanArray, Int64Array, StringArray};
use arrow_array::{UInt8Array, UInt16Array, UInt32Array};
use arrow_buffer::{NullBuffer, ScalarBuffer};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use thinktime_log::columns::{Columns, METHODS, UNKNOWN};
use thinktime_log::sessions::{Learned, Rules, Tally, sessions};

use crate::errors::InputError;
use crate::parameters::Time;
use crate::table::Table;

/// The requests of a log in columns.
#[pyclass(frozen, module = "thinktime")]
pub(crate) struct LogColumns {
    columns: Columns,
}

impl LogColumns {
    pub(crate) fn new(columns: Columns) -> LogColumns {
        LogColumns { columns }
    }
}

#[pymethods]
impl LogColumns {
    /// How many requests there are.
    fn __len__(&self) -> usize {
        self.columns.rows.len()
    }

    /// The requests by time, with numbers for users, paths and hosts.
    fn rows(&self) -> PyResult<Table> {
        let rows = &self.columns.rows;
        Table::of_columns(vec![
            ("time_ns", Arc::new(Int64Array::from(rows.time_ns.clone()))),
            ("duration_us", numbers(&rows.duration_us)),
            ("user", numbers(&rows.user)),
            ("path", numbers(&rows.path)),
            ("referrer", numbers(&rows.referrer)),
            ("host", numbers(&rows.host)),
            ("bytes", numbers(&rows.bytes)),
            ("status", Arc::new(UInt16Array::from(rows.status.clone()))),
            ("method", Arc::new(UInt8Array::from(rows.method.clone()))),
        ])
    }

    /// The paths by their numbers, and whether pages embed such things.
    fn paths(&self) -> PyResult<Table> {
        Table::of_columns(vec![
            ("path", texts(&self.columns.paths)),
            ("object", Arc::new(BooleanArray::from(self.columns.objects.clone()))),
        ])
    }

    /// The address and the agent of each user.
    fn users(&self) -> PyResult<Table> {
        let (addresses, agents): (Vec<u32>, Vec<u32>) = self.columns.users.iter().copied().unzip();
        Table::of_columns(vec![("address", numbers(&addresses)), ("agent", numbers(&agents))])
    }

    /// What clients call themselves.
    fn agents(&self) -> PyResult<Table> {
        Table::of_columns(vec![("agent", texts(&self.columns.agents))])
    }

    /// The hosts that were asked.
    fn hosts(&self) -> PyResult<Table> {
        Table::of_columns(vec![("host", texts(&self.columns.hosts))])
    }

    /// The sessions that those requests make whose byte in `labels` is `label`; all of them where
    /// there are no labels.
    #[pyo3(signature = (
        labels = None, label = 0, *, timeout = None, pages = true, page_gap = None
    ))]
    fn sessions<'py>(
        &self,
        py: Python<'py>,
        labels: Option<Vec<u8>>,
        label: u8,
        timeout: Option<Time>,
        pages: bool,
        page_gap: Option<Time>,
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
        };
        if rules.timeout_ns <= 0 {
            return Err(InputError::new_err("the session timeout must be more than 0"));
        }
        if let Some(labels) = &labels
            && labels.len() != self.columns.rows.len()
        {
            let (labels, rows) = (labels.len(), self.columns.rows.len());
            return Err(InputError::new_err(format!("there are {labels} labels of {rows} rows")));
        }
        let mine = |row: usize| labels.as_ref().is_none_or(|labels| labels[row] == label);
        let learned = py.detach(|| sessions(&self.columns, &rules, mine));
        to_dict(py, learned)
    }
}

fn numbers(values: &[u32]) -> ArrayRef {
    let known = values.contains(&UNKNOWN);
    let nulls = known.then(|| values.iter().map(|value| *value != UNKNOWN).collect::<NullBuffer>());
    Arc::new(UInt32Array::new(ScalarBuffer::from(values.to_vec()), nulls))
}

fn texts(names: &[Box<[u8]>]) -> ArrayRef {
    let texts = names.iter().map(|name| Some(String::from_utf8_lossy(name).into_owned()));
    Arc::new(texts.collect::<StringArray>())
}

fn to_dict(py: Python<'_>, learned: Learned) -> PyResult<Bound<'_, PyDict>> {
    let dict = PyDict::new(py);
    for (name, value) in [("start_ns", learned.start_ns), ("end_ns", learned.end_ns)] {
        dict.set_item(name, value)?;
    }
    let (staying, staying_requests, staying_seconds) = learned.staying;
    for (name, count) in [
        ("requests", learned.requests),
        ("pages", learned.pages),
        ("users", learned.users),
        ("sessions", learned.sessions),
        ("cut_at_start", learned.cut_at_start),
        ("cut_at_end", learned.cut_at_end),
        ("whole_sessions", learned.lengths.sessions),
        ("whole_requests", learned.lengths.requests),
        ("first_visits", learned.first_visits),
        ("staying_sessions", staying),
        ("staying_requests", staying_requests),
    ] {
        dict.set_item(name, count)?;
    }
    dict.set_item("session_seconds", learned.session_seconds)?;
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
    series(&dict, learned)?;
    Ok(dict)
}

/// What is known of answers, and counts by the minute.
fn series(dict: &Bound<'_, PyDict>, mut learned: Learned) -> PyResult<()> {
    let methods = METHODS.iter().zip(learned.methods).filter(|(_, count)| *count > 0);
    dict.set_item("methods", methods.collect::<Vec<_>>())?;
    dict.set_item("statuses", learned.statuses.iter().collect::<Vec<_>>())?;
    let minutes = learned.minutes();
    dict.set_item("minutes_start_ns", minutes.start_ns)?;
    dict.set_item("minute_requests", minutes.requests)?;
    dict.set_item("minute_sessions", minutes.sessions)?;
    dict.set_item("minute_active", minutes.active)?;
    dict.set_item("starts", learned.starts())?;
    Ok(())
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
