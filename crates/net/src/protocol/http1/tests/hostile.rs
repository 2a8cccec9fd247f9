//! Peers that break the protocol, by mistake or on purpose.

use proptest::prelude::*;

use super::*;

/// The kind of error that a response causes, whole and byte by byte.
fn response_kinds(bytes: &[u8]) -> [&'static str; 2] {
    [pieces(bytes, bytes.len().max(1)), pieces(bytes, 1)]
        .map(|pieces| read_response(&pieces, false).map_or_else(ProtocolError::kind, |_| "none"))
}

/// The same for a request.
fn request_kinds(bytes: &[u8]) -> [&'static str; 2] {
    [pieces(bytes, bytes.len().max(1)), pieces(bytes, 1)]
        .map(|pieces| read_request(&pieces, &[]).map_or_else(ProtocolError::kind, |_| "none"))
}

#[test]
fn hostile_responses_are_named() {
    let cases = [
        ("", "unexpected_end"),
        ("HTTP/1.1 200 OK\r\n", "unexpected_end"),
        ("HTTP/1.1 100 Continue\r\n\r\n", "unexpected_end"),
        ("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nab", "unexpected_end"),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n", "unexpected_end"),
        ("SSH-2.0-OpenSSH_9.6\r\n", "bad_status_line"),
        ("HTTP/2 200\r\n\r\n", "bad_status_line"),
        ("HTTP/1.2 200 OK\r\n\r\n", "bad_status_line"),
        ("HTTP/1.1 20x OK\r\n\r\n", "bad_status_line"),
        ("HTTP/1.1 099 Low\r\n\r\n", "bad_status_line"),
        ("HTTP/1.1 2000 High\r\n\r\n", "bad_status_line"),
        ("HTTP/1.1 101 Switching Protocols\r\n\r\n", "unexpected_upgrade"),
        ("HTTP/1.1 200 OK\r\nno colon\r\n\r\n", "bad_header"),
        ("HTTP/1.1 200 OK\r\nspace : x\r\n\r\n", "bad_header"),
        ("HTTP/1.1 200 OK\r\n folded: 1\r\n\r\n", "bad_header"),
        ("HTTP/1.1 200 OK\r\nA: 1\r\n \x01\r\n\r\n", "bad_header"),
        ("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n 2\r\n\r\n", "bad_content_length"),
        ("HTTP/1.1 200 OK\r\nA: \x01\r\n\r\n", "bad_header"),
        ("HTTP/1.1 200 OK\r\nA: 1\r\n\rX\n", "bad_line_end"),
        ("HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", "bad_content_length"),
        ("HTTP/1.1 200 OK\r\nContent-Length: +1\r\n\r\n", "bad_content_length"),
        ("HTTP/1.1 200 OK\r\nContent-Length: 0x1\r\n\r\n", "bad_content_length"),
        ("HTTP/1.1 200 OK\r\nContent-Length:\r\n\r\n", "bad_content_length"),
        ("HTTP/1.1 200 OK\r\nContent-Length: 1,\r\n\r\n", "bad_content_length"),
        ("HTTP/1.1 200 OK\r\nContent-Length: 18446744073709551616\r\n\r\n", "bad_content_length"),
        ("HTTP/1.1 200 OK\r\nContent-Length: 1, 2\r\n\r\n", "conflicting_length"),
        ("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", "conflicting_length"),
        (
            "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
            "conflicting_length",
        ),
        (
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: x\r\nContent-Length: 1\r\n\r\n",
            "conflicting_length",
        ),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n", "bad_chunk"),
    ];
    for (text, kind) in cases {
        assert_eq!(response_kinds(text.as_bytes()), [kind; 2], "{text:?}");
    }
}

