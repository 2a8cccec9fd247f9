//! The generator against servers that behave, and against servers that do not: everything is
//! counted, nothing hangs, and earlier measurements are kept.

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use thinktime_core::record::Row;
use thinktime_core::time::Nanos;
use thinktime_net::generator::{Ending, Plan, RunError, RunOutcome, Target, run};

use crate::support::{self, OK, answer_all, closed, even, plan, read_head, server};

fn go(address: SocketAddr, request: &str, requests: u64) -> (RunOutcome, Vec<Row>) {
    let target = Target::parse(&format!("http://{address}")).unwrap();
    support::go(&even(request), &target, requests)
}

fn always(bytes: &'static [u8]) -> SocketAddr {
    server(move |mut stream| answer_all(&mut stream, bytes))
}

#[test]
fn a_good_server_is_measured() {
    let (done, rows) = go(always(OK), "", 100);
    assert_eq!((done.summary.requests, done.summary.errors), (100, 0));
    // Only other tests that run at the same time may spoil it.
    let late = |why: &str| why.starts_with("the generator itself was late");
    assert!(done.untrusted.as_deref().is_none_or(late), "{:?}", done.untrusted);
    for row in &rows {
        assert!(row.attempt.due <= row.sent);
        assert!(row.sent <= row.first_byte && row.first_byte <= row.done);
        assert_eq!((row.status, row.bytes_received), (200, OK.len() as u64));
    }
    // The even schedule is kept exactly, independent of the sending. On a busy machine responses
    // may overtake one another.
    let mut scheduled: Vec<u64> = rows.iter().map(|row| row.attempt.due.0).collect();
    scheduled.sort_unstable();
    assert!(scheduled.windows(2).all(|pair| pair[1] - pair[0] == 5_000_000));
}

