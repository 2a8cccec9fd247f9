//! Calls of gRPC over HTTP/2, against a server of the crate `h2` that sends its status in trailers.

mod descriptors;
mod programs;
mod server;

use std::sync::atomic::Ordering::Relaxed;
use std::thread;
use std::time::Duration;

use rustls::ALL_VERSIONS;
use thinktime_core::schema::Source;
use thinktime_core::workload::Workload;
use thinktime_net::generator::{Target, run};

use crate::support::*;
use descriptors::Descriptors;
use server::{ENDED, FIRST_MESSAGE, grpc_server};

fn calls(method: &str) -> Workload {
    calls_with(method, "")
}

fn calls_with(method: &str, more: &str) -> Workload {
    let text = format!(
        "name = 'w'\n[arrivals]\nmodel = 'closed'\nclients = 3\n[session]\nthink = '0s'\n\
         [[request]]\nname = 'x'\ngrpc = 'a.S/{method}'\ndescriptors = 'a.pb'\n{more}"
    );
    Workload::parse(Source { file: "", text: &text }, &Descriptors).unwrap()
}

#[test]
fn streams_are_over_with_their_end() {
    let target = Target::parse(&format!("h2c://{}", grpc_server())).unwrap();
    let three = "message = ['{}', '{}', '{}']";
    for (method, more) in [("Collect", three), ("Echo", three), ("Watch", "")] {
        let (done, rows) = go(&calls_with(method, more), &target, 30);
        assert_eq!(done.summary.errors, 0, "{method}: {:?}", done.summary.errors_by_kind);
        for row in &rows {
            assert!(row.first_byte <= row.done && row.bytes_received > 15, "{method}: {row:?}");
            // The head comes at once, and nobody waits for it.
            let waited = Duration::from_nanos(row.first_byte.since(row.sent).0);
            let late = waited >= FIRST_MESSAGE;
            assert!(late || method != "Watch", "{row:?}");
        }
    }
    let (done, _) = go(&calls_with("Collect", "message = ['{}', '{}']"), &target, 9);
    assert_eq!(done.summary.errors_by_kind["grpc_status"], 9, "two messages are too few there");
}

#[test]
fn a_stream_is_over_with_the_messages_that_are_wanted() {
    let target = Target::parse(&format!("h2c://{}", grpc_server())).unwrap();
    for (method, wanted, failed) in [("Endless", 5, 0), ("Watch", 3, 0), ("Watch", 4, 9)] {
        let workload = calls_with(method, &format!("messages = {wanted}\ntimeout = '60s'"));
        let (done, rows) = go(&workload, &target, 9);
        let counted = &done.summary.errors_by_kind;
        assert_eq!(counted.get("grpc_messages").copied().unwrap_or(0), failed, "{method}");
        assert_eq!(done.summary.errors, failed, "{method} {wanted}: {counted:?}");
        assert!(rows.iter().all(|row| row.first_byte <= row.done), "{method} {wanted}");
    }
    let told = (0..2000).any(|_| {
        thread::sleep(FIRST_MESSAGE);
        ENDED.load(Relaxed)
    });
    assert!(told, "the server never heard that the stream is over");
}

#[test]
fn calls_succeed_by_their_trailers() {
    let target = Target::parse(&format!("h2c://{}", grpc_server())).unwrap();
    let (done, rows) = go(&calls("Good"), &target, 100);
    assert_eq!(done.summary.errors, 0, "{:?}", done.summary.errors_by_kind);
    assert!(rows.iter().all(|row| row.status == 200));
    for method in ["Bad", "Short", "Mute"] {
        let (done, _) = go(&calls(method), &target, 9);
        let counted = &done.summary.errors_by_kind;
        assert_eq!(counted.get("grpc_status"), Some(&9), "{method}: {counted:?}");
    }
}

#[test]
fn a_server_learns_how_long_its_client_waits() {
    let target = Target::parse(&format!("h2c://{}", grpc_server())).unwrap();
    let late = "timeout = '30s'\nretry = { attempts = 2, when = 'late' }";
    let drawn = "timeout = '30s'\nheaders = { x-a = '{uniform(1, 9)}' }";
    let cases = [("Timed", "timeout = '30s'"), ("Timed", drawn), ("Good", ""), ("Good", late)];
    for (method, more) in cases {
        let (done, _) = go(&calls_with(method, more), &target, 9);
        assert_eq!(done.summary.errors, 0, "{more}: {:?}", done.summary.errors_by_kind);
    }
}

