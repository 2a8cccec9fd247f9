//! How connections are used: kept or not, and from which addresses.
#![allow(clippy::unwrap_used, reason = "tests")]

#[path = "support/peer.rs"]
mod peer;
mod support;

use std::collections::BTreeSet;
use std::net::IpAddr;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex};

use peer::{Behaviour, http2_server};
use rustls::ALL_VERSIONS;
use support::*;
use thinktime_net::generator::{Connections, Reuse, RunError, Target, run};

fn per_request() -> Connections {
    Connections { reuse: Reuse::PerRequest, ..Connections::default() }
}

#[test]
fn each_request_can_have_a_connection_of_its_own() {
    for (connections, most) in [(per_request(), 40), (Connections::default(), 2)] {
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
        let (done, _) = go(&closed(2, ""), &target.with_connections(connections.clone()), 40);
        assert_eq!(done.summary.errors, 0, "{:?}", done.summary.errors_by_kind);
        assert_eq!(opened.load(Relaxed), most);
        let said = if connections.reuse == Reuse::PerRequest { 40 } else { 0 };
        assert_eq!(closing.load(Relaxed), said);
    }
}

#[test]
fn each_request_can_have_a_connection_of_its_own_in_http2() {
    let certificate = Certificate::new("127.0.0.1", "once");
    for tls in [None, Some(certificate.configuration(ALL_VERSIONS, &["h2"]))] {
        let secure = tls.is_some();
        let (address, seen) = http2_server(Behaviour { tls, ..Behaviour::default() });
        let plain = Target::parse(&format!("h2c://{address}")).unwrap();
        let target = if secure { https(address, certificate.trusted()) } else { plain };
        let (done, _) = go(&closed(5, ""), &target.with_connections(per_request()), 40);
        assert_eq!(done.summary.errors, 0, "{:?}", done.summary.errors_by_kind);
        assert_eq!(seen.connections.load(Relaxed), 40);
    }
}

#[test]
fn connections_come_from_the_given_addresses_in_turn() {
    let seen = Arc::new(Mutex::new(BTreeSet::new()));
    let own = Arc::clone(&seen);
    let address = server(move |mut stream| {
        let from = stream.peer_addr().unwrap().ip();
        if read_head(&mut stream).is_some() {
            own.lock().unwrap().insert(from);
            std::io::Write::write_all(&mut stream, OK).ok();
        }
    });
    let sources: Vec<IpAddr> =
        ["127.0.0.2", "127.0.0.3"].iter().map(|text| text.parse().unwrap()).collect();
    let target = Target::parse(&format!("http://{address}")).unwrap();
    let connections = Connections { sources: sources.clone(), ..per_request() };
    let (done, _) = go(&closed(2, ""), &target.clone().with_connections(connections), 20);
    assert_eq!(done.summary.errors, 0, "{:?}", done.summary.errors_by_kind);
    assert_eq!(*seen.lock().unwrap(), sources.into_iter().collect());

    for wrong in ["::1", "192.0.2.1"] {
        let sources = vec![wrong.parse().unwrap()];
        let connections = Connections { sources, ..Connections::default() };
        let target = target.clone().with_connections(connections);
        let refused = run(&even(""), &target, &plan(1), &mut (), &mut |_| true).unwrap_err();
        assert!(matches!(refused, RunError::Invalid(_)), "{refused}");
        assert!(refused.to_string().contains(wrong), "{refused}");
    }
}
