//! Valid responses, whole and in pieces.

use proptest::prelude::*;
use thinktime_core::time::Nanos;

use super::*;
use crate::protocol::{Capture, Excerpt};

/// The expected reading of a response without the server's own time.
fn answer(status: u16, keep_alive: bool, bytes: usize) -> Response {
    Response { status, keep_alive, bytes: bytes as u64, server_time: Nanos::MAX }
}

/// A valid response and its expected reading.
#[derive(Debug, Clone)]
struct Sample {
    bytes: Vec<u8>,
    head_only: bool,
    expected: Response,
    /// Whether the body has no end but the connection's.
    until_close: bool,
    /// The final head and the body, in their kept form.
    excerpt: Excerpt,
}

#[derive(Debug, Clone)]
enum BodyKind {
    Length,
    Chunked { chunk_bytes: usize, extension: &'static str, trailers: &'static str },
    UntilClose,
}

fn body_kind() -> impl Strategy<Value = BodyKind> {
    let chunked = (
        1..40_usize,
        prop::sample::select(vec!["", ";a", " ;name=\"value\""]),
        prop::sample::select(vec!["", "Checksum: 1\r\n", "A: 1\r\nB:\r\n"]),
    )
        .prop_map(|(chunk_bytes, extension, trailers)| BodyKind::Chunked {
            chunk_bytes,
            extension,
            trailers,
        });
    prop_oneof![Just(BodyKind::Length), chunked, Just(BodyKind::UntilClose)]
}

fn encode(body: &[u8], kind: &BodyKind) -> (String, Vec<u8>) {
    match kind {
        BodyKind::Length => (format!("content-length:{}\r\n", body.len()), body.to_vec()),
        BodyKind::UntilClose => (String::new(), body.to_vec()),
        BodyKind::Chunked { chunk_bytes, extension, trailers } => {
            let mut encoded = Vec::new();
            for chunk in body.chunks(*chunk_bytes) {
                encoded.extend(format!("{:x}{extension}\r\n", chunk.len()).into_bytes());
                encoded.extend([chunk, b"\r\n"].concat());
            }
            encoded.extend(format!("0{extension}\r\n{trailers}\r\n").into_bytes());
            ("Transfer-Encoding: gzip, chunked\r\n".to_owned(), encoded)
        }
    }
}

fn sample() -> impl Strategy<Value = Sample> {
    let opening = prop::sample::select(vec![
        "",
        "\r\n",
        "HTTP/1.1 100 Continue\r\n\r\n",
        "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 100\r\n\r\n",
    ]);
    let status = prop::sample::select(vec![200_u16, 204, 304, 404, 503, 999]);
    let connection = prop::sample::select(vec!["", "Connection: close\r\n"]);
    let body = prop::collection::vec(any::<u8>(), 0..120);
    (opening, status, connection, body, body_kind(), any::<bool>()).prop_map(
        |(opening, status, connection, body, kind, head_only)| {
            let (field, encoded) = encode(&body, &kind);
            let head = format!("HTTP/1.1 {status} Some Words\r\n{connection}{field}\r\n");
            let has_body = !head_only && status != 204 && status != 304;
            let encoded = if has_body { encoded } else { Vec::new() };
            let until_close = has_body && matches!(kind, BodyKind::UntilClose);
            let body = if has_body { body } else { Vec::new() };
            let excerpt = Excerpt { head: head.clone().into_bytes(), body, ..Excerpt::default() };
            let bytes = [opening.as_bytes(), head.as_bytes(), &encoded].concat();
            let keep_alive = connection.is_empty() && !until_close;
            let expected = answer(status, keep_alive, bytes.len());
            Sample { bytes, head_only, expected, until_close, excerpt }
        },
    )
}

proptest! {
    #[test]
    fn a_response_reads_the_same_however_it_is_cut(sample in sample()) {
        let Sample { bytes, head_only, expected, .. } = sample;
        let expected = Ok((expected, bytes.len()));
        prop_assert_eq!(read_response(&[&bytes], head_only), expected);
        prop_assert_eq!(read_response(&pieces(&bytes, 1), head_only), expected);
        for cut in 0..=bytes.len() {
            let (first, second) = bytes.split_at(cut);
            prop_assert_eq!(read_response(&[first, second], head_only), expected);
        }
    }

    #[test]
    fn heads_and_bodies_are_kept_where_wanted(sample in sample(), size in 1..200_usize) {
        let Sample { bytes, head_only, excerpt, .. } = sample;
        let mut reader = ResponseReader::capturing(Capture::All);
        for _ in 0..2 {
            reader.expect(head_only);
            let mut complete = false;
            for piece in pieces(&bytes, size) {
                complete |= matches!(reader.read(piece), Ok(ResponseProgress::Complete { .. }));
            }
            prop_assert!(complete || reader.end_of_stream().is_ok());
            prop_assert_eq!(reader.take_excerpt(), Some(Box::new(excerpt.clone())));
        }
    }

    #[test]
    fn bytes_after_a_complete_response_are_left(sample in sample(), after in "[ -~\r\n]{0,20}") {
        let Sample { bytes, head_only, mut expected, until_close, .. } = sample;
        let longer = [&bytes, after.as_bytes()].concat();
        let used = if until_close { longer.len() } else { bytes.len() };
        expected.bytes = used as u64;
        prop_assert_eq!(read_response(&[&longer], head_only), Ok((expected, used)));
    }

    #[test]
    fn written_responses_are_read_back(
        status in 200..600_u16,
        value in "[!-~]{1,30}",
        body_length in 0..5000_usize,
        keep_alive: bool,
        head_only: bool,
    ) {
        let headers = [("Content-Type", "text/plain"), ("X-Value", value.as_str())];
        let mut out = Vec::new();
        if head_only {
            write_response_head(&mut out, status, &headers, body_length, keep_alive);
        } else {
            write_response(&mut out, status, &headers, body_length, keep_alive);
        }
        let response = answer(status, keep_alive, out.len());
        prop_assert_eq!(read_response(&[&out], head_only), Ok((response, out.len())));
    }
}

