//! Requests: the client writes them, the server reads them.

use super::ProtocolError;
use super::body::Body;
use super::fields::Framing;
use super::head::{ParsedHead, RequestLine, read_request_head};
use super::message::{Complete, Head, MessageReader};
use super::rules::Rules;
use super::write::{push_content_length, push_header};
use crate::protocol::{Capture, Excerpt};

/// The server's permission for a client that waits to send the body of its request.
pub const CONTINUE: &[u8] = b"HTTP/1.1 100 Continue\r\n\r\n";

/// A request to be written.
///
/// The caller vouches that none of the strings holds a line end, and method and target no blank.
#[derive(Debug, Clone, Copy)]
pub struct RequestHead<'a> {
    /// The method in capitals, such as `GET`.
    pub method: &'a str,
    /// Host and, unless it is the scheme's own, port: the Host field, unless `headers` has one.
    pub host: &'a str,
    /// Path and query, such as `/item?id=1`.
    pub target: &'a str,
    /// Further header fields, name and value.
    pub headers: &'a [(&'a str, &'a str)],
    /// The body; empty for none.
    pub body: &'a [u8],
}

/// Appends a request.
///
/// Content-Length is added if there is a body or the method suggests one, unless `headers` says
/// how the body is framed. The connection stays open, as is the default in HTTP/1.1.
pub fn write_request(out: &mut Vec<u8>, request: &RequestHead<'_>) {
    for part in [request.method, " ", request.target, " HTTP/1.1\r\n"] {
        out.extend_from_slice(part.as_bytes());
    }
    let (mut has_host, mut has_framing) = (false, false);
    for (name, _) in request.headers {
        has_host |= name.eq_ignore_ascii_case("host");
        has_framing |= name.eq_ignore_ascii_case("content-length")
            || name.eq_ignore_ascii_case("transfer-encoding");
    }
    if !has_host {
        push_header(out, "Host", request.host.as_bytes());
    }
    let has_body = !request.body.is_empty() || matches!(request.method, "POST" | "PUT" | "PATCH");
    if has_body && !has_framing {
        push_content_length(out, request.body.len());
    }
    for (name, value) in request.headers {
        push_header(out, name, value.as_bytes());
    }
    out.extend_from_slice(b"\r\n");
    out.extend_from_slice(request.body);
}

/// The properties of a request that a server needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// The method, such as `GET`.
    pub method: String,
    /// The target as sent, such as `/item?id=1`.
    pub target: String,
    /// Whether the client will use the connection again.
    pub keep_alive: bool,
    /// The second digit of its version of HTTP/1: clients of 0 know no chunks.
    pub minor_version: u8,
    /// The values of the header fields named to [`RequestReader::new`], in that order; of a
    /// repeated field, the first. Bytes that are no UTF-8 are replaced by U+FFFD.
    pub headers: Vec<Option<String>>,
    /// Size of the request in bytes: head and body with its framing.
    pub bytes: u64,
}

/// The progress of reading a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RequestProgress {
    /// All bytes were used and the request continues.
    NeedMore {
        /// Whether the client waits for [`CONTINUE`] before it sends the body. Reported only once.
        continue_expected: bool,
    },
    /// The request ended.
    Complete {
        /// The request.
        request: Request,
        /// The number of given bytes that belong to the request. The rest begins the next one.
        used: usize,
    },
}

/// Reads the requests of one connection, one after another.
#[derive(Debug)]
pub struct RequestReader {
    message: MessageReader<Incoming>,
    header_names: Box<[String]>,
    rules: Rules,
    capture: Capture,
    /// What was kept of the last complete request.
    kept: Option<Box<Excerpt>>,
}

/// A request whose body is being read.
#[derive(Debug)]
struct Incoming {
    request: Request,
    continue_expected: bool,
}

impl RequestReader {
    /// Makes a reader for a new connection, which keeps the values of the header fields named, in
    /// capitals or not.
    #[must_use]
    pub fn new(header_names: &[&str]) -> Self {
        Self::by(Rules::Lenient, header_names)
    }

