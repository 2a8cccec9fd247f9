//! The path without a map of fields gives the same result as the path with one, and refuses odd
//! messages.

use hyper::header::{HeaderName, HeaderValue};
use hyper::{HeaderMap, Version};

use super::*;
use crate::fields;

type Given<'a> = &'a [(&'a str, &'a str)];

fn came() -> Origin {
    Origin { from: "2001:db8::1".parse().unwrap(), scheme: "http", behind_proxy: false }
}

fn head(line: &str, given: Given<'_>) -> String {
    let given: String = given.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    format!("{line}\r\n{given}\r\n")
}

fn map(given: Given<'_>) -> HeaderMap {
    let mut map = HeaderMap::new();
    for (name, value) in given {
        let name = HeaderName::try_from(*name).unwrap();
        map.append(name, HeaderValue::try_from(*value).unwrap());
    }
    map
}

/// The sorted lines of a head as written from a map.
fn lines_of(map: &HeaderMap) -> Vec<String> {
    let line =
        |(name, value): (&HeaderName, &HeaderValue)| format!("{name}: {}", value.to_str().unwrap());
    let mut lines: Vec<String> = map.iter().map(line).collect();
    lines.sort();
    lines
}

/// The first line of a message, its fields sorted, and its body.
fn parts(text: &[u8]) -> (String, Vec<String>, String) {
    let text = std::str::from_utf8(text).unwrap();
    let (head, body) = text.split_once("\r\n\r\n").unwrap();
    let mut lines = head.split("\r\n").map(str::to_owned);
    let first = lines.next().unwrap();
    let mut fields: Vec<String> = lines.collect();
    fields.sort();
    (first, fields, body.to_owned())
}

fn through(text: &str) -> Option<(Vec<u8>, String)> {
    let mut out = Vec::new();
    let plain = request(text.as_bytes(), &HopFields::new(&came()), &mut out)?;
    Some((out, plain.target.to_owned()))
}

fn back(text: &str) -> Option<(Vec<u8>, SimpleResponse)> {
    let mut out = Vec::new();
    let plain = response(text.as_bytes(), &mut DateText::new("%Y"), &mut out)?;
    Some((out, plain))
}

const BROWSER: Given<'_> = &[
    ("Host", "shop.example:8080"),
    ("User-Agent", "Mozilla/5.0 (X11; Linux x86_64)"),
    ("Accept", "text/html, */*;q=0.8"),
    ("Accept-Encoding", "gzip, deflate"),
    ("Connection", "Keep-Alive"),
    ("Cookie", "a=1; b=\"2\""),
    ("Referer", "http://shop.example/?a=b"),
    ("If-None-Match", "W/\"x\""),
    ("Range", "bytes=0-9"),
    ("Authorization", "Basic eDp5"),
    ("X-Twice", "1"),
    ("X-Twice", "2"),
    ("x_empty", ""),
];

#[test]
fn a_plain_request_goes_on_as_by_a_map_of_its_fields() {
    for given in [&[("host", "a")][..], &[("HOST", "127.0.0.1")], BROWSER] {
        let line = "GET /item/7?id=%20&b=(c)*~!$' HTTP/1.1";
        let (out, target) = through(&head(line, given)).unwrap();
        let mut wanted = map(given);
        fields::to_server(&mut wanted, came(), Version::HTTP_11);
        assert_eq!(parts(&out), (line.to_owned(), lines_of(&wanted), String::new()));
        assert_eq!(target, "/item/7?id=%20&b=(c)*~!$'");
    }
}

#[test]
fn what_the_log_says_of_a_request_is_found() {
    let (text, told) = (head("GET / HTTP/1.1", BROWSER), HopFields::new(&came()));
    let plain = request(text.as_bytes(), &told, &mut Vec::new()).unwrap();
    assert_eq!(plain.line, b"GET / HTTP/1.1");
    assert_eq!(plain.agent, Some(&b"Mozilla/5.0 (X11; Linux x86_64)"[..]));
    assert_eq!(plain.referer, Some(&b"http://shop.example/?a=b"[..]));
}

const ODD_FIELDS: &[&str] = &[
    "Content-Length: 0",
    "Transfer-Encoding: chunked",
    "Connection: close",
    "Connection: keep-alive, x",
    "Connection: upgrade",
    "Upgrade: websocket",
    "TE: trailers",
    "Trailer: x",
    "Keep-Alive: 5",
    "Proxy-Connection: keep-alive",
    "Proxy-Authorization: x",
    "Expect: 100-continue",
    "Max-Forwards: 1",
    "Via: 1.1 thinktime",
    "Forwarded: for=b",
    "X-Forwarded-For: b",
    "X-Forwarded-Host: b",
    "X-Forwarded-Proto: https",
    "X-Forwarded-Port: 443",
    "X-Real-IP: b",
    "X-Client-IP: b",
    "True-Client-IP: b",
    "X_Real_IP: b",
    "X_Forwarded_For: b",
    "x-forwarded_host: b",
    "Host: a",
    "Host: b",
    "Cookie: a\r\nCookie: b",
    // Messages that the filter or the parser refuses, or reads leniently.
    "X : y",
    " X: y",
    "X: y\r\n z",
    ": y",
    "X",
    "X\t: y",
    "X: y\rz",
    "X: y\r",
    "X: \ry",
    "X:\r",
    "X: y\x0c",
    "X:\x0cy",
    "X: y\nz: a",
    "X: \0",
    "X: \x7f",
    "X: ä",
    "X(: y",
    "\r\nX: y",
    "X: y\r\n\r\nGET / HTTP/1.1\r\nHost: a",
];

