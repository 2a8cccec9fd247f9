use thinktime_core::files::NoFiles;
use thinktime_core::limit::Limit;
use thinktime_core::record::{Collector, Window};
use thinktime_core::schema::Source;
use thinktime_core::statistics::TimeFigures;
use thinktime_core::time::Nanos;
use thinktime_core::workload::Workload;

use super::*;

/// Mean, median and p99 of 1,000 requests, in microseconds: the response time, and the lateness in
/// it.
fn summary(response_us: [f64; 3], late_us: [f64; 3]) -> Summary {
    let text = "name = 'w'\n[arrivals]\nmodel = 'open'\nrate = '1/s'\n\
                [[request]]\nname = 'x'\nget = '/'";
    let workload = Workload::parse(Source { file: "", text }, &NoFiles).unwrap();
    let limit = Limit { requests: 1000, until: Nanos::MAX, warmup: Nanos::ZERO };
    let collector = Collector::new(1, limit, true, Nanos(1_000_000_000));
    let window = Window { begin: Nanos::ZERO, end: Nanos(1_000_000_000) };
    let figures = |[mean, p50, p99]: [f64; 3]| TimeFigures {
        mean: Some(mean * 1e-6),
        p50: Some(p50 * 1e-6),
        p99: Some(p99 * 1e-6),
        ..TimeFigures::default()
    };
    let mut summary = Summary::new("run", &workload, &collector, window, 1000);
    summary.requests = 1000;
    summary.response_time_s = figures(response_us);
    summary.lateness_s = figures(late_us);
    summary.service_time_s = figures([0, 1, 2].map(|at| response_us[at] - late_us[at]));
    summary.warnings.clear();
    summary
}

fn with_p99_interval(mut summary: Summary, low_us: f64, high_us: f64) -> Summary {
    summary.response_time_ci95.insert("p99".to_owned(), [low_us * 1e-6, high_us * 1e-6]);
    summary
}

fn judged(mut summary: Summary, slo: &Slo) -> (Option<String>, String) {
    let found = |one: &Objective| {
        let value = match one.figure {
            Figure::Errors => Some(summary.errors as f64 / summary.requests as f64),
            figure => summary.response_time_s.by_name(&figure.key()),
        };
        let verdict = if value > Some(one.limit) { Attainment::NotMet } else { Attainment::Met };
        let (name, words) = (one.figure.key(), String::new());
        ObjectiveFigures { name, of: None, limit: one.limit, value, interval: None, verdict, words }
    };
    summary.objectives = slo.objectives.iter().map(found).collect();
    let untrusted = judge(&mut summary, slo, &Ending::Planned, 0);
    (untrusted, summary.warnings.join("; "))
}

fn only(figure: Figure, limit: f64) -> Slo {
    Slo { objectives: vec![Objective { figure, of: Scope::All, limit, abort: false }] }
}

fn p99(limit_us: f64) -> Slo {
    only(Figure::Response("p99"), limit_us * 1e-6)
}

/// An idle server on the same machine: it answers within the wake-up time of a thread, and a few
/// hiccups of the machine determine the p99 of both.
#[test]
fn a_server_quicker_than_a_timer_is_noted() {
    let (untrusted, warnings) =
        judged(summary([130.0, 90.0, 3000.0], [45.0, 25.0, 1900.0]), &p99(1e4));
    assert_eq!(untrusted, None);
    assert!(
        warnings.contains("was late by 45.0 µs on average (p99 1.90 ms), 34.6 %"),
        "{warnings}"
    );
}

#[test]
fn a_generator_that_makes_the_median_spoils_it() {
    let late = summary([600_000.0, 500_000.0, 900_000.0], [595_000.0, 495_000.0, 890_000.0]);
    let (untrusted, _) = judged(late, &Slo::default());
    let why = untrusted.unwrap();
    assert!(why.contains("p50 would be 5.00 ms instead of 500 ms"), "{why}");
}

