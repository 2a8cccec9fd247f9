use super::*;
use crate::attempt::{Attempt, Fate};
use crate::limit::Limit;
use crate::random::{Purpose, Stream};
use crate::record::{EndPhase, Row};

const SECOND: Nanos = Nanos(1_000_000_000);

/// When a run of requests, each with the time at which it was wanted and its response time, in
/// seconds, stops, and what it has collected then.
fn stop(
    precision: f64,
    warmup: Nanos,
    requests: impl Iterator<Item = (f64, f64)>,
) -> (f64, Collector) {
    let limit = Limit { requests: u64::MAX, until: Nanos::MAX, warmup };
    let mut collector = Collector::new(1, limit, true, SECOND);
    let mut rule = StopRule::of_run(Some(precision), warmup);
    for (session, (wanted_s, took_s)) in (0..).zip(requests) {
        let (wanted, done) = (Nanos::from_secs_f64(wanted_s), wanted_s + took_s);
        let done = Nanos::from_secs_f64(done);
        let row = Row::ended(Attempt::only(session, wanted), Fate::Over, done);
        collector.add(&Row { sent: wanted, ..row }, EndPhase::InWindow);
        if rule.is_precise(&collector, done) {
            return (done.as_secs_f64(), collector);
        }
    }
    panic!("the precision was never reached");
}

/// Two checks, of which the second has a quarter more requests: neither before 1,000 requests, nor
/// before ten seconds after the warm-up.
#[test]
fn even_the_same_response_time_is_measured_for_a_while() {
    let every = |s: f64| (0..).map(move |number| (f64::from(number) * s, 1e-4));
    let (stopped_s, _) = stop(0.05, Nanos::ZERO, every(0.1));
    assert!((stopped_s - 124.9).abs() < 0.01, "{stopped_s}");
    let (stopped_s, _) = stop(0.05, SECOND + SECOND, every(0.001));
    // At 12 s there are 10,000.
    assert!((stopped_s - 14.5).abs() < 0.01, "{stopped_s}");
}

/// Response times of an M/M/1 queue at a load of 0.6, by Lindley's recursion. Their mean is
/// 10 ms / (1 - 0.6). Its interval holds it in about nine of ten runs that stop so early; of 40
/// runs fewer than 30 would have a probability of 1e-3, and the seeds are fixed.
#[test]
fn runs_stop_where_their_mean_is_known() {
    const MEAN_S: f64 = 0.025;
    let runs = |seed: u64| {
        let mut stream = Stream::new(seed, 0, Purpose::Demand);
        let mut exponential = move |mean: f64| -mean * (1.0 - stream.uniform()).ln();
        let (mut now_s, mut free_s) = (0.0f64, 0.0f64);
        let requests = std::iter::repeat_with(move || {
            now_s += exponential(1.0 / 60.0);
            free_s = free_s.max(now_s) + exponential(0.01);
            (now_s, free_s - now_s)
        });
        let (_, collector) = stop(0.2, Nanos::ZERO, requests.take(1_000_000));
        let (mean_s, half_s) = collector.mean_and_half_width().unwrap();
        assert!(half_s <= 0.2 * mean_s);
        (mean_s - MEAN_S).abs() <= half_s
    };
    let held = (0..40).filter(|seed| runs(*seed)).count();
    assert!(held >= 30, "{held} of 40");
}

#[test]
fn a_precision_is_a_share() {
    assert!(check_precision(Some(0.05)).is_ok() && check_precision(None).is_ok());
    for wrong in [0.0, 1.0, -0.1, f64::NAN] {
        assert!(check_precision(Some(wrong)).is_err(), "{wrong}");
    }
}
