//! HTTP/1.1 (RFC 9112) for a load generator and for a server with a known demand.
//!
//! | | writes | reads |
//! |---|---|---|
//! | client | [`write_request`] | [`ResponseReader`] |
//! | server | [`write_response`] | [`RequestReader`] |
//!
//! A reader belongs to one connection and is fed all arrived bytes, in pieces of any size; the cuts
//! never change the result. Bodies are counted and skipped, unless they must be kept. A message
//! that lies whole in the given slice is parsed in place. Only a head cut in two is copied, at most
//! [`HEAD_BYTES_MAX`] of it, so memory is bounded for every peer.
//!
//! The readers are strict if leniency would hide a fault of the server under test (contradictory
//! lengths, malformed chunks). They are lenient if servers commonly differ without harm (bare line
//! feeds in heads, blank lines before them, a missing reason phrase), unless [`Rules::Strict`] asks
//! for more: a switch must not pass on what two programs may read differently. After a
//! [`ProtocolError`] the two ends no longer agree on the begin of a message: close the connection.
//!
//! The inside, from the bytes up: `body` skips one body, `head` parses a whole head, `fields`
//! decides the framing of the body, `message` buffers a cut head and joins head and body, and
//! `request` and `response` add the differences between the two directions. The head of a
//! WebSocket's handshake, or of a proxy's answer, is read by the same parts.

mod body;
mod fields;
mod folds;
mod head;
mod message;
mod request;
mod response;
mod rules;
#[cfg(test)]
mod tests;
mod write;

pub(in crate::protocol) use body::Body;
pub use fields::Framing;
pub use head::{Header, ParsedHead, RequestLine, read_request_head, read_response_head};
pub(in crate::protocol) use message::{Head, MessageReader};
pub use request::{CONTINUE, Request, RequestHead, RequestProgress, RequestReader, write_request};
pub use response::{
    Response, ResponseProgress, ResponseReader, write_response, write_response_head,
    write_stream_head,
};
pub use rules::Rules;

/// The longest head that is read, in bytes, from its first line through the blank line ending it.
pub const HEAD_BYTES_MAX: usize = 64 * 1024;

/// The most header fields that one head may have.
pub const HEADERS_MAX: usize = 128;

/// The most bytes that may stand between the data of two chunks, or after the last chunk's: size
/// line with extensions, or trailers.
pub const CHUNK_OVERHEAD_BYTES_MAX: usize = 16 * 1024;

/// The peer's error. The connection cannot be used any longer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
pub enum ProtocolError {
    /// The response does not begin with a status line of HTTP/1.0 or HTTP/1.1.
    #[error("the response does not begin with an HTTP/1.x status line")]
    BadStatusLine,
    /// The request does not begin with a request line of HTTP/1.0 or HTTP/1.1.
    #[error("the request does not begin with an HTTP/1.x request line")]
    BadRequestLine,
    /// A header field has a malformed name or value, or is folded over several lines.
    #[error("a header field is malformed")]
    BadHeader,
    /// A line of the head does not end with the required line feed.
    #[error("a line of the head is not ended by CR LF")]
    BadLineEnd,
    /// The head has more than [`HEADERS_MAX`] fields.
    #[error("the head has more than {HEADERS_MAX} header fields")]
    TooManyHeaders,
    /// The head is longer than [`HEAD_BYTES_MAX`].
    #[error("the head is longer than {HEAD_BYTES_MAX} bytes")]
    HeadTooLarge,
    /// Content-Length is not a decimal number of bytes below 2^64.
    #[error("Content-Length is not a number of bytes")]
    BadContentLength,
    /// Two differing lengths are stated, or a length besides a transfer coding.
    #[error("the head states two different lengths of the body")]
    ConflictingLength,
    /// A request's transfer coding does not end in `chunked`, so its length cannot be known.
    #[error("the request's Transfer-Encoding does not end in chunked")]
    BadTransferEncoding,
    /// A chunk's size, a line end after a chunk or a trailer is malformed.
    #[error("the chunked body is malformed")]
    BadChunk,
    /// Extensions or trailers are longer than [`CHUNK_OVERHEAD_BYTES_MAX`].
    #[error("a chunk's extensions or trailers are longer than {CHUNK_OVERHEAD_BYTES_MAX} bytes")]
    ChunkOverheadTooLarge,
    /// The server switched to another protocol, which nobody requested.
    #[error("the server switched protocols without being asked")]
    UnexpectedUpgrade,
    /// The peer closed the connection before the message was complete.
    #[error("the connection was closed before the message was complete")]
    UnexpectedEnd,
}

impl ProtocolError {
    /// A short name that stays the same between versions, by which errors are counted.
    #[must_use]
    pub fn kind(self) -> &'static str {
        match self {
            Self::BadStatusLine => "bad_status_line",
            Self::BadRequestLine => "bad_request_line",
            Self::BadHeader => "bad_header",
            Self::BadLineEnd => "bad_line_end",
            Self::TooManyHeaders => "too_many_headers",
            Self::HeadTooLarge => "head_too_large",
            Self::BadContentLength => "bad_content_length",
            Self::ConflictingLength => "conflicting_length",
            Self::BadTransferEncoding => "bad_transfer_encoding",
            Self::BadChunk => "bad_chunk",
            Self::ChunkOverheadTooLarge => "chunk_overhead_too_large",
            Self::UnexpectedUpgrade => "unexpected_upgrade",
            Self::UnexpectedEnd => "unexpected_end",
        }
    }
}
