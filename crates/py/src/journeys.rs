//! Counts of visits: `page_steps`, `think_times`, `answered` and `RequestsByKind`.

use std::sync::Arc;

use arrow_array::types::{Float64Type, Int32Type, UInt8Type, UInt16Type, UInt32Type};
use arrow_array::{Float64Array, Int32Array, UInt8Array, UInt16Array, UInt32Array, UInt64Array};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use pyo3_arrow::PyTable;
use thinktime_log::journeys::{
    Answers, ColumnMismatch, KindColumns, Pages, answers, steps, think_times as log_think_times,
};

use crate::errors::InputError;
use crate::table::Table;
use crate::visits::{column, known, places, truths};

/// Adds these to the module.
pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<RequestsByKind>()?;
    module.add_function(wrap_pyfunction!(page_steps, module)?)?;
    module.add_function(wrap_pyfunction!(think_times, module)?)?;
    module.add_function(wrap_pyfunction!(answered, module)?)
}

fn misfit(error: ColumnMismatch) -> PyErr {
    InputError::new_err(error.to_string())
}

/// The kinds of page that follow each kind, out of this many `kinds`, in a log of `span_s` seconds:
/// lists of counts `visited` and `first` by kind, `next` row by row with a last column of 0,
/// likewise `judged_first` and `judged_next`, whose last column is the end; `cut`, `edge_s`,
/// `settled_s`; and by the number of pages of journeys `lengths`, `seen` and `ended`.
///
/// Pages are rows of `previous`, `journey`, `kind` (int32), `start_s` (float64), `failed` (bool).
#[pyfunction]
pub(crate) fn page_steps<'py>(
    py: Python<'py>,
    pages: PyTable,
    kinds: usize,
    span_s: f64,
) -> PyResult<Bound<'py, PyDict>> {
    let number = |name: &str| column::<Int32Type>(&pages, name);
    let (previous, journey, kind) = (number("previous")?, number("journey")?, number("kind")?);
    let start_s = column::<Float64Type>(&pages, "start_s")?;
    let failed = truths(&pages, "failed")?;
    let found = py.detach(|| {
        let pages = Pages {
            previous: previous.values(),
            journey: journey.values(),
            kind: kind.values(),
            start_s: start_s.values(),
            failed: &failed,
        };
        steps(&pages, kinds, span_s)
    });
    let found = found.map_err(misfit)?;
    let dict = PyDict::new(py);
    for (name, counts) in [
        ("visited", found.visited),
        ("first", found.first),
        ("next", found.next),
        ("judged_first", found.judged_first),
        ("judged_next", found.judged_next),
        ("lengths", found.lengths),
        ("seen", found.seen),
        ("ended", found.ended),
    ] {
        dict.set_item(name, counts)?;
    }
    dict.set_item("cut", found.cut)?;
    dict.set_item("edge_s", found.edge_s)?;
    dict.set_item("settled_s", found.settled_s)?;
    Ok(dict)
}

/// The think times before pages, rows of `previous`, `opener` (int32), `start_s` and `end_s`
/// (float64): a table with `think_s` and `page`, the page before each; and the number of negative
/// ones, which become 0.
#[pyfunction]
pub(crate) fn think_times(py: Python<'_>, pages: PyTable) -> PyResult<(Table, u64)> {
    let number = |name: &str| column::<Int32Type>(&pages, name);
    let (previous, opener) = (number("previous")?, number("opener")?);
    let time = |name: &str| column::<Float64Type>(&pages, name);
    let (start_s, end_s) = (time("start_s")?, time("end_s")?);
    let found = py.detach(|| {
        log_think_times(previous.values(), opener.values(), start_s.values(), end_s.values())
    });
    let found = found.map_err(misfit)?;
    let think_s = Arc::new(Float64Array::from(found.think_s));
    let table = Table::of_columns(vec![("think_s", think_s), ("page", places(found.page))])?;
    Ok((table, found.early))
}

/// How requests of this many kinds are answered, kind by kind: a table of each `status` with the
/// number of `answers`; one of each `path` with the number of its `whole` answers, successful and
/// with a size, and the sum of their `bytes`; and the smallest and the largest size.
///
/// Requests are rows of `kind` (int32, -1 for none), `path`, `bytes` (uint32) and `status`
/// (uint16).
#[pyfunction]
pub(crate) fn answered(
    py: Python<'_>,
    requests: PyTable,
    kinds: usize,
    paths: usize,
) -> PyResult<Vec<(Table, Table, u32, u32)>> {
    let kind = column::<Int32Type>(&requests, "kind")?;
    let path = column::<UInt32Type>(&requests, "path")?;
    let bytes = column::<UInt32Type>(&requests, "bytes")?;
    let status = column::<UInt16Type>(&requests, "status")?;
    let found = py.detach(|| {
        let bytes = known(&bytes);
        answers(kind.values(), path.values(), &bytes, status.values(), (kinds, paths))
    });
    found.map_err(misfit)?.into_iter().map(tables).collect()
}