    /// The same by these rules.
    #[must_use]
    pub fn by(rules: Rules, header_names: &[&str]) -> Self {
        let header_names = header_names.iter().map(|&name| name.to_owned()).collect();
        let (message, capture) = (MessageReader::new(rules, false), Capture::Nothing);
        Self { message, header_names, rules, capture, kept: None }
    }

    /// The same; it keeps the bodies of requests, for [`Self::take_body`].
    #[must_use]
    pub fn keeping_bodies(mut self) -> Self {
        self.capture = Capture::All;
        self.message.capture(self.capture);
        self
    }

    /// The body of the request that was completed last, if it is kept; `None` if it was longer than
    /// [`KEPT_BODY_BYTES_MAX`](crate::protocol::KEPT_BODY_BYTES_MAX).
    pub fn take_body(&mut self) -> Option<Vec<u8>> {
        self.kept.take().filter(|kept| !kept.cut).map(|kept| kept.body)
    }

    /// Whether any byte of the current request has been read. While this is false, the client may
    /// close the connection: no request is cut.
    #[must_use]
    pub fn started(&self) -> bool {
        self.message.started()
    }

    /// Whether nothing of the next request has been read, except for blank lines before it.
    #[must_use]
    pub fn is_between_requests(&self) -> bool {
        self.message.is_between()
    }

    /// Whether the head of the current request has been read, and its body has not.
    #[must_use]
    pub fn is_in_body(&self) -> bool {
        self.message.is_in_body()
    }

    /// Feeds arrived bytes, and returns whether the request is complete.
    ///
    /// # Errors
    /// The client's error. Answer 400 and close the connection then.
    pub fn read(&mut self, bytes: &[u8]) -> Result<RequestProgress, ProtocolError> {
        let (names, rules) = (&self.header_names, self.rules);
        let parse = |bytes: &[u8]| {
            read_request_head(bytes, rules, |head| incoming(head, names))?.transpose()
        };
        if let Some(complete) = self.message.read(bytes, parse)? {
            let Complete { message: Incoming { request, .. }, bytes, used } = complete;
            let request = Request { bytes, ..request };
            self.kept = self.message.take_excerpt();
            self.message.capture(self.capture);
            return Ok(RequestProgress::Complete { request, used });
        }
        let continue_expected = self
            .message
            .current()
            .is_some_and(|incoming| std::mem::take(&mut incoming.continue_expected));
        Ok(RequestProgress::NeedMore { continue_expected })
    }
}

/// The request that a head begins, with its named fields, and the length of the head.
fn incoming(
    head: &ParsedHead<'_, '_, RequestLine<'_>>,
    header_names: &[String],
) -> Result<(Head<Incoming>, usize), ProtocolError> {
    let fields = head.read_fields()?;
    let body = match fields.framing {
        Framing::Unstated => Body::EMPTY,
        Framing::Length(length) => Body::Length(length),
        Framing::Chunked => Body::chunked(head.rules),
        Framing::OtherCoding => return Err(ProtocolError::BadTransferEncoding),
    };
    let value = |name: &str| {
        let header = head.fields.iter().find(|header| header.name.eq_ignore_ascii_case(name))?;
        Some(String::from_utf8_lossy(header.value).into_owned())
    };
    let request = Request {
        method: head.first.method.to_owned(),
        target: head.first.target.to_owned(),
        keep_alive: fields.keep_alive(head.minor_version),
        minor_version: head.minor_version,
        headers: header_names.iter().map(|name| value(name)).collect(),
        bytes: 0,
    };
    let expectation = if head.minor_version >= 1 { value("expect") } else { None };
    let continue_expected =
        expectation.is_some_and(|value| value.eq_ignore_ascii_case("100-continue"));
    Ok((Head::Final(Incoming { request, continue_expected }, body), head.length))
}
