//! WebSocket against an independent server, and against servers that break the rules.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::thread;
use std::time::Duration;

use crate::support::*;
use rustls::ALL_VERSIONS;
use thinktime_core::files::NoFiles;
use thinktime_core::schema::Source;
use thinktime_core::workload::Workload;
use thinktime_net::generator::{RunError, Target, run};
use tungstenite::{Message, WebSocket};

const ECHO: &str = "send = 'hello {zipf(n=1000, s=1)}'";

fn ws(address: SocketAddr, path: &str) -> Target {
    Target::parse(&format!("ws://{address}{path}")).unwrap()
}

fn parsed(text: &str) -> Workload {
    Workload::parse(Source { file: "", text }, &NoFiles).unwrap()
}

/// A server of the crate `tungstenite` that handles every connection by a function.
fn peer(
    answer: impl Fn(&mut WebSocket<TcpStream>, Message) + Send + Sync + 'static,
) -> (SocketAddr, Arc<AtomicUsize>) {
    let opened = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&opened);
    let address = server(move |stream| {
        stream.set_nodelay(true).unwrap();
        let Ok(mut socket) = tungstenite::accept(stream) else { return };
        count.fetch_add(1, Relaxed);
        while let Ok(message) = socket.read() {
            if message.is_text() || message.is_binary() {
                answer(&mut socket, message);
            }
        }
    });
    (address, opened)
}

fn echo(socket: &mut WebSocket<TcpStream>, message: Message) {
    socket.send(message).ok();
}

#[test]
fn messages_are_exchanged_over_kept_connections() {
    let (address, opened) = peer(echo);
    let (done, rows) = go(&closed(3, ECHO), &ws(address, "/chat?x=1"), 200);
    assert_eq!(done.summary.errors, 0, "{:?}", done.summary.errors_by_kind);
    assert_eq!(opened.load(Relaxed), 3);
    for row in &rows {
        assert!(row.sent <= row.first_byte && row.first_byte <= row.done, "{row:?}");
        // The client's frames have a mask of four bytes.
        assert_eq!((row.status, row.bytes_sent), (0, row.bytes_received + 4), "{row:?}");
        assert!(row.bytes_received > 8);
    }
}

#[test]
fn messages_of_every_size_and_kind_are_exchanged() {
    let (address, _) = peer(echo);
    for size in [0, 125, 126, 65_535, 65_536, 1 << 20] {
        let request = format!("send = '{}'", "x".repeat(size));
        let (done, _) = go(&closed(2, &request), &ws(address, ""), 6);
        assert_eq!(done.summary.errors, 0, "{size}: {:?}", done.summary.errors_by_kind);
    }
    let (address, _) = peer(|socket, message| {
        let right = message == Message::binary(vec![0, 255]);
        socket.send(Message::text(if right { "binary" } else { "text" })).ok();
    });
    let request = "send_hex = '00ff'\nexpect = 'pattern(^binary$)'";
    let (done, _) = go(&closed(1, request), &ws(address, "/"), 5);
    assert_eq!(done.summary.errors, 0, "{:?}", done.summary.errors_by_kind);
}

#[test]
fn a_pattern_passes_over_other_messages() {
    let (address, _) = peer(|socket, message| {
        for text in ["news: 1", "news: 2"] {
            socket.send(Message::text(text)).ok();
        }
        socket.send(Message::Ping(vec![7; 100].into())).ok();
        socket.send(message).ok();
        socket.send(Message::text("news: 3")).ok();
    });
    let request = "send = 'hello'\nexpect = 'pattern(hel+o)'";
    let (done, rows) = go(&closed(2, request), &ws(address, "/"), 40);
    assert_eq!(done.summary.errors, 0, "{:?}", done.summary.errors_by_kind);
    assert!(rows.iter().all(|row| row.bytes_received == 7));
}