#[test]
fn requests_that_are_not_plain_are_left_alone() {
    let with = |field: &str| format!("GET / HTTP/1.1\r\nHost: a\r\n{field}\r\n\r\n");
    assert!(through(&with("X: y")).is_some());
    for field in ODD_FIELDS {
        assert_eq!(through(&with(field)), None, "{field:?}");
    }
    for line in [
        "POST / HTTP/1.1",
        "HEAD / HTTP/1.1",
        "get / HTTP/1.1",
        "GET / HTTP/1.0",
        "GET / HTTP/2.0",
        "GET / http/1.1",
        "GET  / HTTP/1.1",
        "GET /  HTTP/1.1",
        "GET /a b HTTP/1.1",
        "GET /",
        "GET * HTTP/1.1",
        "GET http://a/ HTTP/1.1",
        "GET a HTTP/1.1",
        "GET /#a HTTP/1.1",
        "GET /\" HTTP/1.1",
        "GET /ä HTTP/1.1",
        "GET /\t HTTP/1.1",
        "\r\nGET / HTTP/1.1",
    ] {
        assert_eq!(through(&head(line, &[("Host", "a")])), None, "{line:?}");
    }
    for host in [
        "", "a/b", "a@b", "[::1]", "a:", "a:b", "a:1:2", ":80", "a b", "a\"", "a:123456", "a\r",
        "\x0ca",
    ] {
        assert_eq!(through(&head("GET / HTTP/1.1", &[("Host", host)])), None, "{host:?}");
    }
    assert_eq!(through(&head("GET / HTTP/1.1", &[("X", "y")])), None);
    let whole = head("GET / HTTP/1.1", BROWSER);
    for length in 0..whole.len() {
        assert_eq!(through(&whole[..length]), None);
    }
}

#[test]
fn fields_are_no_more_than_the_parser_has_room_for() {
    let text = |count: usize| {
        let more: String = (1..count).map(|number| format!("X: {number}\r\n")).collect();
        format!("GET / HTTP/1.1\r\nHost: a\r\n{more}\r\n")
    };
    assert!(through(&text(FIELDS_MAX)).is_some());
    assert_eq!(through(&text(FIELDS_MAX + 1)), None);
}

#[test]
fn a_plain_response_goes_back_as_by_a_map_of_its_fields() {
    let given = &[
        ("Server", "nginx/1.22.1"),
        ("Date", "Thu, 26 Nov 2026 10:00:00 GMT"),
        ("Content-Type", "text/html"),
        ("Content-Length", "5"),
        ("Connection", "keep-alive"),
        ("Keep-Alive", "timeout=5"),
        ("Set-Cookie", "a=1; Path=/"),
        ("Set-Cookie", "b=2"),
        ("ETag", "\"x\""),
    ];
    for (line, status) in
        [("HTTP/1.1 200 OK", 200), ("HTTP/1.1 404 ", 404), ("HTTP/1.1 599 x y", 599)]
    {
        let (out, plain) = back(&(head(line, given) + "hello")).unwrap();
        let mut wanted = map(given);
        fields::to_client(&mut wanted);
        assert_eq!(parts(&out), (line.to_owned(), lines_of(&wanted), "hello".to_owned()));
        assert_eq!(plain, SimpleResponse { status, length: 5 });
    }
}

#[test]
fn a_response_without_a_date_gets_one() {
    let (out, _) = back("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n").unwrap();
    let (_, fields, body) = parts(&out);
    assert_eq!(fields.len(), 3);
    let year = fields[1].strip_prefix("date: ").unwrap();
    assert!(year.len() == 4 && year > "2025", "{year}");
    assert_eq!(body, "");
}

#[test]
fn responses_that_are_not_plain_are_left_alone() {
    let with = |field: &str| format!("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n{field}\r\n\r\nno");
    assert!(back(&with("X: y")).is_some());
    for field in [
        "Content-Length: 2",
        "Content-Length: 3",
        "Transfer-Encoding: chunked",
        "Connection: close",
        "Upgrade: x",
        "Trailer: x",
        "Via: 1.1 a",
        "Proxy-Authenticate: x",
        "X : y",
        "X: y\r\n z",
        "X: y\r",
        "X: \x0cy",
        "X: y\nz: a",
        "X: ä",
    ] {
        assert_eq!(back(&with(field)), None, "{field:?}");
    }
    for line in [
        "HTTP/1.0 200 OK",
        "HTTP/1.1 200",
        "HTTP/1.1 20 OK",
        "HTTP/1.1 2000 OK",
        "HTTP/1.1 +20 OK",
        "HTTP/1.1 100 Continue",
        "HTTP/1.1 101 Switching Protocols",
        "HTTP/1.1 204 No Content",
        "HTTP/1.1 304 Not Modified",
        "HTTP/1.1 600 x",
        "HTTP/1.1  200 OK",
        "HTTP/1.1 200 \0",
    ] {
        assert_eq!(back(&(head(line, &[("Content-Length", "0")]))), None, "{line:?}");
    }
    for (length, body) in [
        ("", ""),
        ("x", ""),
        ("1\r", "a"),
        ("\x0c1", "a"),
        ("+1", "a"),
        ("-1", ""),
        ("1, 1", "a"),
        ("1", ""),
        ("1", "ab"),
    ] {
        let text = head("HTTP/1.1 200 OK", &[("Content-Length", length)]) + body;
        assert_eq!(back(&text), None, "{length:?} {body:?}");
    }
    let long = "9".repeat(19);
    assert_eq!(back(&head("HTTP/1.1 200 OK", &[("Content-Length", &long)])), None);
    assert_eq!(back("HTTP/1.1 200 OK\r\n\r\n"), None);
}
