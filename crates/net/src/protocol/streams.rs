//! Events of the streams of a connection that has several: HTTP/2 and HTTP/3.

use thinktime_core::time::Nanos;

use super::{Excerpt, StreamNews};

/// An event of a stream; `N` is the type of its number, and of codes. After any but
/// [`StreamEvent::Begun`], [`StreamEvent::News`] and [`StreamEvent::CutShort`] the stream is
/// closed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StreamEvent<N> {
    /// The first frame of the response arrived.
    Begun {
        /// The stream's number.
        stream: N,
    },
    /// A part of a body arrived whose events are counted.
    News {
        /// The stream's number.
        stream: N,
        /// What it brought.
        news: StreamNews,
    },
    /// The response is complete.
    Complete {
        /// The stream's number.
        stream: N,
        /// The status code, 200 to 999.
        status: u16,
        /// Size of the response in bytes: its frames with their headers.
        bytes: u64,
        /// The server's own time, from `Server-Timing`; [`Nanos::MAX`] if not given.
        server_time: Nanos,
        /// Its head, with the trailers, and its body, if the client keeps them.
        excerpt: Option<Box<Excerpt>>,
    },
    /// The server ended the stream without a response.
    Reset {
        /// The stream's number.
        stream: N,
        /// The reason, as one of the protocol's codes.
        code: N,
    },
    /// The response broke the protocol's rules, and the client ended the stream.
    Malformed {
        /// The stream's number.
        stream: N,
    },
    /// The server opened the stream's window too far, and the client ended the stream.
    FlowControl {
        /// The stream's number.
        stream: N,
    },
    /// The stream is about to end, and a part of its request was never sent.
    CutShort {
        /// The stream's number.
        stream: N,
        /// The size of that part in bytes.
        unsent: u64,
    },
    /// The server has not processed the request, and says so: it can be sent again elsewhere.
    Unprocessed {
        /// The stream's number.
        stream: N,
        /// Whether the server took other requests of the connection, which it is about to close.
        /// To send this one again then makes progress.
        others_taken: bool,
    },
}
