//! HTTP/1.1: the same bytes as responses and as requests, these by both rules. The result does not
//! depend on how they are cut.

use thinktime_net::protocol::Capture;
use thinktime_net::protocol::http1::{
    RequestProgress, RequestReader, Response, ResponseProgress, ResponseReader, Rules,
};

use super::PIECES;
use crate::Target;

pub(super) const TARGET: Target = Target {
    name: "http1",
    examples: None,
    words: &[
        "HTTP/1.1 200 OK\r\n",
        "Content-Length: ",
        "Transfer-Encoding: chunked\r\n",
        "\r\n\r\n",
        "0\r\n\r\n",
        "ffffffffffffffff\r\n",
        "HTTP/1.1 100 Continue\r\n\r\n",
        "Expect: 100-continue\r\n",
        "Connection: close\r\n",
        "Server-Timing: a;dur=",
    ],
    bytes_max: 200_000,
    tried: 20_000,
    read,
};

fn read(bytes: &[u8]) {
    // A head in pieces is parsed at each line end, so its last line must be complete.
    let bytes = &[bytes, b"\n"].concat()[..];
    let rules = [Rules::Lenient, Rules::Strict];
    let by_both = |size: usize| rules.map(|rules| requests(rules, bytes, size));
    let (responses, requests) = (responses(bytes, bytes.len()), by_both(bytes.len()));
    let [lenient, strict] = &requests;
    assert!(lenient.0.starts_with(&strict.0), "strict rules read nothing else");
    for size in PIECES {
        assert_eq!(self::responses(bytes, size), responses, "in pieces of {size}");
        assert_eq!(by_both(size), requests, "in pieces of {size}");
    }
}

/// The responses of a connection, and its end.
fn responses(bytes: &[u8], size: usize) -> (Vec<(Response, usize)>, Option<&'static str>) {
    let mut reader = ResponseReader::capturing(Capture::All);
    let mut found = Vec::new();
    reader.expect(false);
    for mut piece in bytes.chunks(size.max(1)) {
        while !piece.is_empty() {
            match reader.read(piece) {
                Ok(ResponseProgress::NeedMore) => break,
                Ok(ResponseProgress::Complete { response, used }) => {
                    assert!(used <= piece.len());
                    let excerpt = reader.take_excerpt().map_or(0, |excerpt| excerpt.body.len());
                    assert!(excerpt as u64 <= response.bytes);
                    found.push((response, excerpt));
                    piece = &piece[used..];
                    reader.expect(false);
                }
                Err(error) => return (found, Some(error.kind())),
            }
        }
    }
    (found, reader.end_of_stream().err().map(|error| error.kind()))
}

/// The requests of a connection, and its end.
fn requests(
    rules: Rules,
    bytes: &[u8],
    size: usize,
) -> (Vec<(String, String, u64)>, Option<&'static str>) {
    let mut reader = RequestReader::by(rules, &["thinktime-demand"]);
    let mut found = Vec::new();
    for mut piece in bytes.chunks(size.max(1)) {
        while !piece.is_empty() {
            match reader.read(piece) {
                Ok(RequestProgress::NeedMore { .. }) => break,
                Ok(RequestProgress::Complete { request, used }) => {
                    assert!(used <= piece.len());
                    found.push((request.method, request.target, request.bytes));
                    piece = &piece[used..];
                }
                Err(error) => return (found, Some(error.kind())),
            }
        }
    }
    (found, None)
}
