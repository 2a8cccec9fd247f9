//! Traces: the ids of requests, and which requests of a run are exported as spans.

use std::time::SystemTime;

use pyo3::prelude::*;
use pyo3::types::PyDict;
use thinktime_core::random::{Purpose, Stream};
use thinktime_core::record::Row;
use thinktime_core::time::Nanos;
use thinktime_core::trace::{TraceContext, Traces};
use thinktime_core::workload::Workload;

/// At most so many of the slowest requests of a period are exported, and as many of those that
/// failed.
const EACH: usize = 10;
/// A period is at least so long.
const PERIOD: Nanos = Nanos(1_000_000_000);
/// At most so many spans are kept for whoever takes them.
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

/// A request that is worth a look into its server's traces.
#[derive(Clone, Debug)]
pub(crate) struct Span {
    row: Row,
    context: TraceContext,
    name: String,
    /// Among how many it was chosen: those of the period that succeeded, or failed, as it did.
    of: u64,
    /// The start of the run, in nanoseconds since the beginning of 1970.
    origin_ns: u64,
}

/// Chooses requests: of each period the slowest that succeeded, and some of those that failed,
/// each with the same chance.
#[derive(Debug)]
pub(crate) struct Chooser {
    traces: Traces,
    names: Vec<String>,
    /// By kind, whether its requests say which trace they belong to.
    traced: Vec<bool>,
    begun: Nanos,
    /// The start of the run, in nanoseconds since the beginning of 1970; 0 before it is known.
    origin_ns: u64,
    slow: Vec<Row>,
    succeeded: u64,
    failed: Vec<Row>,
    failures: u64,
    random: Stream,
}

impl Chooser {
    /// Nothing where no request says which trace it belongs to.
    pub(crate) fn of(workload: &Workload) -> Option<Chooser> {
        let kinds = workload.requests.iter().zip(0..);
        let traced = kinds.map(|(_, kind)| workload.population_of(kind).clients.traced);
        let traced: Vec<bool> = traced.collect();
        traced.contains(&true).then(|| Chooser {
            traces: Traces::new(workload.seed),
            names: workload.requests.iter().map(|kind| kind.name.clone()).collect(),
            traced,
            begun: Nanos::ZERO,
            origin_ns: 0,
            slow: Vec::new(),
            succeeded: 0,
            failed: Vec::new(),
            failures: 0,
            random: Stream::new(workload.seed, u64::MAX, Purpose::Trace),
        })
    }

    /// Takes the last row of a request.
    pub(crate) fn take(&mut self, row: &Row) {
        // What was never sent is in no server's trace.
        if !self.traced[row.attempt.kind as usize] || row.sent.is_never() {
            return;
        }
        if row.error.is_some() {
            self.failures += 1;
            // Algorithm R: each is kept with the same chance (Vitter, ACM TOMS 11, 1985).
            match self.random.below(self.failures) as usize {
                _ if self.failed.len() < EACH => self.failed.push(*row),
                place if place < EACH => self.failed[place] = *row,
                _ => {}
            }
            return;
        }
        self.succeeded += 1;
        if self.slow.len() < EACH {
            self.slow.push(*row);
            return;
        }
        let least = self.slow.iter_mut().min_by_key(|row| response(row));
        if let Some(least) = least.filter(|least| response(least) < response(row)) {
            *least = *row;
        }
    }

    /// Adds those of the period that ends now to what is kept, if it is long enough or the `last`
    /// one; that may end later than `now`.
    pub(crate) fn end_period(&mut self, now: Nanos, last: bool, kept: &mut Vec<Span>) {
        if now.since(self.begun) < PERIOD && !last {
            return;
        }
        self.begun = now;
        if !last || self.origin_ns == 0 {
            self.origin_ns = unix_ns().saturating_sub(now.0);
        }
        let origin_ns = self.origin_ns;
        for (rows, count) in
            [(&mut self.slow, &mut self.succeeded), (&mut self.failed, &mut self.failures)]
        {
            let of = std::mem::take(count);
            kept.extend(rows.drain(..).map(|row| Span {
                row,
                context: self.traces.of(&row.attempt),
                name: self.names[row.attempt.kind as usize].clone(),
                of,
                origin_ns,
            }));
        }
        let over = kept.len().saturating_sub(KEPT_MAX);
        kept.drain(..over);
    }
}

fn response(row: &Row) -> Nanos {
    row.done.since(row.attempt.request_scheduled)
}

