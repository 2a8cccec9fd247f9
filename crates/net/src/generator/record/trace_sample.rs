//! The requests of a run whose server traces are worth a look: some of each second.

use thinktime_core::random::{Purpose, Stream};
use thinktime_core::record::Row;
use thinktime_core::time::Nanos;
use thinktime_core::trace::{TraceContext, Traces};
use thinktime_core::workload::Workload;

/// The most slow requests chosen in a period, and the most failed ones.
const EACH: usize = 10;
/// The shortest period.
const PERIOD: Nanos = Nanos(1_000_000_000);

/// A chosen request.
#[derive(Clone, Copy, Debug)]
pub struct TraceSample {
    /// Its last attempt.
    pub row: Row,
    /// Its trace.
    pub context: TraceContext,
    /// The size of its group: the period's requests that succeeded, or failed, as it did.
    pub of: u64,
}

/// Chooses requests: the slowest successes of each period, and some of the failures, each with the
/// same chance.
#[derive(Debug)]
pub struct TraceSampler {
    traces: Traces,
    /// By kind, whether its requests name their traces.
    traced: Vec<bool>,
    begun: Nanos,
    slow: Vec<Row>,
    succeeded: u64,
    failed: Vec<Row>,
    failures: u64,
    random: Stream,
}

impl TraceSampler {
    /// Nothing if no request names its trace.
    #[must_use]
    pub fn of(workload: &Workload) -> Option<TraceSampler> {
        let kinds = workload.requests.iter().zip(0..);
        let traced = kinds.map(|(_, kind)| workload.population_of(kind).clients.traced);
        let traced: Vec<bool> = traced.collect();
        traced.contains(&true).then(|| TraceSampler {
            traces: Traces::new(workload.seed),
            traced,
            begun: Nanos::ZERO,
            slow: Vec::new(),
            succeeded: 0,
            failed: Vec::new(),
            failures: 0,
            random: Stream::new(workload.seed, u64::MAX, Purpose::Trace),
        })
    }

    /// Takes the last row of a request.
    pub fn take(&mut self, row: &Row) {
        // An unsent request is in no server's trace.
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

    /// Those of the period that ends now, if it is long enough or the `last` one.
    pub fn end_period(&mut self, now: Nanos, last: bool) -> Vec<TraceSample> {
        if now.since(self.begun) < PERIOD && !last {
            return Vec::new();
        }
        self.begun = now;
        let traces = self.traces;
        let sampled =
            move |(row, of): (Row, u64)| TraceSample { row, context: traces.of(&row.attempt), of };
        let (succeeded, failures) = (self.succeeded, self.failures);
        (self.succeeded, self.failures) = (0, 0);
        let slow = self.slow.drain(..).map(|row| (row, succeeded));
        let failed = self.failed.drain(..).map(|row| (row, failures));
        slow.chain(failed).map(sampled).collect()
    }
}

fn response(row: &Row) -> Nanos {
    row.done.since(row.attempt.request_scheduled)
}

#[cfg(test)]
mod tests {
    use thinktime_core::attempt::{Attempt, Fate};
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
        assert!(TraceSampler::of(&workload(false)).is_none());
        let mut sampler = TraceSampler::of(&workload(true)).unwrap();
        for session in 0..1000 {
            sampler.take(&row(session, 1 + session * 7919 % 1000, None));
        }
        let early = sampler.end_period(Nanos(999_999_999), false);
        assert!(early.is_empty(), "the period is not over");
        let kept = sampler.end_period(PERIOD, false);
        let mut times: Vec<u64> = kept.iter().map(|span| response(&span.row).0).collect();
        times.sort_unstable();
        assert_eq!(times, (991..=1000).collect::<Vec<u64>>());
        assert!(kept.iter().all(|span| span.of == 1000));
        let own = Traces::new(3);
        assert!(kept.iter().all(|span| span.context == own.of(&span.row.attempt)));
        let next = sampler.end_period(Nanos(2_000_000_000), false);
        assert!(next.is_empty(), "nothing is chosen twice");
    }

    /// Each of 40 failures is chosen in a quarter of 4000 periods: within 4.5 standard errors
    /// (false alarm 2.7e-4 for all 40 together, and the seed is fixed).
    #[test]
    fn failures_are_chosen_with_the_same_chance() {
        let mut sampler = TraceSampler::of(&workload(true)).unwrap();
        let mut sampled = vec![0_u32; 40];
        for _ in 0..4000 {
            (0..40).for_each(|session| sampler.take(&row(session, 5, Some("reset"))));
            let kept = sampler.end_period(Nanos(0), true);
            assert!(kept.len() == EACH && kept.iter().all(|span| span.of == 40));
            kept.iter().for_each(|span| sampled[span.row.attempt.session as usize] += 1);
        }
        let error = (4000.0_f64 * 0.25 * 0.75).sqrt();
        assert!(
            sampled.iter().all(|n| (f64::from(*n) - 1000.0).abs() < 4.5 * error),
            "{sampled:?}"
        );
    }
}