/// Sessions that take a word of one call into the next one.
fn taking(method: &str, path: &str, checked: &str) -> Workload {
    let text = format!(
        "name = 'w'\n[arrivals]\nmodel = 'closed'\nclients = 1\nstart = 'empty'\n[session]\n\
         think = '0s'\n[[request]]\nname = 'one'\ngrpc = 'a.T/{method}'\ndescriptors = 'a.pb'\n\
         message = {{ text = 'a\"{{const(7)}}' }}\ntake = {{ word = 'json:{path}' }}\n\
         checks = {{ right = {{ of = 'json:{path}', is = '{checked}' }} }}\nnext = {{ two = 1 }}\n\
         [[request]]\nname = 'two'\ngrpc = 'a.T/Both'\ndescriptors = 'a.pb'\nmessage = [\
         {{ text = '{{word}}' }}, {{ text = 'b' }}]\nchecks = {{ taken = {{ of = 'json:$[0].text', \
         is = '{checked}' }}, all = 'json:$[1].text' }}\nnext = {{ one = 1 }}\n"
    );
    Workload::parse(Source { file: "", text: &text }, &Descriptors).unwrap()
}

#[test]
fn answers_are_looked_into_as_json() {
    let target = Target::parse(&format!("h2c://{}", grpc_server())).unwrap();
    let (done, rows) = go(&taking("Mirror", "$.text", "a\"7"), &target, 40);
    assert_eq!(done.summary.errors, 0, "{:?}", done.summary.errors_by_kind);
    for name in ["right", "taken", "all"] {
        let check = &done.summary.checks[name];
        assert!(check.failed == 0 && check.passed >= 18, "{name}: {check:?}");
    }
    assert!(rows.iter().all(|row| row.status == 200));
    let (done, _) = go(&taking("Odd", "$.text", "a"), &target, 40);
    let counted = &done.summary.errors_by_kind;
    assert_eq!((counted["grpc_answer"], counted["value_missing"]), (20, 20), "{counted:?}");
    assert_eq!(done.summary.checks["right"].passed, 0);
    // Without a reader, nothing is parsed.
    let (done, _) = go(&calls("Good"), &target, 5);
    assert_eq!(done.summary.errors, 0);
    let text = "name = 'w'\n[arrivals]\nmodel = 'closed'\nclients = 1\n[session]\nthink = '0s'\n\
                [[request]]\nname = 'x'\ngrpc = 'a.T/Odd'\ndescriptors = 'a.pb'\n";
    let workload = Workload::parse(Source { file: "", text }, &Descriptors).unwrap();
    assert_eq!(go(&workload, &target, 5).0.summary.errors, 0);
}

#[test]
fn header_fields_go_as_metadata() {
    let target = Target::parse(&format!("h2c://{}", grpc_server())).unwrap();
    let metadata =
        "headers = { X-Tenant = 'north' }\n[clients]\nheaders = { x-trace-bin = 'AAE=' }";
    let (done, _) = go(&calls_with("Told", metadata), &target, 9);
    assert_eq!(done.summary.errors, 0, "{:?}", done.summary.errors_by_kind);
    let drawn = calls_with("Drawn", "headers = { X-Tenant = '{const(7)}' }");
    let (done, _) = go(&drawn, &target, 9);
    assert_eq!(done.summary.errors, 0, "{:?}", done.summary.errors_by_kind);
    let (done, _) = go(&calls("Told"), &target, 9);
    assert_eq!(done.summary.errors_by_kind.get("grpc_status"), Some(&9));
}

#[test]
fn a_server_of_http1_fails_calls_by_their_status() {
    let certificate = Certificate::new("127.0.0.1", "grpc");
    let configuration = certificate.configuration(ALL_VERSIONS, &["http/1.1"]);
    let address = tls_server(configuration, |mut stream| answer_all(&mut stream, OK));
    for (method, more) in [("Good", ""), ("Watch", ""), ("Endless", "messages = 2\n")] {
        let workload = calls_with(method, &format!("{more}timeout = '20s'"));
        let (done, _) = go(&workload, &https(address, certificate.trusted()), 9);
        assert_eq!(done.summary.errors_by_kind.get("grpc_status"), Some(&9), "{method}");
    }
}

#[test]
fn other_targets_are_refused() {
    for scheme in ["http", "ws", "tcp"] {
        let target = Target::parse(&format!("{scheme}://127.0.0.1:9")).unwrap();
        let refused = run(&calls("Good"), &target, &plan(1), &mut (), &mut |_| true).unwrap_err();
        assert!(refused.to_string().contains("h2c or https"), "{scheme}: {refused}");
    }
}