#[test]
fn several_messages_are_one_exchange() {
    // Each answer gives the number of its message on its connection.
    let address = server(|stream| {
        stream.set_nodelay(true).unwrap();
        let Ok(mut socket) = tungstenite::accept(stream) else { return };
        let mut count = 0;
        while let Ok(message) = socket.read() {
            count += 1;
            for text in [format!("{count} {message}"), "noise".to_owned()] {
                socket.send(Message::text(text)).ok();
            }
        }
    });
    let request = "send = ['join {const(7)}', 'hello', 'bye']\nmessages = 3\n\
                   expect = 'pattern(^\\d+ (join 7|hello|bye)$)'\n\
                   [clients]\nconnections = 'per-request'";
    let (done, rows) = go(&closed(2, request), &ws(address, "/"), 30);
    assert_eq!(done.summary.errors, 0, "{:?}", done.summary.errors_by_kind);
    for row in &rows {
        // Frames of servers have two bytes before the text, those of clients six; noise is skipped.
        let sent: u64 = ["join 7", "hello", "bye"].map(|it| it.len() as u64 + 6).iter().sum();
        let answers = ["1 join 7", "2 hello", "3 bye"].map(|it| it.len() as u64 + 2);
        assert_eq!((row.bytes_sent, row.bytes_received), (sent, answers.iter().sum::<u64>()));
        assert!(row.sent <= row.first_byte && row.first_byte < row.done, "{row:?}");
    }
    let (done, _) =
        go(&closed(1, "send = 'x'\nmessages = 3\ntimeout = '200ms'"), &ws(peer(echo).0, "/"), 2);
    assert_eq!(done.summary.timeouts, 2, "two more messages never come");
}

#[test]
fn each_message_waits_for_the_answers_to_the_one_before() {
    // Answers a message by two, which say whether it was alone some time after its arrival, and
    // sends unrequested messages before and after them.
    let address = server(|stream| {
        stream.set_nodelay(true).unwrap();
        let early = stream.try_clone().unwrap();
        let Ok(mut socket) = tungstenite::accept(stream) else { return };
        let (mut count, mut seen) = (0, [0; 100]);
        while early.peek(&mut seen).is_ok_and(|bytes| bytes > 0) {
            thread::sleep(Duration::from_millis(2));
            // A short frame of a client: two bytes, of which one is the length, and a mask of four.
            let alone = early.peek(&mut seen).unwrap() == 6 + usize::from(seen[1] & 0x7f);
            let Ok(message) = socket.read() else { return };
            count += 1;
            let word = if alone { "after" } else { "beside" };
            socket.write(Message::text("noise")).ok();
            for answer in 1..=2 {
                socket.write(Message::text(format!("{count}.{answer} {word} {message}"))).ok();
            }
            socket.send(Message::text(format!("{}.1 after noise", count + 1))).ok();
        }
    });
    let each = "send = ['join {const(7)}', 'hello', 'bye']\nmessages = 2\nwait_for_each = true\n\
                expect = 'pattern(^\\d\\.\\d after )'\ntimeout = '20s'\n\
                [clients]\nconnections = 'per-request'";
    let (done, rows) = go(&closed(2, each), &ws(address, "/"), 20);
    assert_eq!(done.summary.errors, 0, "{:?}", done.summary.errors_by_kind);
    for row in &rows {
        let messages = ["join 7", "hello", "bye"];
        let sent: usize = messages.iter().map(|it| it.len() + 6).sum();
        let answers: usize =
            messages.iter().map(|it| 2 * ("1.1 after ".len() + it.len() + 2)).sum();
        assert_eq!((row.bytes_sent, row.bytes_received), (sent as u64, answers as u64));
        // Each of the three is answered after two milliseconds.
        assert!(row.done.since(row.first_byte).0 >= 4_000_000, "{row:?}");
    }
    let at_once = each.replace("wait_for_each = true", "").replace("= 2", "= 6");
    let at_once = at_once.replace("20s", "200ms");
    let (done, _) = go(&closed(1, &at_once), &ws(address, "/"), 2);
    assert_eq!(done.summary.timeouts, 2, "otherwise they are there at once");
}

#[test]
fn an_exchange_that_waits_for_each_ends_with_its_connection() {
    let (address, _) = peer(|socket, message| {
        if message.to_text().is_ok_and(|text| text == "b") {
            socket.close(None).ok();
        } else {
            socket.send(message).ok();
        }
    });
    let request = "send = ['a', 'b', 'c']\nwait_for_each = true\ntimeout = '20s'";
    let (done, _) = go(&closed(1, request), &ws(address, "/"), 3);
    assert_eq!(done.summary.errors_by_kind["websocket_closed"], 3);
    for request in ["send = 'a'", "send = ['a']", "send_hex = '00'", "get = '/'"] {
        let text = format!(
            "name = 'w'\n[arrivals]\nmodel = 'open'\nrate = 1\n[[request]]\nname = 'x'\n{request}\n\
             wait_for_each = true"
        );
        let said = Workload::parse(Source { file: "", text: &text }, &NoFiles).unwrap_err();
        assert!(said.to_string().contains("request[1].wait_for_each: goes with a list"), "{said}");
    }
}