#[test]
fn a_p99_is_spoiled_where_it_is_known_better_than_it_is_wrong() {
    let late = || summary([5000.0, 4000.0, 20_000.0], [100.0, 30.0, 10_000.0]);
    let known = judged(with_p99_interval(late(), 18_000.0, 22_000.0), &Slo::default());
    assert!(known.0.unwrap().contains("p99 would be 10.0 ms instead of 20.0 ms"));
    let unknown = judged(with_p99_interval(late(), 9000.0, 31_000.0), &Slo::default());
    assert_eq!(unknown.0, None);
    // Without an interval, nothing is known about it.
    assert_eq!(judged(late(), &Slo::default()).0, None);
}

/// For a request sent again, response time less service time is the time of the earlier attempts.
#[test]
fn attempts_before_the_last_are_no_lateness() {
    let mut retried = summary([120_000.0, 100_000.0, 300_000.0], [40.0, 30.0, 90.0]);
    let short = TimeFigures {
        mean: Some(0.01),
        p50: Some(0.01),
        p99: Some(0.02),
        ..TimeFigures::default()
    };
    (retried.service_time_s, retried.retries) = (short, 900);
    let (untrusted, warnings) = judged(with_p99_interval(retried, 299_000.0, 301_000.0), &p99(1e6));
    assert_eq!((untrusted, &warnings[..]), (None, ""));
}

#[test]
fn an_slo_that_is_missed_either_way_is_missed() {
    let late = || summary([6000.0, 5000.0, 9000.0], [3000.0, 3000.0, 3000.0]);
    let mut failing = late();
    (failing.errors, failing.requests) = (250, 1000);
    let (untrusted, warnings) = judged(failing, &only(Figure::Errors, 0.01));
    assert_eq!(untrusted, None);
    assert!(warnings.contains("the SLO is not met either way"), "{warnings}");
    let (untrusted, warnings) = judged(late(), &p99(5000.0));
    assert_eq!(untrusted, None);
    assert!(warnings.contains("the SLO is not met either way"), "{warnings}");
}

#[test]
fn an_slo_that_lateness_misses_is_not_the_servers() {
    let late = summary([6000.0, 5000.0, 9000.0], [3000.0, 3000.0, 3000.0]);
    let (untrusted, _) = judged(late, &p99(8000.0));
    let why = untrusted.unwrap();
    assert!(why.contains("p50 would be 2.00 ms instead of 5.00 ms"), "{why}");
    assert!(why.ends_with("and the SLO would be met"), "{why}");
}

/// The median is half lateness, but a limit of a second is far away.
#[test]
fn lateness_far_below_every_margin_spoils_nothing() {
    let late = || summary([6000.0, 5000.0, 9000.0], [3000.0, 3000.0, 3000.0]);
    let (untrusted, warnings) = judged(late(), &p99(1e6));
    assert_eq!(untrusted, None);
    assert!(warnings.contains("the objectives are met by far more than that"), "{warnings}");
    // With 9 ms, 3 ms of them lateness, a limit of 12 ms is too near; objectives other than times
    // do not matter.
    assert!(judged(late(), &p99(12_000.0)).0.is_some());
    assert!(judged(late(), &only(Figure::Errors, 0.01)).0.is_some());
}

#[test]
fn errors_are_counted_by_their_status() {
    let mut failed = summary([100.0; 3], [1.0; 3]);
    failed.errors = 132;
    failed.errors_by_kind = [("status".to_owned(), 131), ("timeout".to_owned(), 1)].into();
    failed.errors_by_status = [(404, 129), (503, 2)].into();
    let (_, warnings) = judged(failed, &Slo::default());
    assert!(warnings.contains("(1 timeout, 129 with status 404, 2 with status 503)"), "{warnings}");
}

#[test]
fn a_run_without_a_request_is_not_to_be_trusted() {
    let mut empty = summary([100.0; 3], [1.0; 3]);
    empty.requests = 0;
    let why = judged(empty, &Slo::default()).0.unwrap();
    assert!(why.contains("no request was begun") && why.contains("longer duration"), "{why}");
}
