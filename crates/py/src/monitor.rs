//! What is seen of a run while it runs: its times so far.

use std::cell::RefCell;
use std::collections::BTreeMap;

use pyo3::prelude::*;
use pyo3::types::PyDict;
use thinktime_core::client::{Fate, Limit};
use thinktime_core::record::{Row, RowSink, Tally};
use thinktime_net::generator::RunProgress;

/// Looks at the rows of a run on their way to the writer.
#[derive(Debug)]
pub(crate) struct Monitor {
    limit: Limit,
    over: u64,
    succeeded: u64,
    responses: Tally,
    lateness: Tally,
    errors: BTreeMap<&'static str, u64>,
}

impl Monitor {
    pub(crate) fn new(limit: Limit) -> Monitor {
        Monitor {
            limit,
            over: 0,
            succeeded: 0,
            responses: Tally::default(),
            lateness: Tally::default(),
            errors: BTreeMap::new(),
        }
    }

    fn take(&mut self, row: &Row) {
        if let Some(error) = row.error {
            *self.errors.entry(error).or_default() += 1;
        }
        if row.fate == Fate::Retried {
            return;
        }
        self.over += 1;
        let response = row.done.since(row.attempt.request_scheduled);
        let success = row.error.is_none();
        self.succeeded += u64::from(success);
        if !self.limit.counts(row.attempt.request_scheduled) {
            return;
        }
        if success {
            self.responses.add(response);
            self.lateness.add(row.sent.since(row.attempt.scheduled));
        }
    }

    /// What is to be shown now.
    pub(crate) fn seen(&self, progress: &RunProgress) -> Seen {
        Seen {
            time_s: progress.time_s,
            in_flight: progress.in_flight,
            over: self.over,
            succeeded: self.succeeded,
            p50_s: self.responses.quantile_s(0.5),
            p99_s: self.responses.quantile_s(0.99),
            lateness_p99_s: self.lateness.quantile_s(0.99),
            errors: self.errors.iter().map(|(kind, count)| (*kind, *count)).collect(),
        }
    }
}

/// A run at one moment.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    time_s: f64,
    in_flight: u64,
    over: u64,
    succeeded: u64,
    p50_s: Option<f64>,
    p99_s: Option<f64>,
    lateness_p99_s: Option<f64>,
    errors: Vec<(&'static str, u64)>,
}

impl Seen {
    /// As the keyword arguments of `thinktime.Moment`.
    pub(crate) fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        dict.set_item("time_s", self.time_s)?;
        dict.set_item("in_flight", self.in_flight)?;
        dict.set_item("requests", self.over)?;
        dict.set_item("succeeded", self.succeeded)?;
        dict.set_item("response_p50_s", self.p50_s)?;
        dict.set_item("response_p99_s", self.p99_s)?;
        dict.set_item("lateness_p99_s", self.lateness_p99_s)?;
        let errors = PyDict::new(py);
        self.errors.iter().try_for_each(|(kind, count)| errors.set_item(kind, count))?;
        dict.set_item("errors", errors)?;
        Ok(dict)
    }
}

/// Rows that a monitor sees on their way.
pub(crate) struct Watched<'a, S> {
    pub(crate) sink: &'a mut S,
    pub(crate) monitor: &'a RefCell<Monitor>,
    /// Whether anybody wants to know.
    pub(crate) wanted: bool,
}

impl<S: RowSink> RowSink for Watched<'_, S> {
    #[inline]
    fn row(&mut self, row: &Row) {
        if self.wanted {
            self.monitor.borrow_mut().take(row);
        }
        self.sink.row(row);
    }

    fn flush(&mut self) {
        self.sink.flush();
    }
}
