//! A network that cuts, delays, drops, repeats and damages its data, seeded and simulated: the
//! protocols' clients run through it two million times without a socket.
//!
//! The property: undamaged data is read as sent, however it was cut. With damaged data, the client
//! reports an error or takes it for a response, but never panics, never reads past its bytes, and
//! never continues after an error.

use std::collections::VecDeque;

use thinktime_core::random::{Purpose, Stream};
use thinktime_net::protocol::http1::{
    RequestHead, ResponseProgress, ResponseReader, write_response,
};
use thinktime_net::protocol::http2::{Client, Event, STREAMS_MAX};
use thinktime_net::protocol::{Capture, Outbox};

const CASES: u64 = 1_000_000;
const GET: RequestHead<'static> =
    RequestHead { method: "GET", host: "a", target: "/", headers: &[], body: &[] };

/// Draws of one case.
struct Dice(Stream);

impl Dice {
    fn new(case: u64) -> Dice {
        Dice(Stream::new(20_261_121, case, Purpose::Target))
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.0.uniform() * bound as f64) as usize
    }

    fn happens(&mut self, share: f64) -> bool {
        self.0.uniform() < share
    }
}

/// The delivered data: pieces, and whether any was damaged.
struct Delivery {
    pieces: Vec<Vec<u8>>,
    harmed: bool,
}

/// Carries bytes: half of all connections undamaged, but cut anywhere.
fn carry(mut bytes: Vec<u8>, dice: &mut Dice) -> Delivery {
    let harmed = dice.happens(0.5);
    if harmed {
        for _ in 0..=dice.below(3) {
            harm(&mut bytes, dice);
        }
    }
    let mut pieces = Vec::new();
    let mut rest = &bytes[..];
    let longest = [1, 2, 20, 200, usize::MAX][dice.below(5)];
    while !rest.is_empty() {
        let (piece, after) = rest.split_at(1 + dice.below(rest.len().min(longest)));
        pieces.push(piece.to_vec());
        rest = after;
    }
    Delivery { pieces, harmed }
}

/// One fault: an end, a gap, a repetition, a wrong byte, bytes from nowhere, or another order.
fn harm(bytes: &mut Vec<u8>, dice: &mut Dice) {
    if bytes.is_empty() {
        return;
    }
    let (a, b) = (dice.below(bytes.len()), dice.below(bytes.len()));
    let (low, high) = (a.min(b), a.max(b) + 1);
    match dice.below(6) {
        0 => bytes.truncate(a),
        1 => drop(bytes.drain(low..high)),
        2 => {
            let again = bytes[low..high].to_vec();
            bytes.splice(low..low, again);
        }
        3 => bytes[a] = dice.below(256) as u8,
        4 => bytes.insert(a, dice.below(256) as u8),
        _ => bytes.swap(a, b),
    }
}

/// A response of HTTP/1.1, by length, in chunks, or until the close.
fn response(out: &mut Vec<u8>, dice: &mut Dice) -> u16 {
    let status = [200, 204, 304, 404, 503][dice.below(5)];
    let length = dice.below(60);
    if dice.happens(0.5) || matches!(status, 204 | 304) {
        write_response(out, status, &[("Server", "x")], length, true);
        return status;
    }
    let head = format!("HTTP/1.1 {status} Some\r\nTransfer-Encoding: chunked\r\n\r\n");
    out.extend_from_slice(head.as_bytes());
    for _ in 0..dice.below(4) {
        let length = 1 + dice.below(20);
        out.extend_from_slice(format!("{length:x}\r\n").as_bytes());
        out.resize(out.len() + length, b'y');
        out.extend_from_slice(b"\r\n");
    }
    out.extend_from_slice(b"0\r\n\r\n");
    status
}

#[test]
fn http1_survives_the_network() {
    let mut whole = 0_u64;
    for case in 0..CASES {
        let dice = &mut Dice::new(case);
        let mut bytes = Vec::new();
        let sent: Vec<u16> = (0..=dice.below(3)).map(|_| response(&mut bytes, dice)).collect();
        let delivery = carry(bytes, dice);
        let read = read_http1(&delivery, dice.happens(0.3));
        if !delivery.harmed {
            assert_eq!(read, sent, "case {case}");
            whole += 1;
        }
    }
    assert!(whole > CASES / 3, "the network harmed nearly everything");
}

