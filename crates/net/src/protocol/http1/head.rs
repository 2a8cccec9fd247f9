//! Heads as they lie in their bytes: every head of HTTP/1 that Thinktime's Rust reads without hyper
//! is parsed here.

use std::mem::MaybeUninit;

pub use httparse::Header;

use super::fields::{Fields, Framing};
use super::rules::Rules;
use super::{HEADERS_MAX, ProtocolError};

/// The content of a request's first line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RequestLine<'a> {
    /// The method, such as `GET`.
    pub method: &'a str,
    /// The target as sent, such as `/item?id=1`.
    pub target: &'a str,
}

/// A whole head.
#[derive(Debug)]
pub struct ParsedHead<'h, 'a, First> {
    /// The content of its first line: a [`RequestLine`], or the status of a response.
    pub first: First,
    /// 0 or 1: the message is of HTTP/1.0 or HTTP/1.1.
    pub minor_version: u8,
    /// The header fields, with names as sent, and values without the blanks around them.
    pub fields: &'h [Header<'a>],
    /// Its length in bytes, through the blank line that ends it.
    pub length: usize,
    /// The rules by which it was read.
    pub(super) rules: Rules,
}

impl<First> ParsedHead<'_, '_, First> {
    /// How the head marks the end of the body.
    ///
    /// # Errors
    /// The peer's error: lengths are malformed, or contradict one another.
    pub fn framing(&self) -> Result<Framing, ProtocolError> {
        Ok(self.read_fields()?.framing)
    }

    pub(super) fn read_fields(&self) -> Result<Fields, ProtocolError> {
        let fields = Fields::read(self.fields, self.rules)?;
        let coded = fields.framing == Framing::Chunked;
        if coded && self.rules == Rules::Strict && self.minor_version == 0 {
            return Err(ProtocolError::BadTransferEncoding);
        }
        Ok(fields)
    }
}

/// Parses bytes that begin with the head of a request; nothing if it is not complete.
///
/// # Errors
/// The client's error.
pub fn read_request_head<'a, T>(
    bytes: &'a [u8],
    rules: Rules,
    take: impl FnOnce(&ParsedHead<'_, 'a, RequestLine<'a>>) -> T,
) -> Result<Option<T>, ProtocolError> {
    let mut fields = [const { MaybeUninit::uninit() }; HEADERS_MAX];
    let mut head = httparse::Request::new(&mut []);
    let status = head
        .parse_with_uninit_headers(bytes, &mut fields)
        .map_err(|error| ProtocolError::in_head(error, ProtocolError::BadRequestLine))?;
    let httparse::Status::Complete(length) = status else { return Ok(None) };
    let (Some(method), Some(target), Some(minor_version)) = (head.method, head.path, head.version)
    else {
        return Err(ProtocolError::BadRequestLine);
    };
    if !rules.admit_lines(&bytes[..length]) {
        return Err(ProtocolError::BadLineEnd);
    }
    let first = RequestLine { method, target };
    Ok(Some(take(&ParsedHead { first, minor_version, fields: head.headers, length, rules })))
}

/// Parses bytes that begin with the head of a response; nothing if it is not complete.
///
/// # Errors
/// The server's error.
pub fn read_response_head<'a, T>(
    bytes: &'a [u8],
    rules: Rules,
    take: impl FnOnce(&ParsedHead<'_, 'a, u16>) -> T,
) -> Result<Option<T>, ProtocolError> {
    let mut fields = [const { MaybeUninit::uninit() }; HEADERS_MAX];
    let mut head = httparse::Response::new(&mut []);
    let status = httparse::ParserConfig::default()
        .parse_response_with_uninit_headers(&mut head, bytes, &mut fields)
        .map_err(|error| ProtocolError::in_head(error, ProtocolError::BadStatusLine))?;
    let httparse::Status::Complete(length) = status else { return Ok(None) };
    let (Some(minor_version), Some(first)) = (head.version, head.code) else {
        return Err(ProtocolError::BadStatusLine);
    };
    if !rules.admit_lines(&bytes[..length]) {
        return Err(ProtocolError::BadLineEnd);
    }
    Ok(Some(take(&ParsedHead { first, minor_version, fields: head.headers, length, rules })))
}

impl ProtocolError {
    /// The peer's error in a head that `httparse` refused: `start_line`, if it was in the first
    /// line.
    fn in_head(error: httparse::Error, start_line: Self) -> Self {
        match error {
            httparse::Error::Status | httparse::Error::Token | httparse::Error::Version => {
                start_line
            }
            httparse::Error::HeaderName | httparse::Error::HeaderValue => Self::BadHeader,
            httparse::Error::NewLine => Self::BadLineEnd,
            httparse::Error::TooManyHeaders => Self::TooManyHeaders,
        }
    }
}
