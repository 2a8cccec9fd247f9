//! HTTPS: certificates, resumption, large messages, and failures of handshakes.

use std::io::{Read, Write};
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use crate::support::*;
use rustls::version::{TLS12, TLS13};
use rustls::{ALL_VERSIONS, HandshakeKind};
use thinktime_net::generator::{RunError, TlsOptions, run};

/// A server that answers everything with OK over HTTP/1.1.
fn good(certificate: &Certificate) -> SocketAddr {
    tls_server(certificate.configuration(ALL_VERSIONS, &[]), |mut stream| {
        answer_all(&mut stream, OK);
    })
}

#[test]
fn a_good_server_is_measured_over_either_version() {
    let certificate = Certificate::new("127.0.0.1", "versions");
    for version in [&TLS12, &TLS13] {
        for protocols in [&[][..], &["http/1.1"][..]] {
            let configuration = certificate.configuration(&[version], protocols);
            let address = tls_server(configuration, |mut stream| answer_all(&mut stream, OK));
            let (done, rows) = go(&even(""), &https(address, certificate.trusted()), 60);
            assert_eq!(done.summary.errors, 0, "{:?}", done.summary.errors_by_kind);
            for row in &rows {
                assert!(row.sent <= row.first_byte && row.first_byte <= row.done);
                assert_eq!((row.status, row.bytes_received), (200, OK.len() as u64));
                assert!(row.bytes_sent > 20);
            }
        }
    }
}

#[test]
fn certificates_are_checked_unless_told_not_to() {
    let certificate = Certificate::new("127.0.0.1", "checked");
    let elsewhere = Certificate::new("example.org", "elsewhere");
    let unverified = TlsOptions { verify: false, ..TlsOptions::default() };
    let cases = [
        ("unknown authority", &certificate, TlsOptions::default(), 10),
        ("other authority", &certificate, elsewhere.trusted(), 10),
        ("other name", &elsewhere, elsewhere.trusted(), 10),
        ("right", &certificate, certificate.trusted(), 0),
        ("unchecked", &elsewhere, unverified, 0),
    ];
    for (name, server, options, errors) in cases {
        let (done, _) = go(&even(""), &https(good(server), options), 10);
        let counted = done.summary.errors_by_kind.get("tls_certificate").copied().unwrap_or(0);
        assert_eq!((done.summary.errors, counted), (errors, errors), "{name}: {:?}", done.summary);
    }
}

#[test]
fn ca_files_that_are_none_are_refused_at_once() {
    let certificate = Certificate::new("127.0.0.1", "none");
    let directory = std::path::Path::new(env!("CARGO_TARGET_TMPDIR"));
    let (empty, missing) = (directory.join("empty.pem"), directory.join("no-such.pem"));
    std::fs::write(&empty, "no certificate").unwrap();
    for (file, why) in [(empty, "holds no certificate"), (missing, "the CA file")] {
        let options = TlsOptions { ca_file: Some(file), ..TlsOptions::default() };
        let target = https(good(&certificate), options);
        let refused = run(&even(""), &target, &plan(5), &mut (), &mut |_| true).unwrap_err();
        assert!(matches!(refused, RunError::Invalid(_)), "{refused}");
        assert!(refused.to_string().contains(why), "{refused}");
    }
}

#[test]
fn later_connections_resume_the_session_of_earlier_ones() {
    let certificate = Certificate::new("127.0.0.1", "resumed");
    for version in [&TLS12, &TLS13] {
        let (full, resumed) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let counts = (Arc::clone(&full), Arc::clone(&resumed));
        let configuration = certificate.configuration(&[version], &[]);
        let address = tls_server(configuration, move |mut stream| {
            let closing = b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";
            if read_head(&mut stream).is_some() {
                stream.write_all(closing).ok();
                stream.conn.send_close_notify();
                stream.flush().ok();
            }
            match stream.conn.handshake_kind() {
                Some(HandshakeKind::Resumed) => counts.1.fetch_add(1, Ordering::Relaxed),
                _ => counts.0.fetch_add(1, Ordering::Relaxed),
            };
            // The client's further data must not cause a reset that overtakes the answer.
            stream.sock.read_to_end(&mut Vec::new()).ok();
        });
        let target = https(address, certificate.trusted());
        let (done, _) = go(&closed(1, ""), &target, 30);
        assert_eq!(done.summary.errors, 0, "{:?}", done.summary.errors_by_kind);
        assert!(resumed.load(Ordering::Relaxed) >= 25, "{full:?} {resumed:?}");
    }
}

