use thinktime_file::schema::Source;
use thinktime_file::time::Nanos;

use super::*;
use crate::attempt::{Attempt, Fate};
use crate::failure::STATUS;
use crate::files::NoFiles;
use crate::limit::Limit;
use crate::random::{Purpose, Stream};
use crate::record::{EndPhase, Row, Window};

const SECOND: Nanos = Nanos(1_000_000_000);

fn workload(slo: &str) -> Workload {
    let text = format!(
        "name = 'w'\n[arrivals]\nmodel = 'open'\nrate = '1/s'\n\
         [[request]]\nname = 'x'\nget = '/'\n[[request]]\nname = 'y'\nget = '/y'\n[slo]\n{slo}"
    );
    Workload::parse(Source { file: "", text: &text }, &NoFiles).unwrap()
}

/// Requests of kinds `x` and `y` in turn, with these response times in milliseconds; `None` for one
/// that failed.
fn objectives(slo: &str, times_ms: &[Option<f64>]) -> Vec<ObjectiveFigures> {
    let workload = workload(slo);
    let limit = Limit { requests: u64::MAX, until: Nanos::MAX, warmup: Nanos::ZERO };
    let mut collector = Collector::of(&workload, limit, true, SECOND);
    for (time, number) in times_ms.iter().zip(0_u64..) {
        let scheduled = Nanos(number * 1_000_000);
        let kind = (number % 2) as u32;
        let attempt = Attempt { kind, ..Attempt::only(number, scheduled) };
        let done = scheduled + Nanos((time.unwrap_or(1.0) * 1e6) as u64);
        let error = time.is_none().then_some(STATUS);
        let row = Row::ended(attempt, Fate::Over, done);
        let row = Row { sent: scheduled, error, status: 404, ..row };
        collector.add(&row, EndPhase::InWindow);
    }
    let window = Window { begin: Nanos::ZERO, end: SECOND };
    Summary::new("run", &workload, &collector, window, 0).objectives
}

fn only(slo: &str, times_ms: &[Option<f64>]) -> ObjectiveFigures {
    objectives(slo, times_ms).remove(0)
}

fn exponential(seed: u64, number: usize, mean_ms: f64) -> Vec<Option<f64>> {
    let mut stream = Stream::new(seed, 0, Purpose::Demand);
    (0..number).map(|_| Some(-mean_ms * (1.0 - stream.uniform()).ln())).collect()
}

#[test]
fn few_requests_tell_only_if_all_are_beyond_the_limit() {
    assert_eq!(only("p99 = '50ms'", &[Some(1.0); 3]).verdict, Attainment::CannotTell);
    assert_eq!(only("p99 = '50ms'", &[Some(40.0); 3]).verdict, Attainment::CannotTell);
    assert_eq!(only("p99 = '50ms'", &[Some(60.0)]).verdict, Attainment::NotMet);
    assert_eq!(only("p50 = '50ms'", &[Some(60.0)]).verdict, Attainment::CannotTell);
    assert_eq!(only("mean = '50ms'", &[Some(60.0)]).verdict, Attainment::CannotTell);
    assert_eq!(only("mean = '50ms'", &[Some(200.0)]).verdict, Attainment::NotMet);
    let none = only("p99 = '50ms'", &[]);
    assert_eq!((none.verdict, none.value), (Attainment::CannotTell, None));
    assert_eq!(none.words, "p99: nothing was measured, wanted 50.0 ms or less");
}

#[test]
fn shares_are_judged_by_their_intervals() {
    let failing = |every: usize, all: usize| -> Vec<Option<f64>> {
        (0..all).map(|n| (n % every != 0).then_some(1.0)).collect()
    };
    for (every, all, verdict) in [
        (4, 400, Attainment::NotMet),
        (50, 300, Attainment::CannotTell),
        (1000, 5000, Attainment::Met),
    ] {
        let found = only("errors = '1%'", &failing(every, all));
        assert_eq!(found.verdict, verdict, "{}", found.words);
    }
    let [low, high] = only("errors = '1%'", &failing(10, 100)).interval.unwrap();
    // Wilson's interval of 10 of 100.
    assert!((low - 0.0552).abs() < 1e-4 && (high - 0.1744).abs() < 1e-4, "{low} {high}");
    assert_eq!(only("errors = 0", &failing(1000, 1000)).verdict, Attainment::NotMet);
    assert_eq!(only("errors = 0", &[Some(1.0)]).verdict, Attainment::Met);
    // Of 28 requests without a failure up to 12 % may fail; of 400 up to 0.95 %.
    for (all, verdict) in [(28, Attainment::CannotTell), (400, Attainment::Met)] {
        let found = only("errors = '1%'", &vec![Some(1.0); all]);
        assert_eq!(found.verdict, verdict, "{}", found.words);
    }
    let few = only("errors = '1%'", &[Some(1.0); 28]).words;
    assert!(few.ends_with("; about 13 times as many requests would tell"), "{few}");
}

/// A percentile is one of all requests: those that were given up are later than any limit.
#[test]
fn requests_that_failed_are_beyond_the_limit_of_a_percentile() {
    let times = |all: usize| (0..all).map(|n| (n % 9 >= 4).then_some(1.0)).collect::<Vec<_>>();
    let lost = only("p90 = '200ms'", &times(180));
    assert_eq!((lost.verdict, lost.value, lost.interval), (Attainment::NotMet, None, None));
    let words = "p90 is beyond any limit, with 80 requests that failed as the latest, \
                 wanted 200 ms or less";
    assert_eq!(lost.words, words);
    let half = only("p50 = '200ms'", &times(1800));
    assert_eq!((half.verdict, half.value), (Attainment::Met, Some(0.001)), "{}", half.words);
    assert_eq!(only("x.p90 = '200ms'", &times(180)).verdict, Attainment::NotMet);
}

