//! Responses: the client reads them, the server writes them.

use thinktime_core::file::StreamFormat;
use thinktime_core::time::Nanos;

use super::ProtocolError;
use super::body::Body;
use super::fields::Framing;
use super::head::{ParsedHead, read_response_head};
use super::message::{Complete, Head, MessageReader};
use super::rules::Rules;
use super::write::{push_content_length, push_decimal, push_header};
use crate::protocol::{Capture, Excerpt, StreamNews};

/// The properties of a response that a client needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Response {
    /// The status code, 200 to 999.
    pub status: u16,
    /// Whether the connection can carry another request.
    pub keep_alive: bool,
    /// Size of the response in bytes: interim responses, head and body with its framing.
    pub bytes: u64,
    /// The server's own time, from `Server-Timing`; [`Nanos::MAX`] if not given.
    pub server_time: Nanos,
}

/// The progress of reading a response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResponseProgress {
    /// All bytes were used and the response continues.
    NeedMore,
    /// The response ended.
    Complete {
        /// The response.
        response: Response,
        /// The number of given bytes that belong to the response. The rest was not requested.
        used: usize,
    },
}

/// Reads the responses of one connection, one after another.
#[derive(Debug)]
pub struct ResponseReader {
    message: MessageReader<Response>,
    head_only: bool,
    capture: Capture,
}

impl ResponseReader {
    /// Makes a reader for a new connection.
    #[must_use]
    pub fn new() -> Self {
        Self::capturing(Capture::Nothing)
    }

    /// Makes a reader that keeps this much of responses, for [`Self::take_kept`].
    #[must_use]
    pub fn capturing(capture: Capture) -> Self {
        Self { message: MessageReader::new(Rules::Lenient, true), head_only: false, capture }
    }

    /// The kept part of the complete response.
    pub fn take_excerpt(&mut self) -> Option<Box<Excerpt>> {
        self.message.take_excerpt()
    }

    /// Begins with the response to a request just sent, forgetting any unfinished one.
    ///
    /// `head_only` says that the request was HEAD, whose response has no body.
    pub fn expect(&mut self, head_only: bool) {
        self.message.reset();
        self.message.capture(self.capture);
        self.head_only = head_only;
    }

    /// Counts the events of the response that was just expected.
    pub fn await_events(&mut self, format: StreamFormat) {
        Excerpt::await_events(self.message.excerpt(), format);
    }

    /// What has arrived of the response's events since the last look.
    pub fn take_news(&mut self) -> Option<StreamNews> {
        self.message.excerpt().as_mut()?.events.as_mut()?.take_news()
    }

    /// Whether any byte of the current response has been read. False once it is complete.
    ///
    /// A connection that ends before that may have been closed while idle.
    #[must_use]
    pub fn started(&self) -> bool {
        self.message.started()
    }

    /// Feeds arrived bytes, and returns whether the response is complete.
    ///
    /// # Errors
    /// The server's error. Close the connection then.
    pub fn read(&mut self, bytes: &[u8]) -> Result<ResponseProgress, ProtocolError> {
        let head_only = self.head_only;
        let parse = |bytes: &[u8]| {
            read_response_head(bytes, Rules::Lenient, |head| begun(head, head_only))?.transpose()
        };
        let complete = self.message.read(bytes, parse)?;
        Ok(complete.map_or(ResponseProgress::NeedMore, |complete| ResponseProgress::Complete {
            used: complete.used,
            response: complete.into(),
        }))
    }

    /// Ends the response with the connection, which the server closed.
    ///
    /// # Errors
    /// [`ProtocolError::UnexpectedEnd`] unless the body was one that lasts until the close.
    pub fn end_of_stream(&mut self) -> Result<Response, ProtocolError> {
        self.message.end_of_stream().map(Response::from)
    }
}

impl Default for ResponseReader {
    fn default() -> Self {
        Self::new()
    }
}

impl From<Complete<Response>> for Response {
    /// Fills in the size, which is known last.
    fn from(complete: Complete<Self>) -> Self {
        Self { bytes: complete.bytes, ..complete.message }
    }
}

