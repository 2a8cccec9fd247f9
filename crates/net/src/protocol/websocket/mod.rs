//! WebSocket (RFC 6455) for a client, without extensions.
//!
//! A [`Client`] is one end of one connection. It writes its handshake and its messages into a
//! buffer of the caller's and is fed all arrived bytes, in pieces of any size; the cuts never
//! change the result. Messages are not kept here: their parts are handed on as they arrive, so that
//! memory is bounded for every server. The buffers (the head of the handshake, the header of a
//! frame, the payload of a control frame) have limits. So have the length of a message, the number
//! of frames without progress, and the pongs that wait for a server which does not read them.
//!
//! After a [`WebSocketError`] the connection is unusable: a close frame that reports it was
//! written, unless the handshake had failed.
//!
//! The inside, from the bytes up: `frame` reads headers of frames and writes frames, `handshake` is
//! the request of HTTP/1.1 and its answer, `text` checks UTF-8 in pieces, and `client` joins them.

mod client;
mod frame;
mod handshake;
#[cfg(test)]
mod tests;
mod text;

pub use client::{Client, Event};
pub use handshake::HandshakeRequest;

#[cfg(doc)]
use super::REPLY_BYTES_MAX;
use super::RepliesUnread;

/// The longest accepted message, in bytes.
pub const MESSAGE_BYTES_MAX: u64 = 64 << 20;

/// The most consecutive frames without progress for a message.
pub const BARREN_FRAMES_MAX: u32 = 1000;

/// The server's error. The connection cannot be used any longer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
pub enum WebSocketError {
    /// It answered the handshake with another status than 101.
    #[error("the server did not switch to WebSocket")]
    Refused,
    /// Its answer to the handshake is malformed, has a wrong Sec-WebSocket-Accept, or grants
    /// something that nobody requested.
    #[error("the answer to the handshake is not that of a WebSocket server")]
    Handshake,
    /// It chose none of the offered subprotocols, or another one.
    #[error("the server chose no subprotocol that was offered")]
    Subprotocol,
    /// The head of its answer is longer than the limit for responses of HTTP/1.1.
    #[error("the head of the handshake is too long")]
    HeadTooLarge,
    /// A frame at a forbidden place, or with forbidden content.
    #[error("a frame of WebSocket breaks the protocol's rules")]
    Protocol,
    /// A text is no UTF-8.
    #[error("a text message is no UTF-8")]
    Text,
    /// A message is longer than [`MESSAGE_BYTES_MAX`].
    #[error("a message is longer than {MESSAGE_BYTES_MAX} bytes")]
    TooLarge,
    /// More than [`BARREN_FRAMES_MAX`] consecutive frames made no progress.
    #[error("the server sends frames that bring nothing")]
    Flood,
    /// More than [`REPLY_BYTES_MAX`] of replies waited for a server that does not read them.
    #[error("the server does not read the replies that it asks for")]
    RepliesUnread,
}

impl WebSocketError {
    /// A short name that stays the same between versions, by which errors are counted.
    #[must_use]
    pub fn kind(self) -> &'static str {
        match self {
            Self::Refused => "websocket_refused",
            Self::Handshake => "websocket_handshake",
            Self::Subprotocol => "websocket_subprotocol",
            Self::HeadTooLarge => "head_too_large",
            Self::Protocol => "websocket_protocol",
            Self::Text => "websocket_text",
            Self::TooLarge => "websocket_too_large",
            Self::Flood => "websocket_flood",
            Self::RepliesUnread => RepliesUnread::KIND,
        }
    }

    /// The code for the server; `None` before the handshake has ended.
    fn code(self) -> Option<u16> {
        match self {
            Self::Refused | Self::Handshake | Self::Subprotocol | Self::HeadTooLarge => None,
            Self::Protocol => Some(code::PROTOCOL_ERROR),
            Self::Text => Some(code::INVALID_TEXT),
            Self::TooLarge => Some(code::TOO_BIG),
            Self::Flood | Self::RepliesUnread => Some(code::POLICY),
        }
    }
}

impl From<RepliesUnread> for WebSocketError {
    fn from(_: RepliesUnread) -> Self {
        Self::RepliesUnread
    }
}

/// Why a connection is closed, RFC 6455 section 7.4.1.
mod code {
    pub(super) const NORMAL: u16 = 1000;
    pub(super) const PROTOCOL_ERROR: u16 = 1002;
    pub(super) const INVALID_TEXT: u16 = 1007;
    pub(super) const POLICY: u16 = 1008;
    pub(super) const TOO_BIG: u16 = 1009;

    /// Whether a peer may give this code.
    pub(super) fn may_be_sent(code: u16) -> bool {
        matches!(code, 1000..=1003 | 1007..=1014 | 3000..=4999)
    }
}
