//! HTTP/3 (RFC 9114) for a client, with header compression (QPACK, RFC 9204).
//!
//! A [`Client`] is one end of one connection, without QUIC: it writes the data of streams, and is
//! fed their arrived data, in order and in pieces of any size; the cuts never change the result.
//! Streams have the numbers that QUIC gives them. Bodies are counted and skipped, unless they must
//! be kept.
//!
//! No direction has a dynamic table: a head never waits for another stream, and the server can
//! never make the client store fields.
//!
//! Memory is bounded for every server: a header block, a header list and a frame of the control
//! stream have limits, and so has the number of frames without progress.
//!
//! After an [`Http3Error`] the connection is unusable and must be closed with the error's
//! [`code`](Http3Error::code).
//!
//! The inside, from the bytes up: `varint` and `frame` cut bytes into frames, `qpack` turns header
//! blocks into fields and back, `stream` follows one exchange, `control` the server's own streams,
//! and `client` joins them. The meaning of a response's head and body is shared with HTTP/2 (`head`
//! and `response` beside this module).

mod client;
mod control;
mod frame;
mod qpack;
mod stream;
#[cfg(test)]
mod tests;
mod varint;

pub use client::{Client, EncodedRequest, Event};
pub use control::Stop;

use super::literals::Undecodable;

/// The longest accepted header block, in bytes as they arrive.
pub const BLOCK_BYTES_MAX: usize = 64 * 1024;

/// The largest accepted header list, in bytes as RFC 9114 counts them: 32 a field, and those of its
/// name and value.
pub const LIST_BYTES_MAX: usize = 64 * 1024;

/// The longest accepted settings, in bytes.
pub const SETTINGS_BYTES_MAX: usize = 4096;

/// The most consecutive frames, instructions and streams without progress for a response.
pub const BARREN_FRAMES_MAX: u32 = 1000;

/// The server's error. The connection cannot be used any longer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
pub enum Http3Error {
    /// A frame at a forbidden place.
    #[error("a frame of HTTP/3 is in the wrong place")]
    FrameUnexpected,
    /// A frame has a wrong form for its kind, or its stream ends in the midst of it.
    #[error("a frame of HTTP/3 has a wrong form")]
    Frame,
    /// A second stream of a kind that must be unique.
    #[error("the server opened a second stream of a kind that may occur once")]
    StreamCreation,
    /// The server ended a stream that lasts as long as the connection.
    #[error("the server ended a stream that must stay open")]
    ClosedCriticalStream,
    /// An invalid number of a stream or a push.
    #[error("the server named a stream or a push that cannot exist")]
    Id,
    /// A forbidden setting.
    #[error("the server sent a forbidden setting")]
    Settings,
    /// The control stream begins with something else than settings.
    #[error("the server's control stream begins without settings")]
    MissingSettings,
    /// A header block cannot be decompressed, or refers to a table that does not exist.
    #[error("a header block cannot be decompressed")]
    Decompression,
    /// The server's encoder sends an instruction that makes no sense without a dynamic table.
    #[error("the server's encoder breaks the rules of header compression")]
    EncoderStream,
    /// The server's decoder confirms an instruction that was never sent.
    #[error("the server's decoder breaks the rules of header compression")]
    DecoderStream,
    /// A header block is longer than [`BLOCK_BYTES_MAX`], or its list than [`LIST_BYTES_MAX`].
    #[error("the head is longer than {BLOCK_BYTES_MAX} bytes")]
    HeadTooLarge,
    /// More than [`BARREN_FRAMES_MAX`] consecutive frames made no progress, or settings are longer
    /// than [`SETTINGS_BYTES_MAX`].
    #[error("the server sends frames that bring nothing")]
    Flood,
}

impl Http3Error {
    /// A short name that stays the same between versions, by which errors are counted.
    #[must_use]
    pub fn kind(self) -> &'static str {
        match self {
            Self::FrameUnexpected
            | Self::StreamCreation
            | Self::ClosedCriticalStream
            | Self::Id
            | Self::Settings
            | Self::MissingSettings => "http3_protocol",
            Self::Frame => "http3_frame",
            Self::Decompression | Self::EncoderStream | Self::DecoderStream => "http3_compression",
            Self::HeadTooLarge => "head_too_large",
            Self::Flood => "http3_flood",
        }
    }

    /// The code for closing the connection: RFC 9114 section 8.1, RFC 9204 section 6.
    #[must_use]
    pub fn code(self) -> u64 {
        match self {
            Self::StreamCreation => code::STREAM_CREATION_ERROR,
            Self::ClosedCriticalStream => code::CLOSED_CRITICAL_STREAM,
            Self::FrameUnexpected => code::FRAME_UNEXPECTED,
            Self::Frame => code::FRAME_ERROR,
            Self::HeadTooLarge | Self::Flood => code::EXCESSIVE_LOAD,
            Self::Id => code::ID_ERROR,
            Self::Settings => code::SETTINGS_ERROR,
            Self::MissingSettings => code::MISSING_SETTINGS,
            Self::Decompression => code::DECOMPRESSION_FAILED,
            Self::EncoderStream => code::ENCODER_STREAM_ERROR,
            Self::DecoderStream => code::DECODER_STREAM_ERROR,
        }
    }
}

impl From<Undecodable> for Http3Error {
    fn from(_: Undecodable) -> Self {
        Self::Decompression
    }
}

/// Error codes, RFC 9114 section 8.1 and RFC 9204 section 6.
pub mod code {
    /// The connection ends without an error.
    pub const NO_ERROR: u64 = 0x100;
    pub(super) const STREAM_CREATION_ERROR: u64 = 0x103;
    pub(super) const CLOSED_CRITICAL_STREAM: u64 = 0x104;
    pub(super) const FRAME_UNEXPECTED: u64 = 0x105;
    pub(super) const FRAME_ERROR: u64 = 0x106;
    pub(super) const EXCESSIVE_LOAD: u64 = 0x107;
    pub(super) const ID_ERROR: u64 = 0x108;
    pub(super) const SETTINGS_ERROR: u64 = 0x109;
    pub(super) const MISSING_SETTINGS: u64 = 0x10a;
    pub(super) const REQUEST_REJECTED: u64 = 0x10b;
    /// The client no longer wants the response.
    pub const REQUEST_CANCELLED: u64 = 0x10c;
    pub(super) const MESSAGE_ERROR: u64 = 0x10e;
    pub(super) const DECOMPRESSION_FAILED: u64 = 0x200;
    pub(super) const ENCODER_STREAM_ERROR: u64 = 0x201;
    pub(super) const DECODER_STREAM_ERROR: u64 = 0x202;
}