/// Fewer than 368 independent requests do not bound a p99: it has no interval, and is met in no
/// case. Many of them beyond the limit decide all the same.
#[test]
fn a_percentile_that_is_not_known_has_no_interval() {
    let times = exponential(3, 300, 1.0);
    let near = only("p99 = '9ms'", &times);
    assert_eq!((near.verdict, near.interval), (Attainment::CannotTell, None), "{}", near.words);
    let words = "p99 is not known, wanted 9.00 ms or less; about ";
    assert!(near.words.starts_with(words), "{}", near.words);
    assert!(near.words.ends_with(" times as many requests would tell"), "{}", near.words);
    let far = only("p99 = '1ms'", &times);
    assert_eq!(far.verdict, Attainment::NotMet);
    assert_eq!(far.words, "p99 is beyond the limit for certain, wanted 1.00 ms or less");
    assert!(only("p90 = '9ms'", &times).interval.is_some());
}

#[test]
fn requests_have_objectives_of_their_own() {
    let times = (0..2000).map(|n| (n % 8 != 1).then_some(if n % 2 == 0 { 1.0 } else { 9.0 }));
    let times: Vec<_> = times.collect();
    let all = objectives("x.p99 = '5ms'\ny.p99 = '5ms'\ny.errors = '1%'\nx.errors = '1%'", &times);
    let found = all.iter().map(|one| (one.of.as_deref().unwrap(), &one.name[..], one.verdict));
    let expected = [
        ("x", "errors", Attainment::Met),
        ("x", "p99", Attainment::Met),
        ("y", "errors", Attainment::NotMet),
        ("y", "p99", Attainment::NotMet),
    ];
    assert_eq!(found.collect::<Vec<_>>(), expected);
    assert!(all[2].words.starts_with("y: 25.0 % of requests failed (22.4 % to 27.8 %)"));
}

#[test]
fn an_interval_out_of_all_proportion_is_none() {
    let few = only("p99 = '5ms'", &[Some(1.0), Some(90.0), Some(2.0)]);
    let two = only("p99 = '5ms'", &[Some(0.001), Some(100.0)]);
    for one in [few, two] {
        assert_eq!(one.verdict, Attainment::CannotTell, "{}", one.words);
        if let Some([low, high]) = one.interval {
            assert!(low >= 0.0 && high <= 1000.0 * one.value.unwrap(), "{low} to {high}");
        }
    }
}

/// The 99th percentile of an exponential law is 4.605 means. At exactly this limit a result says
/// that it is met, or that it is not, in 5 % of all cases; of 400 more than 10 % has probability
/// below 1e-4, with fixed seeds. Far off the limit it always decides, and correctly.
#[test]
fn verdicts_are_wrong_as_seldom_as_they_say() {
    let verdict = |seed: u64, limit_ms: f64| {
        only(&format!("p99 = '{limit_ms}ms'"), &exponential(seed, 4000, 1.0)).verdict
    };
    let told = (0..400).filter(|seed| verdict(*seed, 4.605_17) != Attainment::CannotTell).count();
    assert!(told <= 40, "{told} of 400");
    assert!((0..20).all(|seed| verdict(seed, 6.0) == Attainment::Met));
    assert!((0..20).all(|seed| verdict(seed, 3.5) == Attainment::NotMet));
}

#[test]
fn more_requests_are_advised_as_many_as_the_margin_asks_for() {
    let times = exponential(1, 2000, 1.0);
    let mean_s = only("mean = '1s'", &times).value.unwrap();
    let found = only(&format!("mean = '{}s'", 1.01 * mean_s), &times);
    assert_eq!(found.verdict, Attainment::CannotTell, "{}", found.words);
    let [low, high] = found.interval.unwrap();
    let times = ((high - low) / 2.0 / (0.01 * mean_s)).powi(2).ceil();
    assert!(times > 2.0, "{times}");
    let advised = found.words.split("about ").nth(1).unwrap();
    assert!(advised.starts_with(&format!("{times} times as many")), "{}", found.words);
}

#[test]
fn a_simulation_leaves_out_checks_of_responses_and_says_so() {
    let text = "name = 'w'\n[arrivals]\nmodel = 'open'\nrate = '1/s'\n\
                [[request]]\nname = 'x'\nget = '/'\n\
                checks = { well = { of = 'status', is = 200 } }\n\
                [slo]\nchecks = '99%'\ncheck.well = '99%'\ncheck.other = '99%'\np99 = '1s'\n";
    let workload = Workload::parse(Source { file: "", text }, &NoFiles).unwrap();
    let limit = Limit { requests: u64::MAX, until: Nanos::MAX, warmup: Nanos::ZERO };
    let collector = Collector::of(&workload, limit, true, SECOND);
    let window = Window { begin: Nanos::ZERO, end: SECOND };
    let of = |kind: &str| {
        let mut summary = Summary::new(kind, &workload, &collector, window, 0);
        summary.judge_objectives(&workload, &collector);
        (summary.objectives.len(), summary.notes)
    };
    assert_eq!(of("run"), (4, vec![]));
    let note = "a simulation has no responses to check: left out of the SLO: checks, check `well`";
    // A check without requests, perhaps of a script, is not left out.
    assert_eq!(of("simulate"), (2, vec![note.to_owned()]));
}
