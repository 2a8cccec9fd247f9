//! The requests of a log in columns.

use std::sync::Arc;

use arrow_array::{Array, ArrayRef, BooleanArray, Int64Array, StringArray};
use arrow_array::{UInt8Array, UInt16Array, UInt32Array};
use arrow_buffer::{NullBuffer, ScalarBuffer};
use pyo3::prelude::*;
use thinktime_log::columns::{Columns, UNKNOWN};

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
