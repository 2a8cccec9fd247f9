//! Several event loops give the same result as one.

use std::collections::BTreeSet;

use crate::support::{OK, answer_all, closed, even, plan, server};
use thinktime_core::limit::Limit;
use thinktime_core::record::Row;
use thinktime_core::time::Nanos;
use thinktime_core::workload::Workload;
use thinktime_net::generator::{Ending, Plan, RunOutcome, Target, run};

fn target() -> Target {
    let address = server(|mut stream| answer_all(&mut stream, OK));
    Target::parse(&format!("http://{address}")).unwrap()
}

fn go(workload: &Workload, target: &Target, plan: &Plan) -> (RunOutcome, Vec<Row>) {
    let mut rows = Vec::new();
    let done = run(workload, target, plan, &mut rows, &mut |_| true).unwrap();
    (done, rows)
}

fn for_time(seconds: f64, loops: u32) -> Plan {
    let until = Nanos::from_secs_f64(seconds);
    let limit = Limit { requests: u64::MAX, until, warmup: Nanos::ZERO };
    Plan { limit, loops, ..plan(0) }
}

#[test]
fn loops_keep_the_schedule_of_the_whole() {
    let target = target();
    let scheduled = |loops| -> BTreeSet<(u64, Nanos)> {
        let (done, rows) = go(&even(""), &target, &for_time(0.8, loops));
        assert_eq!((done.summary.requests, done.summary.errors), (159, 0));
        assert_eq!(done.summary.sessions, 159);
        assert_eq!(done.summary.generator.unwrap().loops, u64::from(loops));
        rows.iter().map(|row| (row.attempt.session, row.attempt.due)).collect()
    };
    let one = scheduled(1);
    assert_eq!(one.len(), 159);
    assert_eq!(scheduled(3), one);
}

/// In an open model the kernel gives the arrival times of responses, which a busy machine reads
/// later: its rows may change places.
#[test]
fn rows_of_several_loops_come_in_the_order_of_time() {
    let (done, rows) = go(&closed(6, ""), &target(), &for_time(0.8, 3));
    assert_eq!(done.summary.errors, 0, "{:?}", done.summary.errors_by_kind);
    assert!(rows.len() > 1 && rows.windows(2).all(|pair| pair[0].done <= pair[1].done));
}

#[test]
fn closed_clients_and_requests_are_divided() {
    let target = target();
    let (done, rows) = go(&closed(5, ""), &target, &Plan { loops: 2, ..plan(1001) });
    assert_eq!((done.summary.requests, done.summary.errors), (1001, 0));
    let sessions: BTreeSet<u64> = rows.iter().map(|row| row.attempt.session).collect();
    assert_eq!(sessions, (0..5).collect());
}

#[test]
fn all_loops_end_when_they_are_told_to() {
    let (workload, target) = (closed(4, ""), target());
    let mut looks = 0;
    let mut watch = |_| {
        looks += 1;
        looks < 3
    };
    let done = run(&workload, &target, &for_time(60.0, 2), &mut (), &mut watch).unwrap();
    assert_eq!(done.ending, Ending::Interrupted);
    assert!(done.summary.requests > 0);
}

#[test]
fn what_cannot_be_divided_is_refused() {
    let target = target();
    for (workload, loops, words) in [
        (closed(2, ""), 3, "2 clients cannot be divided among 3 event loops"),
        (even(""), 0, "1 to 1024 event loops"),
        (even(""), 5000, "1 to 1024 event loops"),
    ] {
        let error = run(&workload, &target, &for_time(1.0, loops), &mut (), &mut |_| true);
        assert!(error.unwrap_err().to_string().contains(words), "{words}");
    }
}
