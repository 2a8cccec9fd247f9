//! The progress of requests and responses on a connection of HTTP/1, which shows when its client is
//! idle.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::task::{Context, Poll};

use bytes::Bytes;
use hyper::body::{Body, Frame, SizeHint};

use crate::body::BodyError;
use crate::download::Download;
use crate::smuggling_filter::SmugglingFilter;

/// The events at both ends of a connection's codec: bytes in and out, and responses.
#[derive(Debug)]
pub(crate) struct Exchange {
    /// Requests whose head has arrived.
    heads: AtomicU64,
    /// Responses that the codec has in full.
    responses: AtomicU64,
    awaits_head: AtomicBool,
    between_requests: AtomicBool,
    /// Whether all arrived data was read.
    reads: AtomicBool,
    /// Whether some output may be unsent.
    writes: AtomicBool,
}

impl Exchange {
    pub(crate) fn new() -> Exchange {
        Exchange {
            heads: AtomicU64::new(0),
            responses: AtomicU64::new(0),
            awaits_head: AtomicBool::new(true),
            between_requests: AtomicBool::new(true),
            reads: AtomicBool::new(false),
            writes: AtomicBool::new(false),
        }
    }

    /// More data of requests has arrived.
    pub(crate) fn note_input(&self, filter: &SmugglingFilter) {
        self.heads.store(filter.requests(), Ordering::Relaxed);
        self.awaits_head.store(filter.awaits_head(), Ordering::Relaxed);
        self.between_requests.store(filter.is_between_requests(), Ordering::Relaxed);
    }

    /// A request was received and answered without the codec.
    pub(crate) fn note_fast_request(&self, filter: &SmugglingFilter) {
        self.note_input(filter);
        self.responses.fetch_add(1, Ordering::Relaxed);
    }

    /// Whether the client may still send a part of a request whose head has arrived.
    pub(crate) fn has_more_input(&self) -> bool {
        !self.between_requests.load(Ordering::Relaxed) && self.heads.load(Ordering::Relaxed) > 0
    }

    /// Whether the codec waits for more data.
    pub(crate) fn set_reading(&self, waits: bool) {
        self.reads.store(waits, Ordering::Relaxed);
    }

    /// Whether the codec has something to send.
    pub(crate) fn set_writing(&self, something: bool) {
        self.writes.store(something, Ordering::Relaxed);
    }

    /// Without a request in progress, the number of earlier ones.
    pub(crate) fn requests_before(&self) -> Option<u64> {
        let responses = self.responses.load(Ordering::Relaxed);
        let none = self.heads.load(Ordering::Relaxed) == responses;
        (none && self.awaits_head.load(Ordering::Relaxed)).then_some(responses)
    }

    /// Whether everything is answered and sent: the codec's buffers hold only data that it may
    /// lose, such as blank lines before a request.
    pub(crate) fn is_idle(&self) -> bool {
        let is = |what: &AtomicBool| what.load(Ordering::Relaxed);
        let idle = is(&self.between_requests) && is(&self.reads) && !is(&self.writes);
        idle && self.requests_before().is_some()
    }
}

/// A response's body. When it is dropped, the codec has all of it.
#[derive(Debug)]
pub(crate) struct Answer {
    body: Download,
    exchange: Arc<Exchange>,
}

impl Answer {
    pub(crate) fn new(body: Download, exchange: Arc<Exchange>) -> Answer {
        Answer { body, exchange }
    }
}

impl Drop for Answer {
    fn drop(&mut self) {
        self.exchange.responses.fetch_add(1, Ordering::Relaxed);
    }
}

impl Body for Answer {
    type Data = Bytes;
    type Error = BodyError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BodyError>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
