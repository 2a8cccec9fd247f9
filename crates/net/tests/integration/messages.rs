//! Bytes as they are, over TCP and UDP, against servers that behave and servers that do not.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, UdpSocket};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::thread;
use std::time::Duration;

use crate::support::*;
use thinktime_net::generator::Target;

fn to(scheme: &str, address: SocketAddr) -> Target {
    Target::parse(&format!("{scheme}://{address}")).unwrap()
}

/// A TCP server that answers each line with the same bytes; and the connections that it had.
fn lines(answer: &'static [u8], pieces: usize) -> (SocketAddr, Arc<AtomicUsize>) {
    let used = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&used);
    let address = server(move |mut stream| {
        stream.set_nodelay(true).unwrap();
        let mut lines = BufReader::new(stream.try_clone().unwrap());
        let (mut line, mut first) = (String::new(), true);
        while matches!(lines.read_line(&mut line), Ok(1..)) {
            count.fetch_add(usize::from(std::mem::take(&mut first)), Relaxed);
            for piece in answer.chunks(pieces) {
                if stream.write_all(piece).is_err() {
                    return;
                }
            }
            line.clear();
        }
    });
    (address, used)
}

/// A UDP server that answers each datagram with as many as a function makes of it.
fn datagrams(answer: impl Fn(usize, &[u8]) -> Vec<Vec<u8>> + Send + 'static) -> SocketAddr {
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    let address = socket.local_addr().unwrap();
    thread::spawn(move || {
        let (mut buffer, mut number) = ([0; 1 << 16], 0);
        while let Ok((count, from)) = socket.recv_from(&mut buffer) {
            number += 1;
            for datagram in answer(number, &buffer[..count]) {
                socket.send_to(&datagram, from).ok();
            }
        }
    });
    address
}

