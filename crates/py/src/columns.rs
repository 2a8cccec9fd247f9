//! The requests of a log in columns, and the sessions that they make.

use std::sync::Arc;

use arrow_array::{Array, ArrayRef, BooleanArray, Int64Array, StringArray};
use arrow_array::{UInt8Array, UInt16Array, UInt32Array};
use arrow_buffer::{NullBuffer, ScalarBuffer};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use thinktime_log::columns::{ColumnView, Columns, METHODS, UNKNOWN};
use thinktime_log::sessions::{Rules, SessionFigures, Tally, sessions};

use crate::errors::InputError;
use crate::parameters::Time;
use crate::table::Table;

/// The requests of a log in columns, in memory that Python's tables share.
#[pyclass(frozen, module = "thinktime")]
pub(crate) struct LogColumns {
    time_ns: Int64Array,
    duration_us: UInt32Array,
    user: UInt32Array,
    path: UInt32Array,
    referrer: UInt32Array,
    host: UInt32Array,
    bytes: UInt32Array,
    /// Empty if no line names pages.
    page: UInt32Array,
    status: UInt16Array,
    method: UInt8Array,
    paths: StringArray,
    objects: Vec<bool>,
    addresses: UInt32Array,
    user_agents: UInt32Array,
    agents: StringArray,
    hosts: StringArray,
}

impl LogColumns {
    pub(crate) fn new(columns: Columns) -> LogColumns {
        let Columns { rows, paths, objects, users, agents, hosts, .. } = columns;
        let (addresses, user_agents) = users.into_iter().unzip();
        LogColumns {
            time_ns: rows.time_ns.into(),
            duration_us: numbers(rows.duration_us),
            user: numbers(rows.user),
            path: numbers(rows.path),
            referrer: numbers(rows.referrer),
            host: numbers(rows.host),
            bytes: numbers(rows.bytes),
            page: numbers(rows.page),
            status: rows.status.into(),
            method: rows.method.into(),
            paths: texts(paths),
            objects,
            addresses: numbers(addresses),
            user_agents: numbers(user_agents),
            agents: texts(agents),
            hosts: texts(hosts),
        }
    }

    /// The requests where they lie; the values of null ones are `UNKNOWN`.
    fn view(&self) -> ColumnView<'_> {
        ColumnView {
            time_ns: self.time_ns.values(),
            duration_us: self.duration_us.values(),
            user: self.user.values(),
            path: self.path.values(),
            referrer: self.referrer.values(),
            bytes: self.bytes.values(),
            page: self.page.values(),
            status: self.status.values(),
            method: self.method.values(),
            objects: &self.objects,
            users: self.addresses.len(),
        }
    }
}

#[pymethods]
impl LogColumns {
    /// The number of requests.
    fn __len__(&self) -> usize {
        self.time_ns.len()
    }

    /// The requests by time, with numbers for users, paths and hosts; with `page` if lines name
    /// pages.
    fn rows(&self) -> PyResult<Table> {
        let mut columns = vec![
            ("time_ns", shared(&self.time_ns)),
            ("duration_us", shared(&self.duration_us)),
            ("user", shared(&self.user)),
            ("path", shared(&self.path)),
            ("referrer", shared(&self.referrer)),
            ("host", shared(&self.host)),
            ("bytes", shared(&self.bytes)),
            ("status", shared(&self.status)),
            ("method", shared(&self.method)),
        ];
        if !self.page.is_empty() {
            columns.push(("page", shared(&self.page)));
        }
        Table::of_columns(columns)
    }

    /// The paths by their numbers, and whether pages embed them.
    fn paths(&self) -> PyResult<Table> {
        let objects = BooleanArray::from(self.objects.clone());
        Table::of_columns(vec![("path", shared(&self.paths)), ("object", Arc::new(objects))])
    }

    /// The address and the agent of each user.
    fn users(&self) -> PyResult<Table> {
        let (addresses, agents) = (shared(&self.addresses), shared(&self.user_agents));
        Table::of_columns(vec![("address", addresses), ("agent", agents)])
    }

    /// The agents of clients.
    fn agents(&self) -> PyResult<Table> {
        Table::of_columns(vec![("agent", shared(&self.agents))])
    }

    /// The requested hosts.
    fn hosts(&self) -> PyResult<Table> {
        Table::of_columns(vec![("host", shared(&self.hosts))])
    }

    /// The sessions of the requests whose byte in `labels` is `label`; of all requests without
    /// labels. `starts` are a table with `start_ns`, and the number of minutes of which it has one.
    #[pyo3(signature = (
        labels = None, label = 0, *, timeout = None, pages = true, page_gap = None
    ))]
    fn sessions<'py>(
        &self,
        py: Python<'py>,
        labels: Option<&[u8]>,
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
        if let Some(labels) = labels
            && labels.len() != self.time_ns.len()
        {
            let (labels, rows) = (labels.len(), self.time_ns.len());
            return Err(InputError::new_err(format!("there are {labels} labels of {rows} rows")));
        }
        let mine = |row: usize| labels.is_none_or(|labels| labels[row] == label);
        let learned = py.detach(|| sessions(&self.view(), &rules, mine));
        to_dict(py, learned)
    }
}

fn numbers(values: Vec<u32>) -> UInt32Array {
    let unknown = values.contains(&UNKNOWN);
    let nulls =
        unknown.then(|| values.iter().map(|value| *value != UNKNOWN).collect::<NullBuffer>());
    UInt32Array::new(ScalarBuffer::from(values), nulls)
}

fn texts(names: Vec<Box<[u8]>>) -> StringArray {
    names.iter().map(|name| Some(String::from_utf8_lossy(name))).collect()
}

/// The same column once more, without a copy.
fn shared(column: &(impl Array + Clone + 'static)) -> ArrayRef {
    Arc::new(column.clone())
}

fn to_dict(py: Python<'_>, learned: SessionFigures) -> PyResult<Bound<'_, PyDict>> {
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

/// The figures of answers, and counts by the minute.
fn series(dict: &Bound<'_, PyDict>, mut learned: SessionFigures) -> PyResult<()> {
    let methods = METHODS.iter().zip(learned.methods).filter(|(_, count)| *count > 0);
    dict.set_item("methods", methods.collect::<Vec<_>>())?;
    dict.set_item("statuses", learned.statuses.iter().collect::<Vec<_>>())?;
    let minutes = learned.minutes();
    dict.set_item("minutes_start_ns", minutes.start_ns)?;
    dict.set_item("minute_requests", minutes.requests)?;
    dict.set_item("minute_sessions", minutes.sessions)?;
    dict.set_item("minute_active", minutes.active)?;
    let (starts, stride) = learned.starts();
    let starts = Table::of_columns(vec![("start_ns", Arc::new(Int64Array::from(starts)))])?;
    dict.set_item("starts", (starts, stride))?;
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
