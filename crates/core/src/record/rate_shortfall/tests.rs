use thinktime_file::schema::Source;
use thinktime_file::time::Nanos;

use super::super::rate_shortfall::*;
use crate::files::NoFiles;
use crate::limit::Limit;
use crate::record::{Collector, Window};

fn missed(arrivals: &str, requests: u64, duration_s: f64, mean_s: f64) -> Option<RateShortfall> {
    let text = format!(
        "name = 'a'\n[arrivals]\nmodel = 'partly-open'\nrate = '12/s'\n{arrivals}\n\
         [session]\nrequests = 'geometric(4)'\nthink = 'exp(7s)'"
    );
    let workload = Workload::parse(Source { file: "", text: &text }, &NoFiles).unwrap();
    let limit = Limit { requests: u64::MAX, until: Nanos::MAX, warmup: Nanos::ZERO };
    let collector = Collector::new(1, limit, false, Nanos(1_000_000_000));
    let window = Window { begin: Nanos::ZERO, end: Nanos::from_secs_f64(duration_s) };
    let mut summary = Summary::new("simulate", &workload, &collector, window, 0);
    summary.requests = requests;
    summary.response_time_s.mean = Some(mean_s);
    rate_shortfall(&workload, &summary)
}

#[test]
fn what_chance_explains_is_no_miss() {
    // The standard deviation of the number in 30 s is at most (30 x 12 x 33.25)^0.5 = 109.
    for requests in [1440, 1440 - 500, 1440 + 500] {
        assert_eq!(missed("", requests, 30.0, 0.01), None, "{requests}");
    }
    let miss = missed("", 840, 30.0, 0.01).unwrap();
    assert!(miss.spoils && miss.words.contains("asks for 48.0 requests a second, and 28.0"));
    assert!(missed("", 1440 + 600, 30.0, 0.01).unwrap().spoils);
}

#[test]
fn a_long_run_that_is_off_by_little_is_no_miss() {
    assert_eq!(missed("", 48_000_000 - 400_000, 1e6, 0.01), None);
    assert!(missed("", 48_000_000 - 490_000, 1e6, 0.01).unwrap().spoils);
}

#[test]
fn sessions_that_wait_for_responses_fall_behind() {
    let miss = missed("", 840, 30.0, 2.0).unwrap();
    assert!(!miss.spoils && miss.words.contains("fell behind"), "{miss:?}");
}

#[test]
fn a_cold_start_that_was_asked_for_is_told_only() {
    let miss = missed("start = 'empty'", 840, 30.0, 0.01).unwrap();
    assert!(!miss.spoils && miss.words.contains("began empty"), "{miss:?}");
}

#[test]
fn a_rate_that_changes_is_not_compared() {
    assert_eq!(missed("profile = 'sine(period=20min, low=0)'", 1, 30.0, 0.01), None);
}

/// Pages of 13 requests come one a second: the number of pages in 20 s has the standard deviation
/// 4.5, and that of requests 58.
#[test]
fn the_objects_of_a_page_come_together() {
    let text = "name = 'a'\n[arrivals]\nmodel = 'open'\nrate = '1/s'\n\
                [[request]]\nname = 'home'\nget = '/'\nobjects = { count = 12, of = { a = 1 } }\n\
                [[request]]\nname = 'a'\nget = '/a'\n";
    let workload = Workload::parse(Source { file: "", text }, &NoFiles).unwrap();
    let limit = Limit { requests: u64::MAX, until: Nanos::MAX, warmup: Nanos::ZERO };
    let collector = Collector::of(&workload, limit, false, Nanos(1_000_000_000));
    let window = Window { begin: Nanos::ZERO, end: Nanos(20_000_000_000) };
    let mut summary = Summary::new("simulate", &workload, &collector, window, 0);
    summary.requests = 13 * 7;
    assert_eq!(rate_shortfall(&workload, &summary), None);
    summary.requests = 0;
    summary.duration_s = 200.0;
    assert!(rate_shortfall(&workload, &summary).unwrap().spoils);
}

/// A run that ends with its second request lasts as long as chance has it.
#[test]
fn a_run_of_few_requests_is_no_miss() {
    let text = "name = 'a'\n[arrivals]\nmodel = 'open'\nrate = '3/s'\n";
    let workload = Workload::parse(Source { file: "", text }, &NoFiles).unwrap();
    let limit = Limit { requests: 2, until: Nanos::MAX, warmup: Nanos::ZERO };
    let collector = Collector::of(&workload, limit, false, Nanos(1_000_000_000));
    let window = Window { begin: Nanos::ZERO, end: Nanos(1_000_000_000) };
    let mut summary = Summary::new("simulate", &workload, &collector, window, 0);
    for (requests, duration_s) in [(1, 1e-4), (2, 0.009), (5, 0.05), (0, 2.5)] {
        (summary.requests, summary.duration_s) = (requests, duration_s);
        assert_eq!(rate_shortfall(&workload, &summary), None, "{requests}");
    }
    for (requests, duration_s) in [(60, 1.0), (0, 20.0), (10, 60.0)] {
        (summary.requests, summary.duration_s) = (requests, duration_s);
        assert!(rate_shortfall(&workload, &summary).unwrap().spoils, "{requests}");
    }
}
