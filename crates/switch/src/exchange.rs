//! How far requests and responses have come on a connection of HTTP/1, so that it is known when
//! there is nothing to do for its client.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::task::{Context, Poll};

use bytes::Bytes;
use hyper::body::{Body, Frame, SizeHint};

use crate::body::BodyError;
use crate::download::Download;
use crate::smuggling_filter::SmugglingFilter;

/// What both ends of a connection's codec have seen: what comes and goes, and responses.
#[derive(Debug)]
pub(crate) struct Exchange {
    /// Requests whose head has come.
    heads: AtomicU64,
    /// Responses of which the codec has all.
    responses: AtomicU64,
    awaits_head: AtomicBool,
    between_requests: AtomicBool,
    /// Whether all that has come has been read.
    reads: AtomicBool,
    /// Whether something may not have been sent.
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

    /// More has come of requests.
    pub(crate) fn note_input(&self, filter: &SmugglingFilter) {
        self.heads.store(filter.requests(), Ordering::Relaxed);
        self.awaits_head.store(filter.awaits_head(), Ordering::Relaxed);
        self.between_requests.store(filter.is_between_requests(), Ordering::Relaxed);
    }

    /// A request has come, and is answered, without the codec.
    pub(crate) fn note_fast_request(&self, filter: &SmugglingFilter) {
        self.note_input(filter);
        self.responses.fetch_add(1, Ordering::Relaxed);
    }

    /// Whether the client may still send something of a request whose head has come.
    pub(crate) fn has_more_input(&self) -> bool {
        !self.between_requests.load(Ordering::Relaxed) && self.heads.load(Ordering::Relaxed) > 0
    }

    /// Whether the codec waits for more to come.
    pub(crate) fn set_reading(&self, waits: bool) {
        self.reads.store(waits, Ordering::Relaxed);
    }

    /// Whether the codec has something to send.
    pub(crate) fn set_writing(&self, something: bool) {
        self.writes.store(something, Ordering::Relaxed);
    }

    /// While there is no request in progress, how many there have been.
    pub(crate) fn requests_before(&self) -> Option<u64> {
        let responses = self.responses.load(Ordering::Relaxed);
        let none = self.heads.load(Ordering::Relaxed) == responses;
        (none && self.awaits_head.load(Ordering::Relaxed)).then_some(responses)
    }

    /// Whether all that has come is answered, and all answers are sent: the codec has nothing in
    /// its buffers but what it may forget, as lines without a word before a request.
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
