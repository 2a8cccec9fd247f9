//! Tests of the client from its caller's view, against frames written by hand.

mod hostile;
mod messages;

use thinktime_core::random::{Purpose, Stream};

use super::frame::opcode;
use super::handshake::accept_of;
use super::*;
use crate::protocol::{Outbox, REPLY_BYTES_MAX};

/// The events, with the parts of each message joined.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Seen {
    Opened,
    Message(Vec<u8>, u64),
    Closed,
}

fn random() -> Stream {
    Stream::new(1, 0, Purpose::WebSocket)
}

/// A client whose handshake was written, and the expected answer.
fn shaking() -> (Client, Vec<u8>) {
    let (client, accept, _) = asking(&CHAT);
    (client, answer(&accept, ""))
}

const CHAT: HandshakeRequest<'_> =
    HandshakeRequest { host: "a:1", target: "/chat", fields: &[], subprotocols: &[] };

/// A client whose handshake was written, the key that it accepts, and the output.
fn asking(asked: &HandshakeRequest<'_>) -> (Client, String, String) {
    let mut out = Vec::new();
    let client = Client::open(asked, random(), &mut out);
    let text = String::from_utf8(out).unwrap();
    let key = text.lines().find_map(|line| line.strip_prefix("Sec-WebSocket-Key: ")).unwrap();
    (client, accept_of(key), text)
}

fn answer(accept: &str, further: &str) -> Vec<u8> {
    format!(
        "HTTP/1.1 101 Switching Protocols\r\nupgrade: WebSocket\r\nConnection: keep-alive, \
         Upgrade\r\nSec-WebSocket-Accept: {accept}\r\n{further}\r\n"
    )
    .into_bytes()
}

/// A client whose handshake has ended.
fn open() -> Client {
    let (mut client, answer) = shaking();
    let (seen, out, result) = feed(&mut client, &answer, usize::MAX);
    assert_eq!((seen, out, result), (vec![Seen::Opened], vec![], Ok(())));
    client
}

/// A frame as servers write it.
fn frame(first: u8, payload: &[u8]) -> Vec<u8> {
    let mut bytes = vec![first];
    match payload.len() {
        short @ 0..=125 => bytes.push(short as u8),
        middle @ 126..=0xffff => {
            bytes.push(126);
            bytes.extend_from_slice(&(middle as u16).to_be_bytes());
        }
        long => {
            bytes.push(127);
            bytes.extend_from_slice(&(long as u64).to_be_bytes());
        }
    }
    [&bytes[..], payload].concat()
}

fn text(payload: &[u8]) -> Vec<u8> {
    frame(0x80 | opcode::TEXT, payload)
}

/// Feeds pieces of this many bytes: the events, the output, and the result.
fn feed(
    client: &mut Client,
    bytes: &[u8],
    size: usize,
) -> (Vec<Seen>, Vec<u8>, Result<(), WebSocketError>) {
    let (mut seen, mut out, mut message) = (Vec::new(), Outbox::default(), None::<Vec<u8>>);
    for piece in bytes.chunks(size) {
        let result = client.read(piece, &mut out, |event| match event {
            Event::Opened => seen.push(Seen::Opened),
            Event::Begun => assert_eq!(message.replace(Vec::new()), None),
            Event::Part(part) => message.as_mut().unwrap().extend_from_slice(part),
            Event::Complete { bytes } => seen.push(Seen::Message(message.take().unwrap(), bytes)),
            Event::Closed => seen.push(Seen::Closed),
        });
        if let Err(error) = result {
            assert!(client.is_closed() && !client.is_open());
            assert_eq!(client.read(b"more", &mut out, |_| panic!()), Err(error));
            return (seen, out.unsent().to_vec(), Err(error));
        }
    }
    (seen, out.unsent().to_vec(), Ok(()))
}

/// The frames that a client wrote, unmasked.
fn written(mut out: &[u8]) -> Vec<(u8, Vec<u8>)> {
    let mut frames = Vec::new();
    while let [first, second, rest @ ..] = out {
        assert_eq!((first & 0x70, second & 0x80), (0, 0x80), "final, unmarked and masked");
        let (length, own) = match second & 0x7f {
            126 => (usize::from(u16::from_be_bytes([rest[0], rest[1]])), 2),
            127 => (u64::from_be_bytes(rest[..8].try_into().unwrap()) as usize, 8),
            short => (usize::from(short), 0),
        };
        let (mask, payload) = (&rest[own..own + 4], &rest[own + 4..own + 4 + length]);
        let payload = payload.iter().zip(mask.iter().cycle()).map(|(byte, key)| byte ^ key);
        frames.push((first & 0xf, payload.collect()));
        out = &rest[own + 4 + length..];
    }
    frames
}
