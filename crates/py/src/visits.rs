//! `find_visits`: the sessions and pages of a log's requests; `places_by_number`: their order.

use std::borrow::Cow;
use std::sync::Arc;

use arrow_array::types::{ArrowPrimitiveType, Int64Type, UInt16Type, UInt32Type};
use arrow_array::{Array, ArrayRef, BooleanArray, Float64Array, Int32Array};
use arrow_array::{PrimitiveArray, UInt32Array};
use pyo3::prelude::*;
use pyo3_arrow::PyTable;
use thinktime_log::columns::UNKNOWN;
use thinktime_log::ordering::order_by_number;
use thinktime_log::visits::{Paths, REQUESTS_MAX, Requests, Rules, Visits, find_visits as found};

use crate::errors::InputError;
use crate::table::Table;

/// The sessions and pages of requests, as two tables: `order`, `session`, `retry`, `embedded` and
/// `page` of each request, by user and time, and `base`, `previous`, `opener`, `journey`,
/// `start_s`, `end_s` and `failed` of each page. The number of a missing page is -1.
///
/// Requests are rows of `time_ns` (int64), `duration_us`, `user`, `path`, `referrer` (uint32) and
/// `status` (uint16), by time; paths, by their numbers, rows of `object` (bool) and `template`
/// (uint32). Without `pages` every request is a page of its own. If all requests have a `page`
/// (uint32), which a user's requests of one page share, these are the pages.
#[pyfunction]
#[pyo3(signature = (requests, paths, *, timeout_s, resolution_s, pages = true))]
pub(crate) fn find_visits(
    py: Python<'_>,
    requests: PyTable,
    paths: PyTable,
    timeout_s: f64,
    resolution_s: f64,
    pages: bool,
) -> PyResult<(Table, Table)> {
    let number = |name: &str| column::<UInt32Type>(&requests, name);
    let (duration, user, path) = (number("duration_us")?, number("user")?, number("path")?);
    let (referrer, template) = (number("referrer")?, column::<UInt32Type>(&paths, "template")?);
    let time = column::<Int64Type>(&requests, "time_ns")?;
    let status = column::<UInt16Type>(&requests, "status")?;
    let objects = truths(&paths, "object")?;
    let tells = columns(&requests, "page").all(|piece| piece.is_some());
    let told = tells.then(|| number("page")).transpose()?;
    let told = told.filter(|page| page.null_count() == 0);
    let rules = Rules { timeout_s, resolution_s, pages };
    let visits = py.detach(|| {
        let (duration, referrer) = (known(&duration), known(&referrer));
        let requests = Requests {
            time_ns: time.values(),
            duration_us: &duration,
            user: user.values(),
            path: path.values(),
            referrer: &referrer,
            status: status.values(),
            page: told.as_ref().map_or(&[], |page| page.values()),
        };
        found(requests, Paths { objects: &objects, templates: template.values() }, &rules)
    });
    tables(visits.map_err(|error| InputError::new_err(error.to_string()))?)
}

/// The places of the rows of a table with a column `number` (uint32) by that number, as a column
/// `place` (int32); those of one number keep their order.
#[pyfunction]
pub(crate) fn places_by_number(py: Python<'_>, numbers: PyTable) -> PyResult<Table> {
    let numbers = column::<UInt32Type>(&numbers, "number")?;
    if numbers.len() > REQUESTS_MAX {
        return Err(InputError::new_err(format!(
            "at most {REQUESTS_MAX} numbers are put in order"
        )));
    }
    Table::of_columns(vec![("place", places(py.detach(|| order_by_number(numbers.values()))))])
}

fn tables(visits: Visits) -> PyResult<(Table, Table)> {
    let rows = Table::of_columns(vec![
        ("order", places(visits.order)),
        ("session", places(visits.session)),
        ("retry", Arc::new(BooleanArray::from(visits.retry))),
        ("embedded", Arc::new(BooleanArray::from(visits.embedded))),
        ("page", places(visits.page)),
    ])?;
    let pages = Table::of_columns(vec![
        ("base", places(visits.base)),
        ("previous", places(visits.previous)),
        ("opener", places(visits.opener)),
        ("journey", places(visits.journey)),
        ("start_s", Arc::new(Float64Array::from(visits.start_s))),
        ("end_s", Arc::new(Float64Array::from(visits.end_s))),
        ("failed", Arc::new(BooleanArray::from(visits.failed))),
    ])?;
    Ok((rows, pages))
}

/// Places, all below 2^31; `NONE`, which has all bits set, becomes -1.
pub(crate) fn places(places: Vec<u32>) -> ArrayRef {
    let signed: Vec<i32> = places.into_iter().map(|place| place as i32).collect();
    Arc::new(Int32Array::from(signed))
}

/// A column, without a copy if it has one piece.
pub(crate) fn column<T: ArrowPrimitiveType>(
    table: &PyTable,
    name: &str,
) -> PyResult<PrimitiveArray<T>> {
    let wrong =
        || InputError::new_err(format!("a column `{name}` of {:?} is needed", T::DATA_TYPE));
    let piece = |of: &ArrayRef| of.as_any().downcast_ref::<PrimitiveArray<T>>().cloned();
    let pieces = columns(table, name).map(|found| found.and_then(piece).ok_or_else(wrong));
    let mut pieces = pieces.collect::<PyResult<Vec<_>>>()?;
    match pieces.pop() {
        Some(only) if pieces.is_empty() => Ok(only),
        last => Ok(pieces.iter().chain(&last).flatten().collect()),
    }
}

/// A column of booleans, which has no nulls.
pub(crate) fn truths(table: &PyTable, name: &str) -> PyResult<Vec<bool>> {
    let wrong = || InputError::new_err(format!("a column `{name}` of truths is needed"));
    let mut truths = Vec::new();
    for found in columns(table, name) {
        let found = found.and_then(|of| of.as_any().downcast_ref::<BooleanArray>());
        truths.extend(found.ok_or_else(wrong)?.values());
    }
    Ok(truths)
}

/// The pieces of a column; None if it is missing.
fn columns<'a>(
    table: &'a PyTable,
    name: &'a str,
) -> impl Iterator<Item = Option<&'a ArrayRef>> + 'a {
    table.batches().iter().map(move |batch| batch.column_by_name(name))
}

/// Numbers, with `UNKNOWN` for nulls.
pub(crate) fn known(numbers: &UInt32Array) -> Cow<'_, [u32]> {
    if numbers.null_count() == 0 {
        return Cow::Borrowed(numbers.values());
    }
    Cow::Owned(numbers.iter().map(|number| number.unwrap_or(UNKNOWN)).collect())
}
