//! Valid requests, whole and in pieces.

use proptest::prelude::*;

use super::*;
use crate::protocol::KEPT_BODY_BYTES_MAX;

proptest! {
    #[test]
    fn written_requests_are_read_back_however_they_are_cut(
        method in prop::sample::select(vec!["GET", "POST", "PUT", "DELETE", "HEAD"]),
        target in "/[a-z0-9?=&/]{0,30}",
        demand in prop::option::of("[0-9]{1,9}us"),
        body in prop::collection::vec(any::<u8>(), 0..60),
    ) {
        let mut headers = vec![("Accept", "*/*")];
        headers.extend(demand.as_deref().map(|demand| ("Thinktime-Demand", demand)));
        let host = "example.org:80";
        let head = RequestHead { method, host, target: &target, headers: &headers, body: &body };
        let mut bytes = Vec::new();
        write_request(&mut bytes, &head);
        let request = Request {
            method: method.to_owned(),
            target: target.clone(),
            keep_alive: true,
            minor_version: 1,
            headers: vec![demand.clone(), Some(host.to_owned()), None],
            bytes: bytes.len() as u64,
        };
        let expected = Ok(Some((request, bytes.len(), 0)));
        let names = ["thinktime-demand", "HOST", "x-missing"];
        prop_assert_eq!(&read_request(&[&bytes], &names), &expected);
        prop_assert_eq!(&read_request(&pieces(&bytes, 1), &names), &expected);
        for cut in 0..=bytes.len() {
            let (first, second) = bytes.split_at(cut);
            prop_assert_eq!(&read_request(&[first, second], &names), &expected);
        }
    }
}

/// The text of a request written with these parts.
fn written(method: &str, headers: &[(&str, &str)], body: &[u8]) -> String {
    let mut out = Vec::new();
    write_request(&mut out, &RequestHead { method, host: "h", target: "/", headers, body });
    String::from_utf8_lossy(&out).into_owned()
}

#[test]
fn the_writer_adds_what_is_missing_and_nothing_else() {
    assert_eq!(written("GET", &[], b""), "GET / HTTP/1.1\r\nHost: h\r\n\r\n");
    assert_eq!(
        written("POST", &[], b""),
        "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n"
    );
    assert_eq!(
        written("GET", &[("host", "other")], b"ab"),
        "GET / HTTP/1.1\r\nContent-Length: 2\r\nhost: other\r\n\r\nab"
    );
    assert_eq!(
        written("PUT", &[("Transfer-Encoding", "chunked")], b"0\r\n\r\n"),
        "PUT / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
    );
}

#[test]
fn pipelined_requests_are_read_one_by_one() {
    let first = "POST /a HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n";
    let second = "GET /b HTTP/1.0\r\n\r\n";
    let both = [first, second].concat();
    let mut reader = RequestReader::new(&[]);
    let mut rest = both.as_bytes();
    for (text, method, target, keep_alive) in
        [(first, "POST", "/a", true), (second, "GET", "/b", false)]
    {
        let request = Request {
            method: method.to_owned(),
            target: target.to_owned(),
            keep_alive,
            minor_version: u8::from(keep_alive),
            headers: Vec::new(),
            bytes: text.len() as u64,
        };
        let expected = RequestProgress::Complete { request, used: text.len() };
        assert_eq!(reader.read(rest), Ok(expected));
        assert!(!reader.started());
        rest = &rest[text.len()..];
    }
    assert!(rest.is_empty());
}

#[test]
fn bodies_are_kept_if_wanted_up_to_a_length() {
    let both = b"POST /a HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n\
                 POST /b HTTP/1.1\r\nContent-Length: 2\r\n\r\nde";
    for cut in 0..both.len() {
        let mut reader = RequestReader::new(&[]).keeping_bodies();
        let mut bodies = Vec::new();
        for mut piece in [&both[..cut], &both[cut..]] {
            while let Ok(RequestProgress::Complete { used, .. }) = reader.read(piece) {
                bodies.push(reader.take_body().unwrap());
                piece = &piece[used..];
            }
        }
        assert_eq!(bodies, [b"abc".to_vec(), b"de".to_vec()]);
    }
    let length = KEPT_BODY_BYTES_MAX + 1;
    let mut long = format!("PUT / HTTP/1.1\r\nContent-Length: {length}\r\n\r\n").into_bytes();
    long.resize(long.len() + length, b'x');
    let mut reader = RequestReader::new(&[]).keeping_bodies();
    assert!(matches!(reader.read(&long), Ok(RequestProgress::Complete { .. })));
    assert_eq!(reader.take_body(), None);
}

#[test]
fn leave_to_send_the_body_is_asked_for_once() {
    let head = b"PUT / HTTP/1.1\r\nExpect: 100-Continue\r\nContent-Length: 4\r\n\r\n";
    let continues = |pieces: &[&[u8]]| {
        read_request(pieces, &[]).map(|read| read.map(|(_, _, continues)| continues))
    };
    assert_eq!(continues(&[head, b"ab", b"cd"]), Ok(Some(1)));
    assert_eq!(continues(&[&head[..20], &head[20..], b"", b"abcd"]), Ok(Some(1)));
    assert_eq!(continues(&[&[&head[..], b"abcd"].concat()]), Ok(Some(0)));
    let old = b"PUT / HTTP/1.0\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\n";
    assert_eq!(continues(&[old, b"abcd"]), Ok(Some(0)));
    assert_eq!(read_response(&[CONTINUE], false), Err(ProtocolError::UnexpectedEnd));
}
