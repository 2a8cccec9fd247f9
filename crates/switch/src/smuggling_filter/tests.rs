//! Tests of accepted and refused input of the filter.

use thinktime_net::protocol::http1::HEAD_BYTES_MAX;

use super::*;

/// The output of a filter for these bytes, this many at a time.
fn through(sent: &str, step: usize) -> Vec<u8> {
    let (mut filter, mut bytes) = (SmugglingFilter::new(), sent.as_bytes().to_vec());
    bytes.chunks_mut(step).for_each(|piece| filter.inspect(piece));
    bytes
}

const HEAD: &str = "POST / HTTP/1.1\r\nHost: a\r\n";
const CHUNKED: &str = "Transfer-Encoding: chunked\r\n\r\n";

#[test]
fn what_all_read_alike_comes_through_as_it_is() {
    for tail in [
        "\r\n",
        "\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n",
        "Content-Length: 0\r\n\r\nGET / HTTP/1.0\r\n\r\n",
        "content-length:5 \r\n\r\n\nab\r\nGET / HTTP/1.1\r\n\r\n",
        "Transfer-Encoding: chunked\r\n\r\n3\r\na\nb\r\n0\r\n\r\nGET / HTTP/1.1\r\n\r\n",
        "Transfer-Encoding: Chunked\r\n\r\nA\r\n0123456789\r\n0\r\nX: y\r\n\r\n",
    ] {
        let sent = format!("{HEAD}{tail}");
        for step in [1, 2, 7, sent.len()] {
            assert_eq!(through(&sent, step), sent.as_bytes(), "{sent:?} by {step}");
        }
    }
}

#[test]
fn what_may_be_read_differently_does_not_end() {
    for tail in [
        // A length and chunks, in either order; two lengths; an invalid length.
        "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n",
        "Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n",
        "Content-Length: 4\r\nContent-Length: 5\r\n\r\n",
        "Content-Length: 4, 5\r\n\r\n",
        "Content-Length: +4\r\n\r\n",
        "Content-Length: 0x4\r\n\r\n",
        "Content-Length:\r\n\r\n",
        "Content-Length: 99999999999999999999\r\n\r\n",
        // Codings that hide chunks.
        "Transfer-Encoding: xchunked\r\n\r\n",
        "Transfer-Encoding: gzip, chunked\r\n\r\n",
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n",
        "Transfer-Encoding\r\n : chunked\r\n\r\n",
        // Names with blanks, folded lines, bare line ends.
        "Content-Length : 4\r\n\r\n",
        "X: y\r\n Content-Length: 4\r\n\r\n",
        "X: y\nContent-Length: 4\r\n\r\n",
        "X: y\rContent-Length: 4\r\n\r\n",
        // Invalid chunks, or chunks with extensions.
        "Transfer-Encoding: chunked\r\n\r\n3;a\r\nabc\r\n0\r\n\r\n",
        "Transfer-Encoding: chunked\r\n\r\n3;a=b\r\nabc\r\n0\r\n\r\n",
        "Transfer-Encoding: chunked\r\n\r\n3;\nabc\r\n0\r\n\r\n",
        "Transfer-Encoding: chunked\r\n\r\n3; \r\nabc\r\n0\r\n\r\n",
        "Transfer-Encoding: chunked\r\n\r\n3;a=\"b\r\nabc\r\n0\r\n\r\n",
        "Transfer-Encoding: chunked\r\n\r\n0x3\r\nabc\r\n0\r\n\r\n",
        "Transfer-Encoding: chunked\r\n\r\n-3\r\nabc\r\n0\r\n\r\n",
        "Transfer-Encoding: chunked\r\n\r\n\r\n0\r\n\r\n",
        "Transfer-Encoding: chunked\r\n\r\n3\r\nabcd\r\n0\r\n\r\n",
        "Transfer-Encoding: chunked\r\n\r\n3\nabc\r\n0\r\n\r\n",
        "Transfer-Encoding: chunked\r\n\r\n0\r\nno field\r\n\r\n",
    ] {
        let sent = format!("{HEAD}{tail}");
        for step in [1, 2, 7, sent.len()] {
            let came = through(&sent, step);
            assert_eq!(came.last(), Some(&0), "{sent:?} by {step}");
            let end = came.windows(5).position(|five| five == b"0\r\n\r\n");
            assert_eq!(end, None, "{sent:?} by {step}");
        }
    }
    let old = "GET / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n";
    assert_eq!(through(old, 3).last(), Some(&0));
}

#[test]
fn a_request_before_a_refused_one_comes_through() {
    let good = "GET /a HTTP/1.1\r\nHost: a\r\n\r\n";
    let came = through(&format!("{good}GET /b HTTP/1.1\nHost: a\r\n\r\n"), 1000);
    assert_eq!(&came[..good.len()], good.as_bytes());
    assert!(came[good.len()..].iter().all(|byte| *byte == 0));
}

#[test]
fn a_refused_body_has_a_head() {
    for step in [3, 1000] {
        let (mut filter, sent) = (SmugglingFilter::new(), format!("{HEAD}{CHUNKED}no\r\n"));
        sent.into_bytes().chunks_mut(step).for_each(|piece| filter.inspect(piece));
        assert!(filter.has_refused() && filter.requests() == 1, "{step}");
        assert!(!filter.awaits_head() && !filter.is_between_requests(), "{step}");
    }
}

#[test]
fn heads_and_lines_of_chunks_have_limits() {
    let long = format!("{HEAD}X: {}", "y".repeat(HEAD_BYTES_MAX));
    assert_eq!(through(&long, 4096).last(), Some(&0));
    let chunk = format!("{HEAD}{CHUNKED}{}", "0".repeat(16));
    assert_eq!(through(&chunk, 100).last(), Some(&0));
}
