//! HTTP/2: the frames of a server. The result does not depend on how they are cut; each stream ends
//! at most once, and the buffers for a server that reads nothing are bounded.

use std::collections::VecDeque;

use thinktime_net::protocol::http1::RequestHead;
use thinktime_net::protocol::http2::{Client, Event, STREAMS_MAX};
use thinktime_net::protocol::{Capture, Outbox, REPLY_BYTES_MAX};

use super::PIECES;
use crate::Target;

pub(super) const TARGET: Target = Target {
    name: "http2",
    examples: None,
    words: &[
        "\0\0\0\x04\0\0\0\0\0",
        "\0\0\x08\x06\0\0\0\0\0\0\0\0\0\0\0\0\0",
        "\0\0\x01\0\0\0\0\0\x01x",
        "\0\0\0\0\x01\0\0\0\x01",
        "\0\0\x04\x03\0\0\0\0\x01\0\0\0\x07",
        "\0\0\x04\x08\0\0\0\0\0\x7f\0\0\0",
        "\0\0\x08\x07\0\0\0\0\0\0\0\0\x01\0\0\0\0",
    ],
    bytes_max: 200_000,
    tried: 20_000,
    read,
};

const STREAMS: usize = 3;
/// The number of the last of them, on which messages of gRPC are counted.
const LAST_STREAM: u32 = 5;

fn read(bytes: &[u8]) {
    let whole = heard(bytes, bytes.len());
    for size in PIECES {
        assert_eq!(heard(bytes, size), whole, "in pieces of {size}");
    }
}

/// The events of the streams, the output, and the error of the connection.
pub(super) fn heard(bytes: &[u8], size: usize) -> (Vec<Event>, Vec<u8>, Option<&'static str>) {
    let get = RequestHead { method: "GET", host: "a", target: "/", headers: &[], body: &[] };
    let (mut out, mut events) = (Outbox::default(), VecDeque::new());
    let mut client = Client::open(STREAMS_MAX, Capture::All, out.buffer());
    for _ in 0..STREAMS {
        let begun = client.request(&get, "http", &mut out);
        if begun.stream == LAST_STREAM {
            client.await_messages(begun.stream, 2);
        }
    }
    out.discard();
    let mut broken = None;
    for piece in bytes.chunks(size.max(1)) {
        if let Err(error) = client.read(piece, &mut out, &mut events) {
            assert!(!client.has_room());
            broken = Some(error.kind());
            break;
        }
    }
    let ends = events.iter().filter(|event| !matches!(event, Event::Begun { .. })).count();
    assert!(ends <= STREAMS && events.len() <= 2 * STREAMS, "{events:?}");
    assert!(out.unsent().len() <= REPLY_BYTES_MAX + 1000, "{}", out.unsent().len());
    (events.into(), out.unsent().to_vec(), broken)
}
