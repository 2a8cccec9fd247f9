//! The use of connections: kept or not, and from which addresses.

use std::collections::BTreeSet;

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex};

use crate::http2_peer::{Behaviour, http2_server};
use crate::support::*;
use rustls::ALL_VERSIONS;
use thinktime_core::files::NoFiles;
use thinktime_core::schema::Source;
use thinktime_core::workload::Workload;
use thinktime_net::generator::{RunError, SourceAddress, Target, run};

const PER_REQUEST: &str = "[clients]\nconnections = 'per-request'";

#[test]
fn each_request_can_have_a_connection_of_its_own() {
    for (clients, most, closings) in [(PER_REQUEST, 40, 40), ("", 2, 0)] {
        let (opened, closing) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let counts = (Arc::clone(&opened), Arc::clone(&closing));
        let address = server(move |mut stream| {
            let mut first = true;
            while let Some(head) = read_head(&mut stream) {
                counts.0.fetch_add(usize::from(std::mem::take(&mut first)), Relaxed);
                let says = String::from_utf8(head).unwrap().contains("Connection: close\r\n");
                counts.1.fetch_add(usize::from(says), Relaxed);
                std::io::Write::write_all(&mut stream, OK).ok();
            }
        });
        let target = Target::parse(&format!("http://{address}")).unwrap();
        let (done, _) = go(&closed(2, clients), &target, 40);
        assert_eq!(done.summary.errors, 0, "{:?}", done.summary.errors_by_kind);
        assert_eq!(opened.load(Relaxed), most);
        assert_eq!(closing.load(Relaxed), closings);
    }
}

/// A server that answers early may still wait for the rest of the body: another request would be
/// taken for it. Its own bytes are those that left.
#[test]
fn a_connection_with_an_unsent_body_carries_no_other_request() {
    const BODY: usize = 48 << 20;
    let early = "HTTP/1.1 413 Content Too Large\r\nContent-Length: 0\r\n";
    for answer in [format!("{early}\r\n"), format!("{early}Connection: close\r\n\r\n")] {
        let opened = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&opened);
        let address = server(move |mut stream| {
            count.fetch_add(1, Relaxed);
            if read_head(&mut stream).is_some() {
                std::thread::sleep(std::time::Duration::from_millis(50));
                std::io::Write::write_all(&mut stream, answer.as_bytes()).ok();
                std::thread::sleep(std::time::Duration::from_secs(60));
            }
        });
        let target = Target::parse(&format!("http://{address}")).unwrap();
        let request = format!("post = '/'\nbody = '{}'", "y".repeat(BODY));
        let (_, rows) = go(&closed(1, &request), &target, 2);
        for row in &rows {
            assert_eq!((row.status, row.error), (413, Some("status")));
            assert!((1 << 16..BODY as u64 / 2).contains(&row.bytes_sent), "{row:?}");
        }
        // One connection is only to see whether the server is there.
        assert_eq!(opened.load(Relaxed), 3);
    }
}

#[test]
fn each_session_can_have_a_connection_of_its_own() {
    // Sessions of many lengths, which take the places of others that have left.
    let text = "name = 'w'\n[arrivals]\nmodel = 'partly-open'\nrate = '100/s'\n\
                [session]\nrequests = 'geometric(4)'\nthink = 'exp(5ms)'\n\
                [clients]\nconnections = 'per-session'";
    let workload = Workload::parse(Source { file: "", text }, &NoFiles).unwrap();
    let opened = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&opened);
    let address = server(move |mut stream| {
        count.fetch_add(1, Relaxed);
        while read_head(&mut stream).is_some() {
            std::io::Write::write_all(&mut stream, OK).ok();
        }
    });
    let target = Target::parse(&format!("http://{address}")).unwrap();
    let (done, rows) = go(&workload, &target, 1500);
    assert_eq!(done.summary.errors, 0, "{:?}", done.summary.errors_by_kind);
    let sessions: BTreeSet<u64> = rows.iter().map(|row| row.attempt.session).collect();
    // The attempt to reach the target before the run is a connection too.
    assert_eq!(opened.load(Relaxed), sessions.len() + 1);
    let most = done.summary.generator.unwrap().connections_max;
    assert!(most < sessions.len() as u64 / 2, "connections outlive their sessions: {most}");
}

#[test]
fn each_request_can_have_a_connection_of_its_own_in_http2() {
    let certificate = Certificate::new("127.0.0.1", "once");
    for tls in [None, Some(certificate.configuration(ALL_VERSIONS, &["h2"]))] {
        let secure = tls.is_some();
        let (address, seen) = http2_server(Behaviour { tls, ..Behaviour::default() });
        let plain = Target::parse(&format!("h2c://{address}")).unwrap();
        let target = if secure { https(address, certificate.trusted()) } else { plain };
        let (done, _) = go(&closed(5, PER_REQUEST), &target, 40);
        assert_eq!(done.summary.errors, 0, "{:?}", done.summary.errors_by_kind);
        assert_eq!(seen.connections.load(Relaxed), 40);
    }
}

#[test]
fn connections_come_from_the_given_addresses_and_ports_in_turn() {
    let seen = Arc::new(Mutex::new(BTreeSet::new()));
    let own = Arc::clone(&seen);
    let address = server(move |mut stream| {
        let from = stream.peer_addr().unwrap();
        if read_head(&mut stream).is_some() {
            own.lock().unwrap().insert(from);
            std::io::Write::write_all(&mut stream, OK).ok();
        }
    });
    let sources: Vec<SourceAddress> =
        ["127.0.0.2", "127.0.0.3:28340-28344"].iter().map(|text| text.parse().unwrap()).collect();
    let target = Target::parse(&format!("http://{address}")).unwrap();
    let from = target.clone().with_sources(sources);
    let (done, _) = go(&closed(2, PER_REQUEST), &from, 20);
    assert_eq!(done.summary.errors, 0, "{:?}", done.summary.errors_by_kind);
    let seen = seen.lock().unwrap();
    let from = |address: &str| seen.iter().filter(|from| from.ip().to_string() == address).count();
    assert_eq!(from("127.0.0.2") + from("127.0.0.3"), seen.len());
    assert!(from("127.0.0.2") >= 5);
    let ports = seen.iter().filter(|from| from.ip().to_string() == "127.0.0.3");
    let ports: Vec<u16> = ports.map(|from| from.port()).collect();
    assert!(
        ports.len() > 1 && ports.iter().all(|port| (28340..=28344).contains(port)),
        "{ports:?}"
    );

    for wrong in ["::1", "192.0.2.1"] {
        let sources = vec![wrong.parse().unwrap()];
        let target = target.clone().with_sources(sources);
        let refused = run(&even(""), &target, &plan(1), &mut (), &mut |_| true).unwrap_err();
        assert!(matches!(refused, RunError::Invalid(_)), "{refused}");
        assert!(refused.to_string().contains(wrong), "{refused}");
    }
}