fn keeping(all: bool) -> Capture {
    if all { Capture::All } else { Capture::Nothing }
}

/// The statuses of the responses that a client reads before an error or the end.
fn read_http1(delivery: &Delivery, keep: bool) -> Vec<u16> {
    let mut reader = ResponseReader::capturing(keeping(keep));
    let mut read = Vec::new();
    reader.expect(false);
    for piece in &delivery.pieces {
        let mut rest = &piece[..];
        while !rest.is_empty() {
            match reader.read(rest) {
                Ok(ResponseProgress::NeedMore) => break,
                Ok(ResponseProgress::Complete { response, used }) => {
                    assert!(used <= rest.len() && used > 0);
                    let kept = reader.take_excerpt();
                    assert_eq!(kept.is_some(), keep);
                    let size = kept.map_or(0, |kept| kept.head.len() + kept.body.len());
                    assert!(size as u64 <= response.bytes);
                    read.push(response.status);
                    rest = &rest[used..];
                    reader.expect(false);
                }
                Err(error) => {
                    assert!(!error.kind().is_empty());
                    return read;
                }
            }
        }
    }
    if let Ok(last) = reader.end_of_stream() {
        read.push(last.status);
    }
    read
}

/// A frame of HTTP/2.
fn frame(out: &mut Vec<u8>, kind: u8, flags: u8, stream: u32, payload: &[u8]) {
    out.extend_from_slice(&(payload.len() as u32).to_be_bytes()[1..]);
    out.extend_from_slice(&[kind, flags]);
    out.extend_from_slice(&stream.to_be_bytes());
    out.extend_from_slice(payload);
}

/// The server's end of a connection with this many requests, which it answers in any order.
fn http2_bytes(requests: usize, dice: &mut Dice) -> Vec<u8> {
    const STATUS_200: &[u8] = &[0x88];
    const END_STREAM: u8 = 1;
    const END_HEADERS: u8 = 4;
    let mut out = Vec::new();
    frame(&mut out, 4, 0, 0, &[]);
    let mut open: Vec<u32> = (0..requests).map(|n| 2 * n as u32 + 1).collect();
    while !open.is_empty() {
        let stream = open.swap_remove(dice.below(open.len()));
        frame(&mut out, 1, END_HEADERS, stream, STATUS_200);
        for _ in 0..dice.below(3) {
            frame(&mut out, 0, 0, stream, &vec![b'z'; 1 + dice.below(30)]);
        }
        if dice.happens(0.2) {
            frame(&mut out, 6, 0, 0, b"01234567");
        }
        frame(&mut out, 0, END_STREAM, stream, b"end");
    }
    out
}

#[test]
fn http2_survives_the_network() {
    let (mut whole, mut out) = (0_u64, Outbox::default());
    for case in 0..CASES {
        let dice = &mut Dice::new(CASES + case);
        out.discard();
        let requests = 1 + dice.below(4);
        let mut client = Client::open(STREAMS_MAX, keeping(dice.happens(0.3)), out.buffer());
        for _ in 0..requests {
            client.request(&GET, "http", &mut out);
        }
        out.discard();
        let delivery = carry(http2_bytes(requests, dice), dice);
        let (complete, ended) = read_http2(&mut client, &delivery, &mut out);
        assert!(ended <= requests, "case {case}: a stream ended twice");
        if !delivery.harmed {
            assert_eq!(complete, requests, "case {case}");
            whole += 1;
        }
    }
    assert!(whole > CASES / 3, "the network harmed nearly everything");
}

/// The number of completed streams, and of streams that ended in any way.
fn read_http2(client: &mut Client, delivery: &Delivery, out: &mut Outbox) -> (usize, usize) {
    let mut events = VecDeque::new();
    for piece in &delivery.pieces {
        if let Err(error) = client.read(piece, out, &mut events) {
            assert!(!client.has_room());
            assert_eq!(client.read(b"more", out, &mut events), Err(error));
            break;
        }
    }
    let complete = |event: &&Event| matches!(event, Event::Complete { status: 200, .. });
    let ended = |event: &&Event| !matches!(event, Event::Begun { .. });
    (events.iter().filter(complete).count(), events.iter().filter(ended).count())
}