#[test]
fn values_of_a_session_stand_in_each_of_several_messages() {
    let requests = "\n[session]\nthink = '0s'\n[[request]]\nname = 'ask'\nsend = 'room'\n\
                    take = { room = 'body' }\nnext = { say = 1 }\n[[request]]\nname = 'say'\n\
                    send = ['in {room}', '{const(3)} in {room}']\nmessages = 2\n\
                    next = { ask = 1 }\nexpect = 'pattern(^(3 )?in room$)'\ntimeout = '10s'";
    let arrivals = "[arrivals]\nmodel = 'closed'\nclients = 1\nstart = 'empty'";
    let text = format!("name = 'w'\n{arrivals}{requests}");
    let (done, rows) = go(&parsed(&text), &ws(peer(echo).0, "/"), 10);
    assert_eq!(done.summary.errors, 0, "{:?}", done.summary.errors_by_kind);
    let said = rows.iter().filter(|row| row.attempt.kind == 1);
    assert!(said.map(|row| row.bytes_received).eq([7 + 2 + 9 + 2; 5]));
}

/// A server that accepts a WebSocket's handshake only if it has all these lines, and chooses a
/// subprotocol.
fn choosing(wanted: &'static [&'static str], chosen: &'static str) -> SocketAddr {
    let shake = move |head: &[u8]| {
        let text = String::from_utf8_lossy(head);
        if !wanted.iter().all(|line| text.contains(&format!("\r\n{line}\r\n"))) {
            return b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n".to_vec();
        }
        let answer = String::from_utf8(upgrade(head)).unwrap();
        answer
            .replacen("\r\n", &format!("\r\nSec-WebSocket-Protocol: {chosen}\r\n"), 1)
            .into_bytes()
    };
    raw(shake, b"\x81\x02ok")
}

#[test]
fn the_handshake_brings_what_clients_say_of_themselves() {
    let token = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("websocket-token");
    std::fs::write(&token, "open sesame").unwrap();
    let clients = format!(
        "send = 'x'\n[clients]\nheaders = {{ Origin = 'http://shop.test' }}\nbearer = 'file:{}'\n\
         subprotocols = ['chat.v2', 'chat']",
        token.display()
    );
    let wanted = &[
        "Origin: http://shop.test",
        "Authorization: Bearer open sesame",
        "Sec-WebSocket-Protocol: chat.v2, chat",
        concat!("User-Agent: thinktime/", env!("CARGO_PKG_VERSION")),
    ];
    let (done, _) = go(&closed(2, &clients), &ws(choosing(wanted, "chat"), "/"), 20);
    assert_eq!(done.summary.errors, 0, "{:?}", done.summary.errors_by_kind);
    let (done, _) = go(&closed(2, "send = 'x'"), &ws(choosing(wanted, "chat"), "/"), 4);
    assert_eq!(done.summary.errors_by_kind["websocket_refused"], 4);
    let (done, _) = go(&closed(2, &clients), &ws(choosing(wanted, "other"), "/"), 4);
    assert_eq!(done.summary.errors_by_kind["websocket_subprotocol"], 4);
}

#[test]
fn websockets_go_over_tls() {
    let certificate = Certificate::new("127.0.0.1", "websocket");
    for protocols in [&[][..], &["http/1.1"]] {
        let configuration = certificate.configuration(ALL_VERSIONS, protocols);
        let address = tls_server(configuration, |stream| {
            let Ok(mut socket) = tungstenite::accept(stream) else { return };
            while let Ok(message) = socket.read() {
                socket.send(message).ok();
            }
        });
        let target = Target::parse(&format!("wss://{address}/x")).unwrap();
        let (done, _) = go(&closed(2, ECHO), &target.with_tls(certificate.trusted()), 50);
        assert_eq!(done.summary.errors, 0, "{:?}", done.summary.errors_by_kind);
    }
}

#[test]
fn a_connection_for_each_request_is_closed_in_order() {
    let closed_well = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&closed_well);
    let address = server(move |stream| {
        let Ok(mut socket) = tungstenite::accept(stream) else { return };
        loop {
            match socket.read() {
                Ok(Message::Close(_)) => _ = count.fetch_add(1, Relaxed),
                Ok(message) => socket.send(message).unwrap(),
                Err(_) => return,
            }
        }
    });
    let request = format!("{ECHO}\n[clients]\nconnections = 'per-request'");
    let (done, _) = go(&closed(2, &request), &ws(address, "/"), 20);
    assert_eq!(done.summary.errors, 0, "{:?}", done.summary.errors_by_kind);
    let mut looks = 0;
    while closed_well.load(Relaxed) < 20 {
        looks += 1;
        assert!(looks < 6000, "{}", closed_well.load(Relaxed));
        thread::sleep(Duration::from_millis(5));
    }
}

