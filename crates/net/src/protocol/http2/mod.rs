//! HTTP/2 (RFC 9113) for a client, with header compression (RFC 7541).
//!
//! A [`Client`] is one end of one connection. It writes requests into a buffer of the caller's and
//! is fed all arrived bytes, in pieces of any size; the cuts never change the result. Bodies are
//! counted and skipped, unless they must be kept. Complete data is parsed in place; only a frame
//! cut in two is copied, and no frame is longer than 16 KiB.
//!
//! Memory is bounded for every server: a frame, a header block and a header list have limits. So
//! have the number of frames without progress (pings, settings, empty frames) and the replies that
//! wait for a server which does not read them. The windows of flow control are so large that they
//! are seldom opened again.
//!
//! After an [`Http2Error`] the connection is unusable: a GOAWAY frame that reports it was written.
//!
//! The inside, from the bytes up: `frame` cuts bytes into frames, `hpack` turns header blocks into
//! fields and back, `stream` follows one exchange, and `client` and `dispatch` join them. The
//! meaning of a response's head and body is shared with HTTP/3 (`head` and `response` beside this
//! module).

mod client;
mod dispatch;
mod frame;
mod hpack;
mod request;
mod settings;
mod stream;
#[cfg(test)]
mod tests;

pub use client::{Client, Event};
pub use request::SentRequest;

#[cfg(doc)]
use super::REPLY_BYTES_MAX;
use super::RepliesUnread;
use super::literals::Undecodable;

/// The default number of concurrent streams of a client.
pub const STREAMS_MAX: usize = 100;

/// The longest accepted header block, in bytes as they arrive.
pub const BLOCK_BYTES_MAX: usize = 64 * 1024;

/// The largest accepted header list, in bytes as RFC 9113 counts them: 32 a field, and those of its
/// name and value.
pub const LIST_BYTES_MAX: usize = 64 * 1024;

/// The most consecutive frames without progress for a response.
pub const BARREN_FRAMES_MAX: u32 = 1000;

/// The server's error. The connection cannot be used any longer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
pub enum Http2Error {
    /// A frame at a forbidden place, or with forbidden content.
    #[error("a frame of HTTP/2 breaks the protocol's rules")]
    Protocol,
    /// A frame is longer than agreed, or has a wrong length for its kind.
    #[error("a frame of HTTP/2 has a wrong length")]
    FrameSize,
    /// The server sent more than the window allows, or opened a window too far.
    #[error("the rules of flow control are broken")]
    FlowControl,
    /// A header block cannot be decompressed.
    #[error("a header block cannot be decompressed")]
    Compression,
    /// A header block is longer than [`BLOCK_BYTES_MAX`], or its list than [`LIST_BYTES_MAX`].
    #[error("the head is longer than {BLOCK_BYTES_MAX} bytes")]
    HeadTooLarge,
    /// More than [`BARREN_FRAMES_MAX`] consecutive frames made no progress.
    #[error("the server sends frames that bring nothing")]
    Flood,
    /// More than [`REPLY_BYTES_MAX`] of replies waited for a server that does not read them.
    #[error("the server does not read the replies that it asks for")]
    RepliesUnread,
}

impl Http2Error {
    /// A short name that stays the same between versions, by which errors are counted.
    #[must_use]
    pub fn kind(self) -> &'static str {
        match self {
            Self::Protocol => "http2_protocol",
            Self::FrameSize => "http2_frame_size",
            Self::FlowControl => "http2_flow_control",
            Self::Compression => "http2_compression",
            Self::HeadTooLarge => "head_too_large",
            Self::Flood => "http2_flood",
            Self::RepliesUnread => RepliesUnread::KIND,
        }
    }

    /// The error code for the server.
    fn code(self) -> u32 {
        match self {
            Self::Protocol => code::PROTOCOL_ERROR,
            Self::FlowControl => code::FLOW_CONTROL_ERROR,
            Self::FrameSize => code::FRAME_SIZE_ERROR,
            Self::Compression => code::COMPRESSION_ERROR,
            Self::HeadTooLarge | Self::Flood | Self::RepliesUnread => code::ENHANCE_YOUR_CALM,
        }
    }
}

impl From<Undecodable> for Http2Error {
    fn from(_: Undecodable) -> Self {
        Self::Compression
    }
}

impl From<RepliesUnread> for Http2Error {
    fn from(_: RepliesUnread) -> Self {
        Self::RepliesUnread
    }
}

/// Error codes, RFC 9113 section 7.
mod code {
    pub(super) const PROTOCOL_ERROR: u32 = 1;
    pub(super) const FLOW_CONTROL_ERROR: u32 = 3;
    pub(super) const FRAME_SIZE_ERROR: u32 = 6;
    pub(super) const REFUSED_STREAM: u32 = 7;
    pub(super) const CANCEL: u32 = 8;
    pub(super) const COMPRESSION_ERROR: u32 = 9;
    pub(super) const ENHANCE_YOUR_CALM: u32 = 11;
}