fn tables(told: Answers) -> PyResult<(Table, Table, u32, u32)> {
    let statuses = Table::of_columns(vec![
        ("status", Arc::new(UInt16Array::from(told.status))),
        ("answers", Arc::new(UInt64Array::from(told.answers))),
    ])?;
    let paths = Table::of_columns(vec![
        ("path", Arc::new(UInt32Array::from(told.path))),
        ("whole", Arc::new(UInt64Array::from(told.whole))),
        ("bytes", Arc::new(UInt64Array::from(told.bytes))),
    ])?;
    Ok((statuses, paths, told.least, told.largest))
}

/// Requests by template, method, and whether pages embed them: their code is (template x methods +
/// method) x 2, plus 1 if they are embedded.
#[pyclass(frozen, module = "thinktime")]
pub(crate) struct RequestsByKind {
    path: UInt32Array,
    method: UInt8Array,
    user: UInt32Array,
    templates: UInt32Array,
    embedded: Vec<bool>,
    counted: Vec<bool>,
}

impl RequestsByKind {
    fn asked(&self) -> KindColumns<'_> {
        KindColumns {
            path: self.path.values(),
            method: self.method.values(),
            user: self.user.values(),
            embedded: &self.embedded,
            counted: &self.counted,
            templates: self.templates.values(),
        }
    }
}

#[pymethods]
impl RequestsByKind {
    /// Requests are rows of `path`, `user` (uint32) and `method` (uint8); `how` of `embedded` and
    /// `counted` (bool) for each; paths rows of `template` (uint32).
    #[new]
    fn new(requests: PyTable, how: PyTable, paths: PyTable) -> PyResult<RequestsByKind> {
        let made = RequestsByKind {
            path: column::<UInt32Type>(&requests, "path")?,
            method: column::<UInt8Type>(&requests, "method")?,
            user: column::<UInt32Type>(&requests, "user")?,
            templates: column::<UInt32Type>(&paths, "template")?,
            embedded: truths(&how, "embedded")?,
            counted: truths(&how, "counted")?,
        };
        made.asked().check().map_err(misfit)?;
        Ok(made)
    }

    /// The number of counted requests of each code: a table with `requests`.
    fn by_code(&self, py: Python<'_>) -> PyResult<Table> {
        let requests = py.detach(|| self.asked().requests());
        Table::of_columns(vec![("requests", Arc::new(UInt64Array::from(requests)))])
    }

    /// Which of these codes at least this many users requested. Users that have the same number in
    /// `of_user` are one; without it each is one.
    #[pyo3(signature = (codes, least, of_user = None))]
    fn by_many(
        &self,
        py: Python<'_>,
        codes: Vec<usize>,
        least: usize,
        of_user: Option<PyTable>,
    ) -> PyResult<Vec<bool>> {
        let of_user = of_user.map(|table| column::<UInt32Type>(&table, "address")).transpose()?;
        let of_user = of_user.as_ref().map_or(&[][..], |numbers| numbers.values());
        Ok(py.detach(|| self.asked().by_many(&codes, of_user, least)))
    }

    /// The kind of each request, as a table with `kind`: that of its code, by rows of `kind`
    /// (int32). If the code has no kind or -1, the kind of the remaining ones, `page` or `object`.
    fn kinds(&self, py: Python<'_>, codes: PyTable, page: i32, object: i32) -> PyResult<Table> {
        let of_code = column::<Int32Type>(&codes, "kind")?;
        let kinds = py.detach(|| self.asked().kinds(of_code.values(), [page, object]));
        Table::of_columns(vec![("kind", Arc::new(Int32Array::from(kinds)))])
    }

    /// The paths of each of this many kinds, for requests of `kind` (int32, -1 for none): a table
    /// of each `path`, with the number of its counted `requests`.
    fn members(&self, py: Python<'_>, kinds: PyTable, many: usize) -> PyResult<Vec<Table>> {
        let kind = column::<Int32Type>(&kinds, "kind")?;
        if kind.len() != self.path.len() {
            let (kinds, rows) = (kind.len(), self.path.len());
            return Err(InputError::new_err(format!("there are {kinds} kinds of {rows} requests")));
        }
        let found = py.detach(|| self.asked().members(kind.values(), many));
        let table = |(path, requests)| {
            Table::of_columns(vec![
                ("path", Arc::new(UInt32Array::from(path)) as _),
                ("requests", Arc::new(UInt64Array::from(requests)) as _),
            ])
        };
        found.into_iter().map(|one| table((one.path, one.requests))).collect()
    }
}