/// The answer to a handshake whose key has this one.
pub fn upgrade(head: &[u8]) -> Vec<u8> {
    let text = String::from_utf8_lossy(head);
    let key = text.lines().find_map(|line| line.strip_prefix("Sec-WebSocket-Key: ")).unwrap();
    let accept = tungstenite::handshake::derive_accept_key(key.as_bytes());
    format!(
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
         Sec-WebSocket-Accept: {accept}\r\n\r\n"
    )
    .into_bytes()
}

/// A server that answers the handshake by a function, and all later data with the same bytes.
fn raw(
    shake: impl Fn(&[u8]) -> Vec<u8> + Send + Sync + 'static,
    bytes: &'static [u8],
) -> SocketAddr {
    server(move |mut stream| {
        let Some(head) = read_head(&mut stream) else { return };
        stream.write_all(&shake(&head)).ok();
        let mut buffer = [0; 1000];
        while matches!(stream.read(&mut buffer), Ok(1..)) {
            if stream.write_all(bytes).is_err() {
                return;
            }
        }
    })
}

#[test]
fn what_a_server_does_wrong_is_counted_by_kind() {
    let wrong_key = |_: &[u8]| upgrade(b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\n");
    let cases = [
        ("websocket_refused", raw(|_| OK.to_vec(), b"")),
        ("websocket_handshake", raw(wrong_key, b"")),
        ("websocket_handshake", raw(|_| b"garbage\r\n\r\n".to_vec(), b"")),
        ("head_too_large", raw(|_| vec![b'x'; 100_000], b"")),
        ("websocket_protocol", raw(upgrade, b"\x81\x85mask!!!!!")),
        ("websocket_protocol", raw(upgrade, b"\x80\x01x")),
        ("websocket_text", raw(upgrade, b"\x81\x01\xff")),
        ("websocket_too_large", raw(upgrade, b"\x82\x7f\x00\xff\xff\xff\xff\xff\xff\xff")),
        ("websocket_closed", raw(upgrade, b"\x88\x02\x03\xe8")),
        ("closed", server(|mut stream| _ = read_head(&mut stream))),
        (
            "closed",
            server(|mut stream| {
                let Some(head) = read_head(&mut stream) else { return };
                stream.write_all(&upgrade(&head)).ok();
                stream.read_exact(&mut [0; 11]).ok();
                stream.write_all(b"\x81\x05he").ok();
            }),
        ),
        (
            "reset",
            server(|mut stream| {
                let Some(head) = read_head(&mut stream) else { return };
                // Closing with unread bytes makes the kernel send a reset.
                stream.write_all(&upgrade(&head)).ok();
                stream.read_exact(&mut [0; 2]).ok();
            }),
        ),
    ];
    for (kind, address) in cases {
        let (done, _) = go(&closed(2, "send = 'hello'"), &ws(address, "/"), 6);
        let counted = &done.summary.errors_by_kind;
        assert_eq!(counted.get(kind), Some(&6), "{kind}: {counted:?}");
    }
}

#[test]
fn floods_of_frames_that_bring_nothing_are_ended() {
    let flood: &'static [u8] = Box::leak(b"\x89\x00".repeat(3000).into_boxed_slice());
    let (done, _) = go(&closed(1, "send = 'x'"), &ws(raw(upgrade, flood), "/"), 3);
    assert_eq!(done.summary.errors_by_kind["websocket_flood"], 3);
}

#[test]
fn servers_that_answer_byte_by_byte_are_waited_for_and_silent_ones_are_not() {
    let slow = server(|mut stream| {
        let Some(head) = read_head(&mut stream) else { return };
        let mut bytes = upgrade(&head);
        // A message pushed before the request is not its answer.
        bytes.extend(b"\x81\x04news");
        while !bytes.is_empty() {
            for byte in std::mem::take(&mut bytes) {
                stream.write_all(&[byte]).ok();
                stream.flush().ok();
            }
            if stream.read_exact(&mut [0; 11]).is_ok() {
                bytes = b"\x01\x02he\x89\x00\x00\x00\x80\x03llo".to_vec();
                stream.set_read_timeout(None).unwrap();
            }
        }
    });
    let request = "send = 'hello'\nexpect = 'pattern(^hello$)'\ntimeout = '25s'";
    let (done, _) = go(&closed(1, request), &ws(slow, "/"), 1);
    assert_eq!(done.summary.errors, 0, "{:?}", done.summary.errors_by_kind);

    let half_open = server(|_stream| thread::sleep(Duration::from_secs(20)));
    let mute = raw(upgrade, b"");
    for address in [half_open, mute] {
        let request = "send = 'hello'\ntimeout = '50ms'";
        let (done, _) = go(&closed(2, request), &ws(address, "/"), 6);
        assert_eq!((done.summary.errors, done.summary.timeouts), (6, 6));
    }
}

#[test]
fn requests_that_do_not_fit_are_refused_before_the_run() {
    let (address, _) = peer(echo);
    let refusal = |request: &str, url: &str| {
        let target = Target::parse(&format!("{url}://{address}")).unwrap();
        match run(&even(request), &target, &plan(1), &mut (), &mut |_| true).unwrap_err() {
            RunError::Invalid(error) => error.to_string(),
            other => panic!("{other}"),
        }
    };
    for (request, url, expected) in [
        ("get = '/'", "ws", "takes messages: give the request `send`"),
        ("", "tcp", "takes messages: give the request `send`"),
        ("send = 'x'", "http", "`send` and `expect` go to targets of ws"),
        ("expect = 'message'", "https", "`send` and `expect` go to targets of ws"),
        ("send = 'x'\nexpect = 'length(1)'", "ws", "whole messages here"),
        ("send = 'x'", "tcp", "`expect` must say when"),
        ("send = 'x'\nexpect = 'message'", "tcp", "`expect` must say when"),
        ("send = 'x'", "udp", "give the request a `timeout`"),
        ("send = ''\ntimeout = '1s'", "udp", "an empty datagram"),
        ("send = 'x'\nexpect = 'delimiter(\"x\")'\ntimeout = '1s'", "udp", "whole messages"),
        ("send = ['x', 'y']\nexpect = 'length(1)'", "tcp", "a list to `send` go to targets of ws"),
        ("send = 'x'\nmessages = 2\ntimeout = '1s'", "udp", "`messages` and a list"),
        ("get = '/'\nmessages = 2", "http", "`messages` and a list"),
    ] {
        let said = refusal(request, url);
        assert!(said.contains(expected) && said.contains("`x`"), "{request} {url}: {said}");
    }
}

#[test]
fn what_opens_connections_is_checked_before_the_run() {
    let (address, _) = peer(echo);
    let refusal = |clients: &str, url: &str| {
        let target = Target::parse(&format!("{url}://{address}")).unwrap();
        let request = match url {
            "http" => "get = '/'",
            _ => "send = 'x'\nexpect = 'pattern(x)'",
        };
        let workload = even(&format!("{request}\n[clients]\n{clients}"));
        match run(&workload, &target, &plan(1), &mut (), &mut |_| true).unwrap_err() {
            RunError::Invalid(error) => error.to_string(),
            other => panic!("{other}"),
        }
    };
    let aws = "aws = { region = 'a', service = 'b', key = 'env:A', secret = 'env:B' }";
    for (clients, url, expected) in [
        ("subprotocols = ['a']", "http", "`subprotocols` go to targets of ws"),
        ("subprotocols = ['a']", "tcp", "`subprotocols` go to targets of ws"),
        ("headers = { Sec-WebSocket-Key = 'x' }", "ws", "see `subprotocols`"),
        ("headers = { X-User = '{const(7)}' }", "ws", "no values or draws can stand in `headers`"),
        (aws, "ws", "`oauth2` and `aws` go to HTTP servers only"),
    ] {
        let said = refusal(clients, url);
        assert!(said.contains(expected), "{clients} {url}: {said}");
    }
    let population = |name: &str, clients: &str| {
        format!(
            "[[population]]\nname = '{name}'\n[population.arrivals]\nmodel = 'open'\nrate = 1\n\
             [population.clients]\n{clients}\n[[population.request]]\nname = 'x'\nsend = 'x'\n"
        )
    };
    let text =
        format!("name = 'w'\n{}{}", population("a", "subprotocols = ['a']"), population("b", ""));
    let told =
        run(&parsed(&text), &ws(address, "/"), &plan(1), &mut (), &mut |_| true).unwrap_err();
    assert!(told.to_string().contains("populations share the connections"), "{told}");
}
