//! Streams of events: an input is the body of a response. It has the same events in pieces of any
//! size, and no more of them than bytes.

use thinktime_core::file::StreamFormat;
use thinktime_net::protocol::EventReader;

use super::PIECES;
use crate::Target;

pub(super) const TARGET: Target = Target {
    name: "events",
    examples: None,
    words: &[
        "data: ",
        "data",
        ":",
        "event: error",
        "[DONE]",
        "{\"error\":",
        "\n",
        "\r",
        "\r\n",
        "\n\n",
        "\u{feff}",
        "\u{1f600}",
    ],
    bytes_max: 20_000,
    tried: 5_000,
    read,
};

/// The number of events, and whether one of them reported an error.
fn events(format: StreamFormat, bytes: &[u8], size: usize) -> (u32, bool) {
    let mut reader = EventReader::new(format);
    bytes.chunks(size).for_each(|piece| reader.read(piece));
    reader.end();
    // No news means no event.
    let news = reader.take_news().unwrap_or_default();
    assert!(!news.too_large, "{} bytes are no large event", bytes.len());
    (news.events, reader.has_failed())
}

fn read(bytes: &[u8]) {
    for format in [StreamFormat::Sse, StreamFormat::Lines] {
        let whole = events(format, bytes, bytes.len().max(1));
        assert!(whole.0 as usize <= bytes.len(), "{whole:?} of {} bytes", bytes.len());
        for size in PIECES {
            assert_eq!(events(format, bytes, size), whole, "{format:?} in pieces of {size}");
        }
    }
}
