//! Runs that end once the mean is known to a precision.

use std::collections::BTreeSet;
use std::io::Write;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use crate::support::{OK, closed, even, plan, read_head, server};
use thinktime_core::limit::Limit;
use thinktime_core::record::Row;
use thinktime_core::time::Nanos;
use thinktime_net::generator::{Ending, Plan, Target, run};

/// A guard against a run that does not end.
const UNTIL: Nanos = Nanos(300_000_000_000);
const WARMUP: Nanos = Nanos(1_000_000_000);
const SLOW: Duration = Duration::from_millis(500);

/// A server that answers every tenth request after [`SLOW`], and all others at once.
fn sometimes_slow() -> SocketAddr {
    let count = AtomicU64::new(0);
    server(move |mut stream| {
        while read_head(&mut stream).is_some() {
            if count.fetch_add(1, Ordering::Relaxed) % 10 == 9 {
                thread::sleep(SLOW);
            }
            if stream.write_all(OK).is_err() {
                return;
            }
        }
    })
}

/// A plan to know the mean to a half of itself.
fn rough(loops: u32) -> Plan {
    let limit = Limit { requests: u64::MAX, until: UNTIL, warmup: WARMUP };
    Plan { limit, loops, precision: Some(0.5), ..plan(0) }
}

/// At 200 requests a second ten slow ones are on their way at any time: at the end, too. None of
/// them is lost, so that the rows have every session of each loop, up to its last.
#[test]
fn slow_requests_under_way_at_the_end_are_waited_for() {
    let target = Target::parse(&format!("http://{}", sometimes_slow())).unwrap();
    for loops in [1, 2] {
        let mut rows = Vec::new();
        let done = run(&even(""), &target, &rough(loops), &mut rows, &mut |_| true).unwrap();
        assert_eq!((done.ending, done.summary.errors), (Ending::Planned, 0));
        let end_s = done.summary.warmup_s + done.summary.duration_s;
        assert!((11.0..290.0).contains(&end_s), "{end_s}");
        let late = rows.iter().filter(|row| row.done.as_secs_f64() > end_s).count();
        assert!(late >= 5, "{late} responses came after the end");
        for part in 0..u64::from(loops) {
            let of_part = |row: &&Row| row.attempt.session % u64::from(loops) == part;
            let sessions: BTreeSet<u64> =
                rows.iter().filter(of_part).map(|row| row.attempt.session).collect();
            let all = (part..).step_by(loops as usize).take(sessions.len());
            assert_eq!(sessions, all.collect());
        }
        let counted = rows.iter().filter(|row| row.attempt.due >= WARMUP);
        assert_eq!(done.summary.requests, counted.count() as u64);
        let notes = done.summary.notes.join(" ");
        assert!(notes.contains("the precision of 50.000 % took"), "{notes}");
    }
}

#[test]
fn a_run_that_ends_before_its_precision_says_so() {
    let target = Target::parse(&format!("http://{}", sometimes_slow())).unwrap();
    let short = Plan { precision: Some(0.001), ..plan(200) };
    let done = run(&closed(20, ""), &target, &short, &mut (), &mut |_| true).unwrap();
    assert_eq!((done.ending, done.summary.requests), (Ending::Planned, 200));
    let warnings = done.summary.warnings.join(" ");
    assert!(warnings.contains("the precision of 0.100 % was not reached"), "{warnings}");
    let wrong = Plan { precision: Some(1.5), ..plan(200) };
    let refused = run(&closed(20, ""), &target, &wrong, &mut (), &mut |_| true).unwrap_err();
    assert!(refused.to_string().contains("between 0% and 100%"), "{refused}");
}