#[test]
fn answers_of_every_kind_are_read() {
    let chunked = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n";
    assert_eq!(go(always(chunked), "", 20).0.summary.errors, 0);
    let until_close = server(|mut stream| {
        read_head(&mut stream);
        stream.write_all(b"HTTP/1.1 200 OK\r\n\r\nuntil the end").ok();
    });
    assert_eq!(go(until_close, "", 20).0.summary.errors, 0);
    let closing = server(|mut stream| {
        read_head(&mut stream);
        stream.write_all(b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n").ok();
    });
    assert_eq!(go(closing, "", 20).0.summary.errors, 0);
    let one_byte_at_a_time = server(|mut stream| {
        while read_head(&mut stream).is_some() {
            for byte in OK {
                stream.write_all(&[*byte]).ok();
                stream.flush().ok();
            }
        }
    });
    assert_eq!(go(one_byte_at_a_time, "", 20).0.summary.errors, 0);
}

/// Runs 10 requests against a server with each fault, and names the counted words.
#[test]
fn what_a_server_does_wrong_is_counted_by_kind() {
    let cases: [(&str, SocketAddr); 6] = [
        ("bad_status_line", always(b"garbage\r\n\r\n")),
        (
            "conflicting_length",
            always(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nok"),
        ),
        (
            "closed",
            server(|mut stream| {
                read_head(&mut stream);
                stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf").ok();
            }),
        ),
        (
            "reset",
            server(|mut stream| {
                // Closing with unread bytes makes the kernel send a reset.
                stream.read_exact(&mut [0; 4]).ok();
            }),
        ),
        ("status", always(b"HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n")),
        ("unexpected_bytes", always(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokay")),
    ];
    for (kind, address) in cases {
        let (done, _) = go(address, "", 10);
        assert_eq!(done.summary.errors, 10, "{kind}: {:?}", done.summary.errors_by_kind);
        let counted = done.summary.errors_by_kind.get(kind).copied().unwrap_or(0);
        assert!(counted >= 9, "{kind}: {:?}", done.summary.errors_by_kind);
        assert_eq!(done.untrusted.as_deref(), Some("every request failed"));
    }
}

#[test]
fn a_server_that_hangs_ends_in_timeouts_or_unanswered_requests() {
    let hang = || {
        server(|stream| {
            thread::sleep(Duration::from_secs(20));
            stream.shutdown(Shutdown::Both).ok();
        })
    };
    let (done, rows) = go(hang(), "timeout = '50ms'", 10);
    assert_eq!((done.summary.errors, done.summary.timeouts), (10, 10));
    assert!(rows.iter().all(|row| row.done.0 - row.attempt.due.0 >= 50_000_000));
    let target = Target::parse(&format!("http://{}", hang())).unwrap();
    let short = Plan { drain: Nanos(300_000_000), ..plan(10) };
    let done = run(&even(""), &target, &short, &mut (), &mut |_| true).unwrap();
    assert_eq!(done.summary.errors_by_kind["unanswered"], 10);
}

#[test]
fn a_retry_succeeds_where_the_first_attempt_failed() {
    let count = AtomicUsize::new(0);
    let flaky = server(move |mut stream| {
        while read_head(&mut stream).is_some() {
            let good = count.fetch_add(1, Ordering::Relaxed) % 2 == 1;
            let bad: &[u8] = b"HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n";
            stream.write_all(if good { OK } else { bad }).ok();
        }
    });
    // If requests overlap, on a busy machine, one may meet a bad answer several times.
    let (done, rows) = go(flaky, "retry = { attempts = 30, backoff = '1ms' }", 20);
    assert_eq!((done.summary.requests, done.summary.errors), (20, 0));
    assert!(done.summary.retries >= 10);
    // The response time runs from the first attempt's scheduled time.
    let retried = rows.iter().find(|row| row.error.is_none() && row.attempt.attempt > 1).unwrap();
    assert!(retried.attempt.due > retried.attempt.request_scheduled);
}

#[test]
fn a_connection_that_the_server_closed_while_idle_is_replaced_silently() {
    let one_answer = server(|mut stream| {
        read_head(&mut stream);
        stream.write_all(OK).ok();
    });
    let (done, _) = go(one_answer, "", 40);
    assert_eq!(done.summary.errors, 0, "{:?}", done.summary.errors_by_kind);
}

#[test]
fn a_target_that_refuses_is_said_at_once_and_later_counted() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let target = Target::parse(&format!("http://{address}")).unwrap();
    let refused = run(&even(""), &target, &plan(5), &mut (), &mut |_| true).unwrap_err();
    assert!(matches!(refused, RunError::Unreachable { .. }), "{refused}");
    assert!(refused.to_string().contains("cannot be reached"));

    // A server that dies in the middle: its answers stay, the rest is counted.
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let served = thread::spawn(move || {
        drop(listener.accept().unwrap()); // the generator checks that the target answers
        let (mut stream, _) = listener.accept().unwrap();
        for _ in 0..10 {
            read_head(&mut stream);
            stream.write_all(OK).unwrap();
        }
    });
    // One client, so that all its requests come over one connection, however slow the machine.
    let target = Target::parse(&format!("http://{address}")).unwrap();
    let (done, _) = support::go(&closed(1, ""), &target, 50);
    served.join().unwrap();
    assert!(done.summary.requests == 50 && done.summary.errors >= 35, "{:?}", done.summary);
    assert!(done.summary.errors_by_kind.contains_key("refused"));
    assert!(done.summary.response_time_s.mean.is_some());
}

#[test]
fn an_interrupted_run_keeps_what_it_has() {
    let target = Target::parse(&format!("http://{}", always(OK))).unwrap();
    let looked = AtomicBool::new(false);
    let mut rows: Vec<Row> = Vec::new();
    let done = run(&even(""), &target, &plan(100_000), &mut rows, &mut |progress| {
        looked.store(true, Ordering::Relaxed);
        progress.requests < 20
    })
    .unwrap();
    assert!(done.ending == Ending::Interrupted && looked.load(Ordering::Relaxed));
    assert!(done.summary.requests >= 20 && done.summary.errors == 0);
    assert_eq!(rows.len() as u64, done.summary.requests);
    assert!(done.summary.warnings.iter().any(|one| one.contains("interrupted")));
}