#[test]
fn large_messages_come_through_whole() {
    let certificate = Certificate::new("127.0.0.1", "large");
    let size = 3 << 20;
    let address = tls_server(certificate.configuration(ALL_VERSIONS, &[]), move |mut stream| {
        while let Some(head) = read_head(&mut stream) {
            let head = String::from_utf8(head).unwrap();
            let length = head.lines().find_map(|line| line.strip_prefix("Content-Length: "));
            let mut body = vec![0; length.map_or(0, |length| length.parse().unwrap())];
            stream.read_exact(&mut body).unwrap();
            assert!(body.iter().all(|byte| *byte == b'y'));
            let answer = format!("HTTP/1.1 200 OK\r\nContent-Length: {size}\r\n\r\n");
            stream.write_all(answer.as_bytes()).unwrap();
            stream.write_all(&vec![b'x'; size]).unwrap();
        }
    });
    let request = format!("post = '/'\nbody = '{}'", "y".repeat(1 << 20));
    let (done, rows) = go(&closed(3, &request), &https(address, certificate.trusted()), 12);
    assert_eq!(done.summary.errors, 0, "{:?}", done.summary.errors_by_kind);
    assert!(rows.iter().all(|row| row.bytes_received > size as u64 && row.bytes_sent > 1 << 20));
}

#[test]
fn answers_in_many_small_records_are_read() {
    let certificate = Certificate::new("127.0.0.1", "small");
    let address = tls_server(certificate.configuration(ALL_VERSIONS, &[]), |mut stream| {
        while read_head(&mut stream).is_some() {
            for byte in OK {
                stream.write_all(&[*byte]).ok();
            }
        }
    });
    let (done, _) = go(&closed(2, ""), &https(address, certificate.trusted()), 50);
    assert_eq!(done.summary.errors, 0, "{:?}", done.summary.errors_by_kind);
}

#[test]
fn what_goes_wrong_is_counted_by_kind() {
    let certificate = Certificate::new("127.0.0.1", "wrong");
    let configuration = certificate.configuration(ALL_VERSIONS, &[]);
    let cut = tls_server(Arc::clone(&configuration), |mut stream| {
        read_head(&mut stream);
        // The end of the body is the end of the stream, but the stream ends without a closing
        // alert.
        stream.write_all(b"HTTP/1.1 200 OK\r\n\r\nhalf").ok();
    });
    let garbage = tls_server(configuration, |mut stream| {
        read_head(&mut stream);
        stream.sock.write_all(b"this is no record of TLS at all").ok();
        stream.sock.read_to_end(&mut Vec::new()).ok();
    });
    let other = certificate.configuration(ALL_VERSIONS, &["spdy/3"]);
    let cases: [(&str, SocketAddr); 5] = [
        ("tls_handshake", server(|mut stream| drop(stream.write_all(b"220 ready\r\n")))),
        ("tls_handshake", server(|mut stream| drop(stream.read(&mut [0; 1000])))),
        ("tls_handshake", tls_server(other, |mut stream| answer_all(&mut stream, OK))),
        ("closed", cut),
        ("tls_protocol", garbage),
    ];
    for (kind, address) in cases {
        let (done, _) = go(&even(""), &https(address, certificate.trusted()), 10);
        let by_kind = &done.summary.errors_by_kind;
        assert_eq!(by_kind.get(kind).copied(), Some(10), "{kind}: {by_kind:?}");
    }
}

#[test]
fn a_handshake_that_hangs_ends_in_timeouts() {
    let address = server(|stream| {
        thread::sleep(Duration::from_secs(20));
        drop(stream);
    });
    let target = https(address, TlsOptions::default());
    let (done, rows) = go(&even("timeout = '50ms'"), &target, 10);
    assert_eq!((done.summary.errors, done.summary.timeouts), (10, 10));
    assert!(rows.iter().all(|row| row.done.0 - row.attempt.due.0 >= 50_000_000));
}

#[test]
fn a_connection_that_the_server_closed_while_idle_is_replaced_silently() {
    let certificate = Certificate::new("127.0.0.1", "idle");
    for orderly in [true, false] {
        let configuration = certificate.configuration(ALL_VERSIONS, &[]);
        let address = tls_server(configuration, move |mut stream| {
            read_head(&mut stream);
            stream.write_all(OK).ok();
            if orderly {
                stream.conn.send_close_notify();
                stream.flush().ok();
            }
        });
        let (done, _) = go(&even(""), &https(address, certificate.trusted()), 40);
        assert_eq!(done.summary.errors, 0, "{:?}", done.summary.errors_by_kind);
    }
}

#[test]
fn a_host_that_no_certificate_can_name_is_refused() {
    let mut target = https(([127, 0, 0, 1], 9).into(), TlsOptions::default());
    target.host = "a_b..c".to_owned();
    let refused = run(&even(""), &target, &plan(1), &mut (), &mut |_| true).unwrap_err();
    assert!(matches!(refused, RunError::Invalid(_)), "{refused}");
}
