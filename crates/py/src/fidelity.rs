//! `requests_of`, `asked_for`, `lru_hit_ratios` and `response_times`: the measures of a learned
//! workload.

use std::sync::Arc;

use arrow_array::types::{ArrowPrimitiveType, Int64Type, UInt32Type, UInt64Type};
use arrow_array::{Int64Array, PrimitiveArray, UInt32Array, UInt64Array};
use pyo3::prelude::*;
use pyo3_arrow::PyTable;
use thinktime_core::lru::Lru;
use thinktime_core::options::SimulateOptions;
use thinktime_core::record::{Row, RowSink};
use thinktime_core::time::Nanos;
use thinktime_sim::{Control, Plan, simulate_with};

use crate::errors::{InputError, invalid, simulation};
use crate::system::System;
use crate::table::Table;
use crate::workload::Workload;

/// Adds these to the module.
pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(requests_of, module)?)?;
    module.add_function(wrap_pyfunction!(asked_for, module)?)?;
    module.add_function(wrap_pyfunction!(lru_hit_ratios, module)?)?;
    module.add_function(wrap_pyfunction!(response_times, module)?)
}

/// The request of each attempt that has ended.
#[derive(Default)]
struct Requests {
    scheduled_ns: Vec<i64>,
    session: Vec<u64>,
    request: Vec<u32>,
    kind: Vec<u32>,
}

impl RowSink for Requests {
    fn row(&mut self, row: &Row) {
        self.scheduled_ns.push(row.attempt.scheduled().0 as i64);
        self.session.push(row.attempt.session);
        self.request.push(row.attempt.index);
        self.kind.push(row.attempt.kind);
    }
}

/// The requests of one simulation, without their answers: a table with `scheduled_ns`, `session`,
/// `request`, as in rows of results, and `kind`, the index in `Workload.request_names`. The options
/// are those of `simulate`.
#[pyfunction]
fn requests_of(
    py: Python<'_>,
    workload: &Workload,
    system: &System,
    options: &str,
) -> PyResult<Table> {
    let options = SimulateOptions::from_json(options).map_err(|error| invalid(&error))?;
    let plan = Plan::of(&options, &workload.inner).map_err(|error| invalid(&error))?;
    let mut found = Requests::default();
    let (workload, system) = (&workload.inner, &system.inner);
    let done = py.detach(|| {
        simulate_with(workload, system, &plan, &mut found, &|_| Control::Continue, None)
    });
    done.map_err(|error| simulation(&error))?;
    Table::of_columns(vec![
        ("scheduled_ns", Arc::new(Int64Array::from(found.scheduled_ns))),
        ("session", Arc::new(UInt64Array::from(found.session))),
        ("request", Arc::new(UInt32Array::from(found.request))),
        ("kind", Arc::new(UInt32Array::from(found.kind))),
    ])
}

/// The values of a column, which has no nulls, of all batches.
fn column<T: ArrowPrimitiveType>(table: &PyTable, name: &str) -> PyResult<Vec<T::Native>> {
    let wrong =
        || InputError::new_err(format!("a column `{name}` of {:?} is needed", T::DATA_TYPE));
    let mut values = Vec::new();
    for batch in table.batches() {
        let found = batch.column_by_name(name).ok_or_else(wrong)?;
        let found = found.as_any().downcast_ref::<PrimitiveArray<T>>().ok_or_else(wrong)?;
        values.extend_from_slice(found.values());
    }
    Ok(values)
}

/// The targets of a workload's requests: a table with `target`, a number that distinguishes it from
/// others, and `size`, null if the request has none. Requests are rows of `kind` (uint32, its index
/// in `Workload.request_names`), `session` (uint64) and `request` (uint32), as in results.
#[pyfunction]
fn asked_for(workload: &Workload, requests: PyTable) -> PyResult<Table> {
    let asked = workload.inner.content();
    let kinds = column::<UInt32Type>(&requests, "kind")?;
    let sessions = column::<UInt64Type>(&requests, "session")?;
    let numbers = column::<UInt32Type>(&requests, "request")?;
    let known = workload.inner.requests.len();
    if let Some(kind) = kinds.iter().find(|&&kind| kind as usize >= known) {
        return Err(InputError::new_err(format!("kind {kind}: the workload has {known}")));
    }
    let rows = || kinds.iter().zip(&sessions).zip(&numbers).map(|((&k, &s), &n)| (k, s, n));
    let targets: UInt64Array = rows().map(|(k, s, n)| Some(asked.target(k, s, n))).collect();
    let sizes: UInt64Array = rows().map(|(k, s, n)| asked.size(k, s, n)).collect();
    Table::of_columns(vec![("target", Arc::new(targets)), ("size", Arc::new(sizes))])
}

/// The share of requests whose target is in a cache of a given number of bytes that evicts the
/// least recently used object: one for each of `capacities`. Requests are rows of `target` (uint32,
/// best from 0 on) and `size` (uint64, bytes).
#[pyfunction]
fn lru_hit_ratios(py: Python<'_>, requests: PyTable, capacities: Vec<u64>) -> PyResult<Vec<f64>> {
    let targets = column::<UInt32Type>(&requests, "target")?;
    let sizes = column::<UInt64Type>(&requests, "size")?;
    if targets.contains(&u32::MAX) {
        return Err(InputError::new_err("targets must be below 4,294,967,295"));
    }
    let ratio = |capacity: &u64| {
        let mut set = Lru::new(*capacity);
        let hits = targets.iter().zip(&sizes).filter(|&(&target, &size)| set.ask(target, size));
        hits.count() as f64 / targets.len().max(1) as f64
    };
    Ok(py.detach(|| capacities.iter().map(ratio).collect()))
}

/// The response times of requests at one server under a scheduling policy: a table with
/// `response_ns`. Requests are rows of `arrival_ns` (int64, not falling) and `demand_ns` (int64).
#[pyfunction]
fn response_times(py: Python<'_>, policy: &str, requests: PyTable) -> PyResult<Table> {
    let nanos = |name: &str| -> PyResult<Vec<Nanos>> {
        let values = column::<Int64Type>(&requests, name)?;
        let positive = values.into_iter().map(|value| u64::try_from(value).map(Nanos));
        let positive: Result<_, _> = positive.collect();
        positive.map_err(|_| InputError::new_err(format!("{name} must not be negative")))
    };
    let (arrivals, demands) = (nanos("arrival_ns")?, nanos("demand_ns")?);
    let times = py.detach(|| thinktime_sim::response_times(policy, &arrivals, &demands));
    let times = times.map_err(|error| invalid(&error))?;
    let times: Int64Array = times.iter().map(|time| Some(time.0 as i64)).collect();
    Table::of_columns(vec![("response_ns", Arc::new(times))])
}
