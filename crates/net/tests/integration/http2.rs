//! HTTP/2 against an independent server, over TCP and over TLS.

use std::io::{Read, Write};
use std::net::SocketAddr;
use std::net::TcpStream;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;
use std::thread;
use std::time::Duration;

use crate::http2_peer::{Behaviour, http2_server};
use crate::support::*;
use crate::unread::frame;
use rustls::ALL_VERSIONS;
use thinktime_core::files::NoFiles;
use thinktime_core::schema::Source;
use thinktime_core::workload::Workload;
use thinktime_net::generator::{Target, TlsOptions};

fn h2c(address: SocketAddr) -> Target {
    Target::parse(&format!("h2c://{address}")).unwrap()
}

#[test]
fn many_streams_share_one_connection() {
    let (address, seen) = http2_server(Behaviour::default());
    let (done, rows) = go(&closed(50, "get = '/'"), &h2c(address), 3000);
    assert_eq!(done.summary.errors, 0, "{:?}", done.summary.errors_by_kind);
    assert_eq!(seen.connections.load(Relaxed), 1);
    assert!(seen.most.load(Relaxed) > 1);
    for row in &rows {
        assert!(row.sent <= row.first_byte && row.first_byte <= row.done);
        assert!(row.status == 200 && row.bytes_received > 20 && row.bytes_sent > 9, "{row:?}");
    }
}

#[test]
fn more_clients_than_streams_take_more_connections() {
    for streams in [1, 10] {
        let behaviour = Behaviour { streams: Some(streams), ..Behaviour::default() };
        let (address, seen) = http2_server(behaviour);
        let (done, _) = go(&closed(50, ""), &h2c(address), 1000);
        assert_eq!(done.summary.errors, 0, "{streams}: {:?}", done.summary.errors_by_kind);
        assert!(seen.connections.load(Relaxed) > 1);
    }
}

#[test]
fn answers_of_every_kind_are_read() {
    let (address, seen) = http2_server(Behaviour::default());
    let cases = [
        ("get = '/trailers'", 200, 10),
        ("get = '/large'", 200, 3 << 20),
        ("head = '/'", 200, 9),
        ("post = '/'\nbody = 'hello'", 200, 9),
        ("get = '/missing'", 404, 9),
    ];
    for (request, status, bytes) in cases {
        let (_, rows) = go(&closed(3, request), &h2c(address), 20);
        for row in rows {
            assert_eq!(row.status, status, "{request}: {row:?}");
            assert!(row.bytes_received > bytes, "{request}: {row:?}");
        }
    }
    assert_eq!(seen.body_bytes.load(Relaxed), 20 * "hello".len());
}

#[test]
fn large_bodies_are_sent_as_windows_open() {
    let (address, seen) = http2_server(Behaviour::default());
    let size = 1 << 20;
    let request = format!("post = '/'\nbody = '{}'", "y".repeat(size));
    let (done, rows) = go(&closed(5, &request), &h2c(address), 20);
    assert_eq!(done.summary.errors, 0, "{:?}", done.summary.errors_by_kind);
    assert_eq!(seen.body_bytes.load(Relaxed), 20 * size);
    assert!(rows.iter().all(|row| row.bytes_sent > size as u64));
}