/// Requests that two programs may read differently, and the name of the error by strict rules.
const AMBIGUOUS: [(&str, &str); 14] = [
    ("GET / HTTP/1.1\n\r\n", "bad_line_end"),
    ("GET / HTTP/1.1\r\nA: b\nC: d\r\n\r\n", "bad_line_end"),
    ("\nGET / HTTP/1.1\r\n\r\n", "bad_line_end"),
    ("\r\n\nGET / HTTP/1.1\r\n\r\n", "bad_line_end"),
    ("GET / HTTP/1.1\r\nContent-Length: 0, 0\r\n\r\n", "bad_content_length"),
    ("GET / HTTP/1.1\r\nContent-Length: 0\r\nContent-Length: 0\r\n\r\n", "bad_content_length"),
    ("GET / HTTP/1.1\r\nContent-Length: 0000000000000000000\r\n\r\n", "bad_content_length"),
    ("GET / HTTP/1.1\r\nTransfer-Encoding: x, chunked\r\n\r\n0\r\n\r\n", "bad_transfer_encoding"),
    ("GET / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "bad_transfer_encoding"),
    ("GET / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0;a\r\n\r\n", "bad_chunk"),
    ("GET / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0 \r\n\r\n", "bad_chunk"),
    ("GET / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0000000000000000\r\n\r\n", "bad_chunk"),
    ("GET / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nno name\r\n\r\n", "bad_chunk"),
    ("GET / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n: b\r\n\r\n", "bad_chunk"),
];

#[test]
fn strict_rules_refuse_what_lenient_ones_read() {
    for (text, kind) in AMBIGUOUS {
        let bytes = text.as_bytes();
        for size in [1, 2, bytes.len()] {
            let pieces = pieces(bytes, size);
            let read = |rules| read_request_by(rules, &pieces, &[]).map(|found| found.is_some());
            assert_eq!(read(Rules::Lenient), Ok(true), "{text:?}");
            assert_eq!(read(Rules::Strict).unwrap_err().kind(), kind, "{text:?} by {size}");
        }
    }
}

#[test]
fn blank_lines_before_a_request_are_none_of_it() {
    let mut reader = RequestReader::by(Rules::Strict, &[]);
    for (byte, between) in [(b'\r', false), (b'\n', true), (b'\r', false), (b'\n', true)] {
        reader.read(&[byte]).unwrap();
        assert_eq!(reader.is_between_requests(), between);
    }
    reader.read(b"POST / HTTP/1.1\r\nContent-Length: 1\r\n\r").unwrap();
    assert!(!reader.is_in_body() && !reader.is_between_requests());
    reader.read(b"\n").unwrap();
    assert!(reader.is_in_body());
    reader.read(b"x").unwrap();
    assert!(!reader.is_in_body() && reader.is_between_requests());
}

#[test]
fn hostile_requests_are_named() {
    let cases = [
        ("GET\r\n\r\n", "bad_request_line"),
        ("GET / HTTP/2.0\r\n\r\n", "bad_request_line"),
        ("G@T / HTTP/1.1\r\n\r\n", "bad_request_line"),
        ("\x16\x03\x01\x02\n", "bad_request_line"),
        ("GET / HTTP/1.1 x\r\n\r\n", "bad_line_end"),
        ("GET / HTTP/1.1\r\n: x\r\n\r\n", "bad_header"),
        ("GET / HTTP/1.1\r\nTransfer-Encoding: gzip\r\n\r\n", "bad_transfer_encoding"),
        ("GET / HTTP/1.1\r\nTransfer-Encoding: chunked, x\r\n\r\n", "bad_transfer_encoding"),
        (
            "GET / HTTP/1.1\r\nContent-Length: 0\r\nTransfer-Encoding: chunked\r\n\r\n",
            "conflicting_length",
        ),
        ("GET / HTTP/1.1\r\nContent-Length: 1 1\r\n\r\n", "bad_content_length"),
    ];
    for (text, kind) in cases {
        assert_eq!(request_kinds(text.as_bytes()), [kind; 2], "{text:?}");
    }
}

/// A response without body whose head has this many bytes.
fn response_with_head_of(length: usize) -> Vec<u8> {
    let (start, end) = ("HTTP/1.1 204 None\r\nA: ", "\r\n\r\n");
    let padding = "x".repeat(length - start.len() - end.len());
    [start, &padding, end].concat().into_bytes()
}

#[test]
fn heads_are_bounded_in_bytes() {
    assert_eq!(response_kinds(&response_with_head_of(HEAD_BYTES_MAX)), ["none"; 2]);
    assert_eq!(response_kinds(&response_with_head_of(HEAD_BYTES_MAX + 1)), ["head_too_large"; 2]);
    let endless = "HTTP/1.1 200 ".to_owned() + &"a".repeat(2 * HEAD_BYTES_MAX);
    assert_eq!(response_kinds(endless.as_bytes()), ["head_too_large"; 2]);
    // Its error comes first, in pieces too.
    let wrong = "HTTP/1.1 200 OK\r\nA: 1\r".to_owned() + &"a".repeat(2 * HEAD_BYTES_MAX);
    assert_eq!(response_kinds(wrong.as_bytes()), ["bad_header"; 2]);
}

#[test]
fn heads_are_bounded_in_fields() {
    let with_fields = |fields: usize| {
        let text = "HTTP/1.1 204 None\r\n".to_owned() + &"A: 1\r\n".repeat(fields) + "\r\n";
        response_kinds(text.as_bytes())
    };
    assert_eq!(with_fields(HEADERS_MAX), ["none"; 2]);
    assert_eq!(with_fields(HEADERS_MAX + 1), ["too_many_headers"; 2]);
}

#[test]
fn endless_blank_lines_are_neither_kept_nor_parsed_again() {
    let blank = b"\r\n".repeat(2 * HEAD_BYTES_MAX);
    assert_eq!(response_kinds(&blank), ["unexpected_end"; 2]);
}

#[test]
fn a_reader_survives_being_used_after_an_error() {
    let mut reader = ResponseReader::new();
    for piece in ["HTTP/1.1 200 OK\r\nContent-Len", "gth: x\r\n\r\n", "abc\r\n\r\n", "\r\n"] {
        let _ = reader.read(piece.as_bytes());
    }
    assert!(reader.end_of_stream().is_err());
    let long = vec![b'H'; HEAD_BYTES_MAX];
    for _ in 0..3 {
        let _ = reader.read(b"HTTP/1.1 200 ");
        let _ = reader.read(&long);
    }
}

/// Bytes close enough to a message to be read far: fragments of real ones in any order.
fn fragments() -> impl Strategy<Value = Vec<u8>> {
    let fragment = prop_oneof![
        4 => prop::sample::select(vec![
            "HTTP/1.1 200 OK\r\n", "HTTP/1.0 404 Not Found\r\n", "HTTP/1.1 100\r\n\r\n",
            "GET / HTTP/1.1\r\n", "POST /x HTTP/1.0\r\n", "\r\n", "\n", "\r",
            "Content-Length: 5\r\n", "content-length: 99999999999999999999\r\n",
            "Transfer-Encoding: chunked\r\n", "Connection: close\r\n", "Expect: 100-continue\r\n",
            "\r\n5\r\nhello\r\n", "0\r\n\r\n", "ffffffffffffffff\r\n", ";ext\r\n", "hello",
        ])
        .prop_map(|text| text.as_bytes().to_vec()),
        1 => prop::collection::vec(any::<u8>(), 0..8),
    ];
    prop::collection::vec(fragment, 0..12).prop_map(|fragments| fragments.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn any_bytes_end_without_panic_and_alike_however_cut(
        bytes in prop_oneof![fragments(), prop::collection::vec(any::<u8>(), 0..300)],
        size in 1..20_usize,
        head_only: bool,
    ) {
        let (whole, cut) = (pieces(&bytes, 1000), pieces(&bytes, size));
        let response = read_response(&whole, head_only);
        prop_assert_eq!(response.ok(), read_response(&cut, head_only).ok());
        // Without end of stream a cut request may not yet be an error, but never is valid.
        let request = |pieces| {
            let read = read_request(pieces, &["expect"]).ok().flatten();
            read.map(|(request, used, _)| (request, used))
        };
        prop_assert_eq!(request(&whole), request(&cut));
        let strict = |pieces| read_request_by(Rules::Strict, pieces, &["expect"]).ok().flatten();
        prop_assert_eq!(strict(&whole).map(|found| found.0), strict(&cut).map(|found| found.0));
        if let Some((request, used, _)) = strict(&whole) {
            let lenient = read_request(&whole, &["expect"]).ok().flatten();
            prop_assert_eq!(lenient.map(|found| (found.0, found.1)), Some((request, used)));
        }
    }
}