/// The time of day, in nanoseconds since the beginning of 1970.
#[allow(clippy::disallowed_methods, reason = "spans say at which time of day they were")]
fn unix_ns() -> u64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    since.map_or(0, |since| since.as_nanos() as u64)
}

impl Span {
    /// As the keyword arguments of `thinktime.moment.RequestSpan`.
    pub(crate) fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let (dict, attempt) = (PyDict::new(py), &self.row.attempt);
        let at = |time: Nanos| self.origin_ns + time.0;
        dict.set_item("trace", format!("{:032x}", self.context.trace))?;
        dict.set_item("span", format!("{:016x}", self.context.span))?;
        dict.set_item("name", &self.name)?;
        dict.set_item("session", attempt.session)?;
        dict.set_item("request", attempt.index)?;
        dict.set_item("attempt", attempt.attempt)?;
        dict.set_item("scheduled_unix_ns", at(attempt.request_scheduled))?;
        dict.set_item("sent_unix_ns", at(self.row.sent))?;
        dict.set_item("done_unix_ns", at(self.row.done))?;
        dict.set_item("status", (self.row.status != 0).then_some(self.row.status))?;
        dict.set_item("error", self.row.error)?;
        dict.set_item("of", self.of)?;
        Ok(dict)
    }
}

#[cfg(test)]
mod tests {
    use thinktime_core::client::{Attempt, Fate};
    use thinktime_core::files::NoFiles;
    use thinktime_core::schema::Source;

    use super::*;

    fn workload(traced: bool) -> Workload {
        let text = format!(
            "name = 'w'\nseed = 3\n[arrivals]\nmodel = 'open'\nrate = 1\n\
             [clients]\ntraceparent = {traced}"
        );
        Workload::parse(Source { file: "", text: &text }, &NoFiles).unwrap()
    }

    fn row(session: u64, response: u64, error: Option<&'static str>) -> Row {
        let attempt = Attempt::only(session, Nanos(session));
        let sent = Nanos(session);
        Row { error, sent, ..Row::ended(attempt, Fate::Over, Nanos(session + response)) }
    }

    #[test]
    fn the_slowest_of_a_period_are_chosen() {
        assert!(Chooser::of(&workload(false)).is_none());
        let mut chooser = Chooser::of(&workload(true)).unwrap();
        for session in 0..1000 {
            chooser.take(&row(session, 1 + session * 7919 % 1000, None));
        }
        let mut kept = Vec::new();
        chooser.end_period(Nanos(999_999_999), false, &mut kept);
        assert!(kept.is_empty(), "the period is not over");
        chooser.end_period(PERIOD, false, &mut kept);
        let mut times: Vec<u64> = kept.iter().map(|span| response(&span.row).0).collect();
        times.sort_unstable();
        assert_eq!(times, (991..=1000).collect::<Vec<u64>>());
        assert!(kept.iter().all(|span| span.of == 1000));
        let own = Traces::new(3);
        assert!(kept.iter().all(|span| span.context == own.of(&span.row.attempt)));
        chooser.end_period(Nanos(2_000_000_000), false, &mut kept);
        assert_eq!(kept.len(), EACH, "nothing is chosen twice");
    }

    /// Each of 40 failures is chosen in a quarter of 4000 periods: within 4.5 standard errors
    /// (false alarm 2.7e-4 for all 40 together, and the seed is fixed).
    #[test]
    fn failures_are_chosen_with_the_same_chance() {
        let mut chooser = Chooser::of(&workload(true)).unwrap();
        let mut chosen = vec![0_u32; 40];
        for _ in 0..4000 {
            (0..40).for_each(|session| chooser.take(&row(session, 5, Some("reset"))));
            let mut kept = Vec::new();
            chooser.end_period(Nanos(0), true, &mut kept);
            assert!(kept.len() == EACH && kept.iter().all(|span| span.of == 40));
            kept.iter().for_each(|span| chosen[span.row.attempt.session as usize] += 1);
        }
        let error = (4000.0_f64 * 0.25 * 0.75).sqrt();
        assert!(chosen.iter().all(|n| (f64::from(*n) - 1000.0).abs() < 4.5 * error), "{chosen:?}");
    }

    #[test]
    fn what_is_kept_is_bounded() {
        let (mut chooser, mut kept) = (Chooser::of(&workload(true)).unwrap(), Vec::new());
        for period in 0..1000 {
            (0..40).for_each(|session| chooser.take(&row(session, 5, None)));
            chooser.end_period(Nanos(period), true, &mut kept);
        }
        assert_eq!(kept.len(), KEPT_MAX);
    }
}
