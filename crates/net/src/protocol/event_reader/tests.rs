//! Tests of the reader of events.

use proptest::collection::vec;
use proptest::prelude::*;

use super::*;

/// The number of events of a body that comes in these pieces, and whether one reported an error.
fn read<'a>(format: StreamFormat, pieces: impl IntoIterator<Item = &'a [u8]>) -> (u32, bool) {
    let mut reader = EventReader::new(format);
    let mut events = 0;
    for piece in pieces {
        reader.read(piece);
        events += reader.take_news().map_or(0, |news| news.events);
    }
    reader.end();
    events += reader.take_news().map_or(0, |news| news.events);
    (events, reader.has_failed())
}

/// The examples of the HTML standard, section 9.2.6, and what servers of language models send.
#[test]
fn events_are_those_of_the_standard() {
    let cases: [(&str, u32); 17] = [
        ("data: YHOO\ndata: +2\ndata: 10\n\n", 1),
        (": test\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third\n\n", 3),
        ("data\n\ndata\ndata\n\ndata:", 2),
        ("data:test\n\ndata: test\n\n", 2),
        ("data: a\r\rdata: b\r\r", 2),
        ("data: a\r\n\r\ndata: b\r\n\r\n", 2),
        ("data: a\n\r\ndata: b\r\n\n", 2),
        ("\u{feff}data: a\n\n", 1),
        ("data: a\n\n\u{feff}data: b\n\n", 1),
        ("event: ping\n\n", 0),
        (": only a comment\n\n: another\n\n", 0),
        ("data: no end\n", 0),
        ("data: a\n\ndata: [DONE]\n\n", 1),
        ("data: [DONE]\ndata: b\n\n", 1),
        ("data: [DONE] \n\ndata: [DONE]\n\ndata: after the end\n\n", 1),
        ("dat: a\n\ndatax: b\n\n", 0),
        ("data: \u{1f600}\u{1f600}\n\ndata:\u{e9}\n\n", 2),
    ];
    for (body, events) in cases {
        for size in 1..=body.len() {
            let found = read(StreamFormat::Sse, body.as_bytes().chunks(size));
            assert_eq!(found, (events, false), "{body:?} in pieces of {size}");
        }
    }
}

#[test]
fn lines_are_events_unless_they_are_blank() {
    let cases = [("a\nb\n", 2), ("a\r\n\r\nb", 2), ("\n \n\n", 0), ("a\rb\n", 1), ("", 0)];
    for (body, events) in cases {
        for size in 1..=body.len().max(1) {
            let found = read(StreamFormat::Lines, body.as_bytes().chunks(size));
            assert_eq!(found.0, events, "{body:?} in pieces of {size}");
        }
    }
    let long = [&[b'x'; 100][..], b"\n", &[b' '; 100], b"\n"].concat();
    assert_eq!(read(StreamFormat::Lines, [&long[..]]).0, 2, "a long line counts");
}

#[test]
fn bytes_that_arrive_together_are_one_chunk() {
    assert_eq!(read(StreamFormat::Chunks, [&b"a"[..], b"bc", b""]), (2, false));
    let mut reader = EventReader::new(StreamFormat::Chunks);
    reader.read(b"a");
    reader.read(b"b");
    assert_eq!(reader.take_news().map(|news| news.events), Some(1));
    assert_eq!(reader.take_news(), None);
}

#[test]
fn an_event_can_report_an_error() {
    use StreamFormat::{Lines, Sse};
    let cases = [
        (Sse, "event: error\ndata: {}\n\n", true),
        (Sse, "data: {\"error\": {\"message\": \"overloaded\"}}\n\n", true),
        (Sse, "data: { \"error\" : \"x\"}\n\n", true),
        (Sse, "data: {\"error\": null, \"text\": \"a\"}\n\n", false),
        (Sse, "event: errors\ndata: a\n\n", false),
        (Sse, "data: {\"errors\": 1}\n\n", false),
        (Sse, "data: {\"text\": \"{\\\"error\\\": 1}\"}\n\n", false),
        (Lines, "{\"a\": 1}\n{\"error\": \"no memory\"}\n", true),
        (Lines, "{\"a\": 1}\nerror\n", false),
    ];
    for (format, body, failed) in cases {
        let [whole, bytes] = [body.len(), 1].map(|size| body.as_bytes().chunks(size));
        assert_eq!(read(format, whole).1, failed, "{body}");
        assert_eq!(read(format, bytes).1, failed, "{body}");
    }
}

#[test]
fn an_endless_event_is_bounded() {
    for (format, begin) in [(StreamFormat::Sse, "data: a\n\ndata: "), (StreamFormat::Lines, "a\n")]
    {
        let mut reader = EventReader::new(format);
        reader.read(begin.as_bytes());
        assert_eq!(reader.take_news(), Some(StreamNews { events: 1, too_large: false }));
        for _ in 0..EVENT_BYTES_MAX / 1024 + 1 {
            reader.read(&[b'x'; 1024]);
        }
        reader.read(b"\n\ndata: b\n\n");
        reader.end();
        assert_eq!(reader.take_news(), Some(StreamNews { events: 0, too_large: true }));
    }
    assert!(size_of::<EventReader>() <= 128, "each stream under way has one");
}

/// A body of event streams, with all line ends, and text that is cut within characters.
fn body() -> impl Strategy<Value = Vec<u8>> {
    let word = prop::sample::select(vec![
        "data: ",
        "data",
        ":",
        "event: ",
        "error",
        "[DONE]",
        "{\"error\":",
        "\n",
        "\r",
        "\r\n",
        "\n\n",
        "\u{feff}",
        "\u{1f600}",
        "a",
        " ",
        "id: 7",
    ]);
    vec(word, 0..40).prop_map(|words| words.concat().into_bytes())
}

proptest! {
    #[test]
    fn any_cut_of_the_bytes_gives_the_same_events(
        body in body(),
        cuts in vec(any::<prop::sample::Index>(), 0..8),
    ) {
        let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(body.len() + 1)).collect();
        cuts.extend([0, body.len()]);
        cuts.sort_unstable();
        for format in [StreamFormat::Sse, StreamFormat::Lines] {
            let pieces = cuts.windows(2).map(|ends| &body[ends[0]..ends[1]]);
            prop_assert_eq!(read(format, pieces), read(format, [&body[..]]));
        }
    }
}