/// The response that a head begins, or announces, and the length of the head.
fn begun(
    head: &ParsedHead<'_, '_, u16>,
    head_only: bool,
) -> Result<(Head<Response>, usize), ProtocolError> {
    let status = head.first;
    match status {
        0..100 => return Err(ProtocolError::BadStatusLine),
        101 => return Err(ProtocolError::UnexpectedUpgrade),
        102..200 | 100 => return Ok((Head::Interim, head.length)),
        _ => {}
    }
    let fields = head.read_fields()?;
    let body = match fields.framing {
        _ if head_only || has_no_body(status) => Body::EMPTY,
        Framing::Length(length) => Body::Length(length),
        Framing::Chunked => Body::chunked(head.rules),
        Framing::OtherCoding | Framing::Unstated => Body::UntilClose,
    };
    let keep_alive = fields.keep_alive(head.minor_version) && !body.ends_with_connection();
    let server_time = fields.timing.time();
    let response = Response { status, keep_alive, bytes: 0, server_time };
    Ok((Head::Final(response, body), head.length))
}

/// Whether responses of this status never have a body.
fn has_no_body(status: u16) -> bool {
    matches!(status, 100..200 | 204 | 304)
}

/// Appends a response whose body is `body_length` times the letter `x`.
///
/// Responses of a status without body (1xx, 204, 304) get none, whatever `body_length` is. The
/// caller vouches that names and values of `headers` hold no line ends.
pub fn write_response(
    out: &mut Vec<u8>,
    status: u16,
    headers: &[(&str, &str)],
    body_length: usize,
    keep_alive: bool,
) {
    write_response_head(out, status, headers, body_length, keep_alive);
    if !has_no_body(status) {
        out.resize(out.len() + body_length, b'x');
    }
}

/// Appends only the head of such a response: the answer to HEAD, or before a body sent otherwise.
///
/// The Connection field is always written, since clients of HTTP/1.0 need it to stay.
pub fn write_response_head(
    out: &mut Vec<u8>,
    status: u16,
    headers: &[(&str, &str)],
    body_length: usize,
    keep_alive: bool,
) {
    out.extend_from_slice(b"HTTP/1.1 ");
    push_decimal(out, usize::from(status));
    out.push(b' ');
    out.extend_from_slice(reason_phrase(status).as_bytes());
    out.extend_from_slice(b"\r\n");
    if !has_no_body(status) {
        push_content_length(out, body_length);
    }
    push_header(out, "Connection", if keep_alive { b"keep-alive" } else { b"close" });
    for (name, value) in headers {
        push_header(out, name, value.as_bytes());
    }
    out.extend_from_slice(b"\r\n");
}

/// Appends the head of a success whose length is not known yet: the body comes in chunks, or, for a
/// client that knows none, until the connection's end.
pub fn write_stream_head(
    out: &mut Vec<u8>,
    headers: &[(&str, &str)],
    chunked: bool,
    keep_alive: bool,
) {
    out.extend_from_slice(b"HTTP/1.1 200 OK\r\n");
    if chunked {
        push_header(out, "Transfer-Encoding", b"chunked");
    }
    let stays = chunked && keep_alive;
    push_header(out, "Connection", if stays { b"keep-alive" } else { b"close" });
    for (name, value) in headers {
        push_header(out, name, value.as_bytes());
    }
    out.extend_from_slice(b"\r\n");
}

/// The customary words for a status; empty for a rare one.
fn reason_phrase(status: u16) -> &'static str {
    match status {
        100 => "Continue",
        200 => "OK",
        201 => "Created",
        202 => "Accepted",
        204 => "No Content",
        206 => "Partial Content",
        301 => "Moved Permanently",
        302 => "Found",
        303 => "See Other",
        304 => "Not Modified",
        307 => "Temporary Redirect",
        308 => "Permanent Redirect",
        400 => "Bad Request",
        401 => "Unauthorized",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        408 => "Request Timeout",
        409 => "Conflict",
        411 => "Length Required",
        413 => "Content Too Large",
        414 => "URI Too Long",
        417 => "Expectation Failed",
        429 => "Too Many Requests",
        431 => "Request Header Fields Too Large",
        500 => "Internal Server Error",
        501 => "Not Implemented",
        502 => "Bad Gateway",
        503 => "Service Unavailable",
        504 => "Gateway Timeout",
        505 => "HTTP Version Not Supported",
        _ => "",
    }
}
