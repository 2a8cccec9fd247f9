//! HTTP/3: an input is the data of streams. Each part is behind the number of its stream, one byte
//! whose highest bit marks the end of the stream, and its length in two bytes. The result does not
//! depend on how the parts are cut; each request ends at most once.

use std::collections::VecDeque;

use thinktime_net::protocol::Capture;
use thinktime_net::protocol::http3::{Client, Event};

use super::PIECES;
use crate::Target;

pub(super) const TARGET: Target = Target {
    name: "http3",
    examples: None,
    words: &[
        "\0\0\u{3}\u{1}\u{1}\0",
        "\0\0\u{2}\0\0",
        "\u{3}\0\u{3}\0\u{4}\0",
        "\u{7}\u{1}\u{4}",
        "\u{4}\u{2}\u{6}\u{1}",
        "\u{7}\0\u{2}\u{2} ",
        "\u{b}\0\u{2}\u{3}D",
        "\u{21}\0",
        "_\u{4}\u{1}b",
        "#x-a\u{1}b",
    ],
    bytes_max: 100_000,
    tried: 20_000,
    read,
};

const REQUESTS: u64 = 3;

fn read(bytes: &[u8]) {
    let whole = heard(bytes, usize::MAX);
    for size in PIECES {
        assert_eq!(heard(bytes, size), whole, "in pieces of {size}");
    }
}

/// The events of the streams, and the error of the connection.
fn heard(mut bytes: &[u8], size: usize) -> (Vec<Event>, Option<&'static str>) {
    let mut client = Client::new(Capture::All);
    for number in 0..REQUESTS {
        client.begin(4 * number, number == 2, None);
    }
    let (mut events, mut broken) = (VecDeque::new(), None);
    let mut over = [false; 16];
    while let Some(([stream, high, low], rest)) = bytes.split_first_chunk::<3>() {
        let length = usize::from(u16::from_be_bytes([*high, *low])).min(rest.len());
        let (part, rest) = rest.split_at(length);
        bytes = rest;
        // The client's own streams have no events.
        let number = stream & 0xf;
        if over[usize::from(number)] || !matches!(number & 3, 0 | 3) {
            continue;
        }
        let ends = stream & 0x80 != 0;
        let pieces = part.chunks(size).map(|piece| (piece, false)).chain([(&[][..], ends)]);
        for (piece, ends) in pieces {
            match client.read(number.into(), piece, ends, &mut events) {
                Ok(stop) => over[usize::from(number)] |= ends || stop.is_some(),
                Err(error) => {
                    assert!(client.is_closing());
                    broken = Some(error.kind());
                }
            }
            if broken.is_some() || over[usize::from(number)] {
                break;
            }
        }
        if broken.is_some() {
            break;
        }
    }
    let ends = events.iter().filter(|event| !matches!(event, Event::Begun { .. })).count() as u64;
    assert!(ends <= REQUESTS && events.len() as u64 <= 2 * REQUESTS, "{events:?}");
    (events.into(), broken)
}