#[test]
fn an_attempt_that_timed_out_ends_its_stream_and_not_the_connection() {
    let (address, seen) = http2_server(Behaviour::default());
    let requests = "get = '/'\n[[request]]\nname = 'y'\nget = '/never'\ntimeout = '30ms'";
    // Even if all were under way at once, as on a machine that stops for a while, one connection
    // has room for them.
    let (done, _) = go(&even(requests), &h2c(address), 90);
    let (errors, timeouts) = (done.summary.errors, done.summary.timeouts);
    assert!(errors == timeouts && (20..70).contains(&errors), "{errors} {timeouts}");
    assert_eq!(seen.connections.load(Relaxed), 1);
    // An attempt that was late from the beginning never arrived, and cannot be cancelled.
    let cancelled = || seen.cancelled.load(Relaxed) as u64;
    let came = || (seen.requests.load(Relaxed) as u64).saturating_sub(90 - errors);
    let mut looks = 0;
    while cancelled() == 0 || cancelled() <= came() / 2 {
        looks += 1;
        assert!(looks < 6000, "{} of {}", cancelled(), came());
        thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn requests_go_on_over_new_connections_where_the_server_closes_old_ones() {
    for clients in [1, 20] {
        let behaviour = Behaviour { requests_per_connection: Some(25), ..Behaviour::default() };
        let (address, seen) = http2_server(behaviour);
        let (done, _) = go(&closed(clients, ""), &h2c(address), 500);
        assert_eq!(done.summary.errors, 0, "{clients}: {:?}", done.summary.errors_by_kind);
        assert!(seen.connections.load(Relaxed) >= 5);
    }
}

/// The frames that a client sends, kind and stream, behind its preface.
fn frames(mut stream: TcpStream) -> impl Iterator<Item = (u8, u32)> {
    let preface = stream.read_exact(&mut [0; 24]);
    std::iter::from_fn(move || {
        let mut head = [0; 9];
        preface.as_ref().ok().and(stream.read_exact(&mut head).ok())?;
        let length = u32::from_be_bytes([0, head[0], head[1], head[2]]);
        stream.read_exact(&mut vec![0; length as usize]).ok()?;
        Some((head[3], u32::from_be_bytes([head[5], head[6], head[7], head[8]])))
    })
}

const HEADERS: u8 = 1;
/// The end of a stream, and of its header block.
const WHOLE: u8 = 1 | 4;
/// A status of the static table.
const STATUS_200: &[u8] = &[0x88];

/// A server that takes this many requests of each connection, and leaves the others unprocessed.
fn leaving_server(taken: usize) -> SocketAddr {
    server(move |mut stream| {
        stream.write_all(&frame(4, 0, 0, &[])).ok();
        let mut count = 0;
        for (kind, id) in frames(stream.try_clone().unwrap()) {
            count += usize::from(kind == HEADERS);
            if kind == HEADERS && count <= taken {
                stream.write_all(&frame(HEADERS, WHOLE, id, STATUS_200)).ok();
            }
            if kind == HEADERS && count == taken {
                let leave = [id.to_be_bytes(), [0; 4]].concat();
                stream.write_all(&frame(7, 0, 0, &leave)).ok();
            }
        }
    })
}

/// RFC 9113, section 8.7: what a server says it has not looked at is sent until one takes it.
#[test]
fn requests_that_leaving_servers_did_not_take_go_out_until_one_does() {
    for (taken, clients, request) in [(1, 9, "get = '/'"), (4, 30, "post = '/'\nbody = 'a'")] {
        let address = leaving_server(taken);
        let (done, rows) = go(&closed(clients, request), &h2c(address), 200);
        assert_eq!(done.summary.errors, 0, "{taken}: {:?}", done.summary.errors_by_kind);
        assert_eq!(rows.len(), 200);
    }
}

#[test]
fn a_refused_stream_is_tried_again_but_not_for_ever() {
    for (refusals, failed) in [(1, 0), (5, 0), (6, 1)] {
        let tries = AtomicUsize::new(0);
        let address = server(move |mut stream| {
            stream.write_all(&frame(4, 0, 0, &[])).ok();
            for (_, id) in frames(stream.try_clone().unwrap()).filter(|(kind, _)| *kind == HEADERS)
            {
                let answer = match tries.fetch_add(1, Relaxed) < refusals {
                    true => frame(3, 0, id, &[0, 0, 0, 7]),
                    false => frame(HEADERS, WHOLE, id, STATUS_200),
                };
                stream.write_all(&answer).ok();
            }
        });
        let (done, _) = go(&closed(1, "post = '/'"), &h2c(address), 3);
        let refused = done.summary.errors_by_kind.get("stream_refused").copied();
        assert_eq!((done.summary.errors, refused.unwrap_or(0)), (failed, failed), "{refusals}");
    }
}

/// A server that opens its windows, answers early, and reads no body.
#[test]
fn the_body_that_was_not_sent_is_not_counted() {
    const BODY: usize = 48 << 20;
    let address = server(|mut stream| {
        let far = (1_u32 << 31) - 1;
        let window = [&[0, 4][..], &far.to_be_bytes()].concat();
        stream.write_all(&frame(4, 0, 0, &window)).ok();
        stream.write_all(&frame(8, 0, 0, &(far - 65_535).to_be_bytes())).ok();
        let mut begun = frames(stream.try_clone().unwrap());
        let Some((_, id)) = begun.find(|(kind, _)| *kind == HEADERS) else { return };
        thread::sleep(Duration::from_millis(100));
        // Status 413, as a literal.
        let head = [&[0x48, 3][..], b"413"].concat();
        stream.write_all(&frame(HEADERS, WHOLE, id, &head)).ok();
        thread::sleep(Duration::from_secs(60));
    });
    let request = format!("post = '/'\nbody = '{}'", "y".repeat(BODY));
    let (_, rows) = go(&closed(1, &request), &h2c(address), 1);
    assert_eq!((rows[0].status, rows[0].error), (413, Some("status")));
    assert!((1 << 16..BODY as u64 / 2).contains(&rows[0].bytes_sent), "{:?}", rows[0]);
}

#[test]
fn what_a_server_does_wrong_is_counted_by_kind() {
    let (address, _) = http2_server(Behaviour::default());
    let garbage = server(|mut stream| {
        read_head(&mut stream);
        stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").ok();
        stream.read_to_end(&mut Vec::new()).ok();
    });
    let cases = [
        ("stream_reset", "get = '/reset'", address),
        ("stream_refused", "get = '/refuse'", address),
        ("http2_frame_size", "get = '/'", garbage),
    ];
    for (kind, request, address) in cases {
        let (done, _) = go(&even(request), &h2c(address), 10);
        let by_kind = &done.summary.errors_by_kind;
        assert_eq!(by_kind.get(kind).copied(), Some(10), "{kind}: {by_kind:?}");
    }
}

#[test]
fn the_server_chooses_the_protocol_over_tls() {
    let certificate = Certificate::new("127.0.0.1", "chooses");
    let tls = certificate.configuration(ALL_VERSIONS, &["h2"]);
    let behaviour = Behaviour { tls: Some(tls), ..Behaviour::default() };
    let (address, seen) = http2_server(behaviour);
    let target = https(address, certificate.trusted());
    let (done, _) = go(&closed(50, ""), &target, 2000);
    assert_eq!(done.summary.errors, 0, "{:?}", done.summary.errors_by_kind);
    assert_eq!(seen.connections.load(Relaxed), 1);

    // A client that offers only HTTP/1.1 finds nothing in common with it.
    let options = TlsOptions { http2: false, ..certificate.trusted() };
    let (done, _) = go(&even(""), &https(address, options), 10);
    assert_eq!(done.summary.errors_by_kind["tls_handshake"], 10);

    // A server that chooses HTTP/1.1 gets a connection for each client that waits.
    let older = certificate.configuration(ALL_VERSIONS, &["http/1.1"]);
    let address = tls_server(older, |mut stream| answer_all(&mut stream, OK));
    let (done, rows) = go(&closed(20, ""), &https(address, certificate.trusted()), 500);
    assert_eq!(done.summary.errors, 0, "{:?}", done.summary.errors_by_kind);
    assert!(rows.iter().all(|row| row.bytes_received == OK.len() as u64));
}

#[test]
fn large_bodies_go_both_ways_over_tls() {
    let certificate = Certificate::new("127.0.0.1", "both");
    let tls = certificate.configuration(ALL_VERSIONS, &["h2"]);
    let (address, seen) = http2_server(Behaviour { tls: Some(tls), ..Behaviour::default() });
    let request = format!("post = '/large'\nbody = '{}'", "y".repeat(1 << 20));
    let target = https(address, certificate.trusted());
    let (done, rows) = go(&closed(4, &request), &target, 16);
    assert_eq!(done.summary.errors, 0, "{:?}", done.summary.errors_by_kind);
    assert!(rows.iter().all(|row| row.bytes_received > 3 << 20));
    assert_eq!(seen.body_bytes.load(Relaxed), 16 << 20);
}

#[test]
fn cookies_and_redirects_are_those_of_streams() {
    let (address, seen) = http2_server(Behaviour::default());
    let text = "name = 'w'\n[arrivals]\nmodel = 'closed'\nclients = 5\n\
                [session]\nthink = '1ms'\ncookies = true\nredirects = 1\n\
                [[request]]\nname = 'x'\nget = '/member'";
    let workload = Workload::parse(Source { file: "", text }, &NoFiles).unwrap();
    let (done, rows) = go(&workload, &h2c(address), 50);
    assert_eq!(done.summary.errors, 0, "{:?}", done.summary.errors_by_kind);
    assert!(rows.iter().all(|row| row.status == 200));
    // Each client is redirected once.
    assert_eq!(seen.requests.load(Relaxed), 55);
}
