//! Servers that make a client reply, and read none of its replies: the waiting bytes are bounded,
//! and beyond the limit the connection ends, counted by kind.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::Duration;

use rustls::ALL_VERSIONS;
use thinktime_net::generator::Target;

use crate::support::*;
use crate::websocket::upgrade;

/// A frame of HTTP/2.
pub fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let length = (payload.len() as u32).to_be_bytes();
    [&length[1..], &[kind, flags], &stream.to_be_bytes(), payload].concat()
}

/// Answers the first request with a head, and then sends these frames while somebody reads them;
/// data between them makes them no flood of frames without progress.
fn begs(stream: &mut impl Write, wanting: &[u8]) {
    let head = [frame(4, 0, 0, &[]), frame(1, 4, 1, &[0x88])].concat();
    let more = [wanting, &frame(0, 0, 1, b"x")].concat().repeat(1000);
    stream.write_all(&head).ok();
    while stream.write_all(&more).is_ok() {}
}

/// Runs two requests: without a limit they would end at their timeout, with all memory used up.
fn counted(target: &Target, request: &str) {
    let request = format!("{request}\ntimeout = '60s'");
    let (done, _) = go(&closed(1, &request), target, 2);
    let by_kind = &done.summary.errors_by_kind;
    assert_eq!(by_kind.get("replies_unread"), Some(&2), "{by_kind:?}");
}

#[test]
fn replies_of_http2_are_bounded() {
    for wanting in [frame(6, 0, 0, &[0; 8]), frame(4, 0, 0, &[])] {
        let address = server(move |mut stream: TcpStream| begs(&mut stream, &wanting));
        counted(&Target::parse(&format!("h2c://{address}")).unwrap(), "get = '/'");
    }
}

#[test]
fn replies_of_http2_are_bounded_over_tls() {
    let certificate = Certificate::new("127.0.0.1", "unread");
    let tls = certificate.configuration(ALL_VERSIONS, &["h2"]);
    let address = tls_server(tls, |mut stream| begs(&mut stream, &frame(6, 0, 0, &[0; 8])));
    counted(&https(address, certificate.trusted()), "get = '/'");
}

#[test]
fn replies_of_websocket_are_bounded() {
    let address = server(|mut stream: TcpStream| {
        let Some(head) = read_head(&mut stream) else { return };
        stream.write_all(&upgrade(&head)).ok();
        // A message that is not the answer, so that pings are no flood.
        let more = b"\x89\x08pingpong\x81\x01x".repeat(1000);
        while stream.write_all(&more).is_ok() {}
    });
    let target = Target::parse(&format!("ws://{address}/")).unwrap();
    counted(&target, "send = 'hello'\nexpect = 'pattern(never)'");
}

/// A peer that pings as often, and reads, is only strange.
#[test]
fn a_server_that_reads_may_ping_as_it_likes() {
    let address = server(|mut stream: TcpStream| {
        let mut reader = stream.try_clone().unwrap();
        let read = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&read);
        std::thread::spawn(move || {
            while let Ok(bytes @ 1..) = reader.read(&mut [0; 1 << 16]) {
                count.fetch_add(bytes, Relaxed);
            }
            // The client has left.
            count.store(usize::MAX, Relaxed);
        });
        let begin = [frame(4, 0, 0, &[]), frame(1, 4, 1, &[0x88])].concat();
        stream.write_all(&begin).ok();
        let more = [frame(6, 0, 0, &[0; 8]), frame(0, 0, 1, b"x")].concat().repeat(1000);
        for turn in 0..300 {
            // Of the replies, of 17 bytes each, those before the last turn were read.
            while read.load(Relaxed) / 17_000 + 1 < turn {
                std::thread::sleep(Duration::from_millis(1));
            }
            stream.write_all(&more).ok();
        }
        stream.write_all(&frame(0, 1, 1, b"end")).ok();
        stream.read_to_end(&mut Vec::new()).ok();
    });
    let target = Target::parse(&format!("h2c://{address}")).unwrap();
    let (done, _) = go(&closed(1, "get = '/'\ntimeout = '60s'"), &target, 1);
    assert_eq!(done.summary.errors, 0, "{:?}", done.summary.errors_by_kind);
}
