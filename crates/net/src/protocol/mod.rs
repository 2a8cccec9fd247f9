//! Protocols as state machines without I/O.
//!
//! A protocol here turns messages into bytes and bytes into messages, and nothing more: it opens no
//! socket, reads no clock and starts no thread. The driver that owns the connection hands it
//! arrived bytes and sends its output, so the same code runs over TCP, TLS or a test's slice.

mod content;
mod event_reader;
mod excerpt;
mod fields;
pub mod grpc;
mod head;
pub mod http1;
pub mod http2;
pub mod http3;
mod literals;
mod outbox;
pub mod postgresql;
pub mod resp;
mod response;
mod server_timing;
mod streams;
mod token_usage;
pub mod websocket;

pub use content::{Content, DecodingError};
pub use event_reader::{EVENT_BYTES_MAX, EventReader, StreamNews};
pub use excerpt::{Capture, Excerpt, KEPT_BODY_BYTES_MAX};
pub use outbox::{Outbox, REPLY_BYTES_MAX, RepliesUnread};
pub use server_timing::{SERVER_TIMING, ServerTiming};
pub use streams::StreamEvent;
