//! WebSocket: an input is a server's data after a valid handshake, and again in its place. The
//! result does not depend on how it is cut, and the buffers for a server that reads nothing are
//! bounded.

use thinktime_core::random::{Purpose, Stream};
use thinktime_net::protocol::websocket::{Client, Event, HandshakeRequest};
use thinktime_net::protocol::{Outbox, REPLY_BYTES_MAX};
use tungstenite::handshake::derive_accept_key;

use super::PIECES;
use crate::Target;

pub(super) const TARGET: Target = Target {
    name: "websocket",
    examples: None,
    words: &[
        "\u{1}\u{1}a",
        "\0\u{1}a",
        "\u{1}~\u{1}\0",
        "HTTP/1.1 101 X\r\n",
        "Upgrade: websocket\r\n",
        "Connection: Upgrade\r\n",
        "Sec-WebSocket-Accept: ",
        "\r\n\r\n",
    ],
    bytes_max: 200_000,
    tried: 20_000,
    read,
};

fn read(bytes: &[u8]) {
    for shaken in [true, false] {
        let whole = heard(bytes, bytes.len(), shaken);
        for size in PIECES {
            assert_eq!(heard(bytes, size, shaken), whole, "in pieces of {size}, {shaken}");
        }
    }
}

/// The events: messages by their lengths and sizes, the output, and the error of the connection.
type Heard = (Vec<(usize, u64)>, Vec<u8>, Option<&'static str>);

fn heard(bytes: &[u8], size: usize, shaken: bool) -> Heard {
    let mut out = Outbox::default();
    let random = Stream::new(1, 1, Purpose::WebSocket);
    let asked = HandshakeRequest { host: "a", target: "/", ..HandshakeRequest::default() };
    let mut client = Client::open(&asked, random, out.buffer());
    let request = String::from_utf8_lossy(out.unsent()).into_owned();
    out.discard();
    if shaken {
        let key = request.lines().find_map(|line| line.strip_prefix("Sec-WebSocket-Key: "));
        let accept = derive_accept_key(key.unwrap_or_default().as_bytes());
        let answer = format!(
            "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
             Sec-WebSocket-Accept: {accept}\r\n\r\n"
        );
        assert_eq!(client.read(answer.as_bytes(), &mut out, |_| {}), Ok(()));
        assert!(client.is_open());
    }
    let (mut messages, mut length) = (Vec::new(), 0);
    let mut broken = None;
    for piece in bytes.chunks(size.max(1)) {
        let result = client.read(piece, &mut out, |event| match event {
            Event::Begun => length = 0,
            Event::Part(part) => length += part.len(),
            Event::Complete { bytes } => messages.push((length, bytes)),
            Event::Opened | Event::Closed => {}
        });
        if let Err(error) = result {
            assert!(client.is_closed());
            broken = Some(error.kind());
            break;
        }
    }
    assert!(out.unsent().len() <= REPLY_BYTES_MAX + 1000, "{}", out.unsent().len());
    (messages, out.unsent().to_vec(), broken)
}