#[test]
fn answers_end_as_is_expected_of_them() {
    for (expect, answer) in [
        ("length(5)", &b"+PONG"[..]),
        (r#"delimiter("\r\n")"#, b"+PONG\r\n"),
        (r#"delimiter("\x00")"#, b"\r\nlong\0"),
        (r"pattern(^\+.*\r\n|^-ERR [a-z]+\n)", b"-ERR wrong\n"),
    ] {
        for pieces in [1, 1000] {
            let (address, used) = lines(answer, pieces);
            let request = format!("send = 'PING\\r\\n'\nexpect = '{expect}'");
            let (done, rows) = go(&closed(2, &request), &to("tcp", address), 50);
            assert_eq!(done.summary.errors, 0, "{expect}: {:?}", done.summary.errors_by_kind);
            assert_eq!(used.load(Relaxed), 2, "{expect}");
            for row in rows {
                assert_eq!((row.bytes_sent, row.status), (6, 0));
                assert_eq!(row.bytes_received, answer.len() as u64);
                assert!(row.sent <= row.first_byte && row.first_byte <= row.done);
            }
        }
    }
}

#[test]
fn long_answers_are_counted_and_skipped() {
    let address = server(|mut stream| {
        while stream.read_exact(&mut [0; 1]).is_ok() {
            stream.write_all(&vec![b'x'; 10 << 20]).ok();
            stream.write_all(b"end").ok();
        }
    });
    for expect in ["length(10485763)", "delimiter(\"end\")"] {
        let request = format!("send_hex = '00'\nexpect = '{expect}'");
        let (done, rows) = go(&closed(1, &request), &to("tcp", address), 3);
        assert_eq!(done.summary.errors, 0, "{expect}: {:?}", done.summary.errors_by_kind);
        assert!(rows.iter().all(|row| row.bytes_received == (10 << 20) + 3));
    }
}

#[test]
fn what_a_server_does_wrong_is_counted_by_kind() {
    let expect = r#"delimiter("\n")"#;
    let cases = [
        ("unexpected_bytes", lines(b"one\ntwo\n", 1000).0, expect),
        ("unexpected_bytes", lines(b"123456", 1000).0, "length(5)"),
        ("unmatched", lines(b"-ERR\n", 1000).0, "pattern(^OK)"),
        ("closed", server(|mut stream| _ = stream.read_exact(&mut [0; 5])), expect),
        (
            "closed",
            server(|mut stream| {
                stream.read_exact(&mut [0; 5]).ok();
                stream.write_all(b"half").ok();
            }),
            expect,
        ),
        // Closing with unread bytes makes the kernel send a reset.
        ("reset", server(|mut stream| _ = stream.read_exact(&mut [0; 1])), expect),
        ("timeout", lines(b"never", 1000).0, expect),
        ("timeout", server(|_stream| thread::sleep(Duration::from_secs(20))), expect),
    ];
    for (kind, address, expect) in cases {
        // The wait for an answer is as long as a busy machine may need.
        let timeout = if kind == "timeout" { "200ms" } else { "20s" };
        let request = format!("send = 'PING\\n'\nexpect = '{expect}'\ntimeout = '{timeout}'");
        let (done, _) = go(&closed(2, &request), &to("tcp", address), 6);
        let counted = &done.summary.errors_by_kind;
        assert_eq!(counted.get(kind), Some(&6), "{kind}: {counted:?}");
    }
}

#[test]
fn an_endless_answer_ends_with_the_timeout() {
    let address = server(|mut stream| while stream.write_all(&[b'x'; 4096]).is_ok() {});
    let request = "send = 'x'\nexpect = 'delimiter(\"end\")'\ntimeout = '50ms'";
    let (done, _) = go(&closed(2, request), &to("tcp", address), 4);
    assert_eq!((done.summary.errors, done.summary.timeouts), (4, 4));
}

#[test]
fn datagrams_are_exchanged() {
    let address = datagrams(|_, datagram| vec![datagram.to_vec()]);
    for (request, bytes) in [
        ("send = 'hello'", 5),
        ("send_hex = '00 ff'", 2),
        ("send = 'number {const(7)}'\nexpect = 'pattern(^number 7$)'", 8),
    ] {
        let (done, rows) =
            go(&closed(3, &format!("{request}\ntimeout = '20s'")), &to("udp", address), 60);
        assert_eq!(done.summary.errors, 0, "{request}: {:?}", done.summary.errors_by_kind);
        for row in rows {
            assert_eq!((row.bytes_sent, row.bytes_received), (bytes, bytes));
            assert!(row.sent <= row.first_byte && row.first_byte <= row.done);
        }
    }
}

#[test]
fn other_datagrams_are_passed_over_and_lost_ones_given_up() {
    let address = datagrams(|_, datagram| {
        vec![b"news".to_vec(), Vec::new(), datagram.to_vec(), b"late".to_vec()]
    });
    let request = "send = 'hello'\nexpect = 'pattern(hello)'\ntimeout = '20s'";
    let (done, rows) = go(&closed(2, request), &to("udp", address), 20);
    assert_eq!(done.summary.errors, 0, "{:?}", done.summary.errors_by_kind);
    assert!(rows.iter().all(|row| row.bytes_received == 5));

    let lossy = datagrams(|number, datagram| match number % 2 {
        0 => vec![datagram.to_vec()],
        _ => Vec::new(),
    });
    let request = "send = 'hello'\ntimeout = '100ms'\nretry = { attempts = 30 }";
    let (done, _) = go(&closed(1, request), &to("udp", lossy), 5);
    // An answer that comes too late is also lost, and may answer the next attempt.
    assert_eq!(done.summary.errors, 0);
    assert!(done.summary.retries >= 4, "{}", done.summary.retries);
}

#[test]
fn datagrams_that_cannot_go_are_counted() {
    // The kernel refuses what comes from anybody but the peer, which is the socket itself. A port
    // that nobody holds could be another test's a moment later.
    let nobody = UdpSocket::bind("127.0.0.1:0").unwrap();
    let address = nobody.local_addr().unwrap();
    nobody.connect(address).unwrap();
    let (done, _) = go(&closed(1, "send = 'x'\ntimeout = '20s'"), &to("udp", address), 5);
    assert_eq!(done.summary.errors_by_kind.get("refused"), Some(&5));

    let address = datagrams(|_, _| Vec::new());
    let request = format!("send = '{}'\ntimeout = '20s'", "x".repeat(70_000));
    let (done, _) = go(&closed(1, &request), &to("udp", address), 3);
    assert_eq!(done.summary.errors_by_kind.get("datagram_too_large"), Some(&3));
}
