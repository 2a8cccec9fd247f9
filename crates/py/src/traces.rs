//! Traces: the ids of requests, and which requests of a run are exported as spans.

use std::time::SystemTime;

use pyo3::prelude::*;
use pyo3::types::PyDict;
use thinktime_core::record::Row;
use thinktime_core::time::Nanos;
use thinktime_core::trace::{TraceContext, Traces};
use thinktime_core::workload::Workload;
use thinktime_net::generator::{TraceSample, TraceSampler};

/// The most spans kept for a receiver.
const KEPT_MAX: usize = 1000;

/// The ids of a trace and of an attempt, as hexadecimal digits, and the header field.
#[pyfunction]
pub(crate) fn trace_context(
    seed: u64,
    session: u64,
    request: u32,
    attempt: u32,
) -> (String, String, String) {
    let context = Traces::new(seed).context(session, request, attempt);
    let TraceContext { trace, span } = context;
    (format!("{trace:032x}"), format!("{span:016x}"), context.traceparent())
}

/// A chosen request, as a span.
#[derive(Clone, Debug)]
pub(crate) struct Span {
    sample: TraceSample,
    name: String,
    /// The start of the run, in nanoseconds since the beginning of 1970.
    origin_ns: u64,
}

/// Makes spans of chosen requests.
#[derive(Debug)]
pub(crate) struct Spans {
    sampler: TraceSampler,
    names: Vec<String>,
    /// As in [`Span`]; 0 before it is known.
    origin_ns: u64,
}

impl Spans {
    /// Nothing if no request names its trace.
    pub(crate) fn of(workload: &Workload) -> Option<Spans> {
        let names = workload.requests.iter().map(|kind| kind.name.clone()).collect();
        TraceSampler::of(workload).map(|sampler| Spans { sampler, names, origin_ns: 0 })
    }

    /// Takes the last row of a request.
    pub(crate) fn take(&mut self, row: &Row) {
        self.sampler.take(row);
    }

    /// Keeps the spans of the period that ends now, if it is long enough or the `last` one, which
    /// may end later than `now`.
    pub(crate) fn end_period(&mut self, now: Nanos, last: bool, kept: &mut Vec<Span>) {
        if !last || self.origin_ns == 0 {
            self.origin_ns = unix_ns().saturating_sub(now.0);
        }
        let origin_ns = self.origin_ns;
        kept.extend(self.sampler.end_period(now, last).into_iter().map(|sample| {
            let name = self.names[sample.row.attempt.kind as usize].clone();
            Span { sample, name, origin_ns }
        }));
        let over = kept.len().saturating_sub(KEPT_MAX);
        kept.drain(..over);
    }
}

/// The time of day, in nanoseconds since the beginning of 1970.
#[allow(clippy::disallowed_methods, reason = "spans say at which time of day they were")]
fn unix_ns() -> u64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    since.map_or(0, |since| since.as_nanos() as u64)
}

impl Span {
    /// As the keyword arguments of `thinktime.operations.run_progress.RequestSpan`.
    pub(crate) fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let TraceSample { row, context, of } = &self.sample;
        let (dict, attempt) = (PyDict::new(py), &row.attempt);
        let at = |time: Nanos| self.origin_ns + time.0;
        dict.set_item("trace", format!("{:032x}", context.trace))?;
        dict.set_item("span", format!("{:016x}", context.span))?;
        dict.set_item("name", &self.name)?;
        dict.set_item("session", attempt.session)?;
        dict.set_item("request", attempt.index)?;
        dict.set_item("attempt", attempt.attempt)?;
        dict.set_item("scheduled_unix_ns", at(attempt.request_scheduled))?;
        dict.set_item("sent_unix_ns", at(row.sent))?;
        dict.set_item("done_unix_ns", at(row.done))?;
        dict.set_item("status", (row.status != 0).then_some(row.status))?;
        dict.set_item("error", row.error)?;
        dict.set_item("of", of)?;
        Ok(dict)
    }
}