#[test]
fn one_reader_reads_response_after_response() {
    let mut out = Vec::new();
    write_response(&mut out, 200, &[], 10, true);
    let first = out.len();
    write_response(&mut out, 503, &[("Retry-After", "1")], 0, false);
    let mut reader = ResponseReader::new();
    reader.expect(false);
    let response = answer(200, true, first);
    assert_eq!(reader.read(&out), Ok(ResponseProgress::Complete { response, used: first }));
    reader.expect(false);
    let used = out.len() - first;
    let response = answer(503, false, used);
    assert_eq!(reader.read(&out[first..]), Ok(ResponseProgress::Complete { response, used }));
}

#[test]
fn expecting_a_response_forgets_the_unfinished_one() {
    let mut reader = ResponseReader::new();
    for unfinished in ["HTTP/1.1 20", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nabc"] {
        reader.expect(false);
        assert_eq!(reader.read(unfinished.as_bytes()), Ok(ResponseProgress::NeedMore));
        assert!(reader.started());
        reader.expect(false);
        assert!(!reader.started());
        let bytes = b"HTTP/1.1 204 No Content\r\n\r\n";
        let response = answer(204, true, 27);
        assert_eq!(reader.read(bytes), Ok(ResponseProgress::Complete { response, used: 27 }));
    }
}

#[test]
fn old_servers_close_unless_they_say_otherwise() {
    let cases = [
        ("HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n", false),
        ("HTTP/1.0 200 OK\r\nContent-Length: 0\r\nConnection: keep-alive\r\n\r\n", true),
        ("HTTP/1.0 200 OK\r\nConnection: keep-alive\r\n\r\nuntil the end", false),
        ("HTTP/1.1 200\nContent-Length: 0\n\n", true),
    ];
    for (text, keep_alive) in cases {
        let response = answer(200, keep_alive, text.len());
        assert_eq!(read_response(&[text.as_bytes()], false), Ok((response, text.len())), "{text}");
    }
}

/// However it is cut, and with the next line's blanks in another piece.
#[test]
fn folded_fields_are_read_as_one_line() {
    let text = "HTTP/1.1 200 OK\r\nX-A: b\r\n  c\r\n\td\r\nContent-Length:\r\n 3\r\n\
                Connection: keep-alive,\r\n close\r\nServer-Timing: a;\r\n dur=2\r\n\r\n y\n";
    for size in [1, 2, 7, text.len()] {
        let mut reader = ResponseReader::capturing(Capture::All);
        reader.expect(false);
        let mut read = ResponseProgress::NeedMore;
        for piece in pieces(text.as_bytes(), size) {
            read = reader.read(piece).unwrap();
        }
        let ResponseProgress::Complete { response, .. } = read else { panic!("{size}: {read:?}") };
        let Response { keep_alive, bytes, server_time, .. } = response;
        assert_eq!((keep_alive, bytes), (false, text.len() as u64));
        assert_eq!(server_time, Nanos(2_000_000));
        let excerpt = reader.take_excerpt().unwrap();
        let values: Vec<_> = excerpt.fields("x-a").map(<[u8]>::to_vec).collect();
        assert_eq!((values, &excerpt.body[..]), (vec![b"b    c  \td".to_vec()], &b" y\n"[..]));
    }
}

#[test]
fn statuses_without_body_are_written_without_length() {
    for status in [204, 304] {
        let mut out = Vec::new();
        write_response(&mut out, status, &[], 100, true);
        let response = answer(status, true, out.len());
        assert_eq!(read_response(&[&out], false), Ok((response, out.len())));
        assert!(!String::from_utf8_lossy(&out).contains("Content-Length"));
    }
}

#[test]
fn the_servers_own_time_is_read_from_all_fields_that_tell_it() {
    let head = "HTTP/1.1 200 OK\r\nServer-Timing: db;dur=1.5, x;desc=\"a,b;dur=9\"\r\n\
                Content-Length: 0\r\nSERVER-TIMING: app;dur=2\r\n\r\n";
    let interim = "HTTP/1.1 103 Early Hints\r\nServer-Timing: early;dur=7\r\n\r\n";
    for text in [head.to_owned(), format!("{interim}{head}")] {
        let mut reader = ResponseReader::new();
        reader.expect(false);
        let Ok(ResponseProgress::Complete { response, .. }) = reader.read(text.as_bytes()) else {
            panic!("no response: {text}");
        };
        assert_eq!(response.server_time, Nanos(3_500_000));
    }
}
