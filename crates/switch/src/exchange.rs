//! How far requests and responses have come on a connection of HTTP/1, so that it is known when
//! there is nothing to do for its client.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::task::{Context, Poll};

use bytes::Bytes;
use hyper::body::{Body, Frame, SizeHint};

use crate::guard::Guard;
use crate::stream::{Broken, Download};

/// What both ends of a connection's codec have seen: what comes and goes, and responses.
#[derive(Debug)]
pub(crate) struct Exchange {
    /// Requests whose head has come.
    begun: AtomicU64,
    /// Responses of which the codec has all.
    ended: AtomicU64,
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
            begun: AtomicU64::new(0),
            ended: AtomicU64::new(0),
            awaits_head: AtomicBool::new(true),
            between_requests: AtomicBool::new(true),
            reads: AtomicBool::new(false),
            writes: AtomicBool::new(false),
        }
    }

    /// More has come of requests.
    pub(crate) fn has_come(&self, guard: &Guard) {
        self.begun.store(guard.requests(), Ordering::Relaxed);
        self.awaits_head.store(guard.awaits_head(), Ordering::Relaxed);
        self.between_requests.store(guard.is_between_requests(), Ordering::Relaxed);
    }

    /// A request has come, and is answered, without the codec.
    pub(crate) fn has_passed(&self, guard: &Guard) {
        self.has_come(guard);
        self.ended.fetch_add(1, Ordering::Relaxed);
    }

    /// Whether the client may still send something of a request whose head has come.
    pub(crate) fn sends_on(&self) -> bool {
        !self.between_requests.load(Ordering::Relaxed) && self.begun.load(Ordering::Relaxed) > 0
    }

    /// Whether the codec waits for more to come.
    pub(crate) fn reads(&self, waits: bool) {
        self.reads.store(waits, Ordering::Relaxed);
    }

    /// Whether the codec has something to send.
    pub(crate) fn writes(&self, something: bool) {
        self.writes.store(something, Ordering::Relaxed);
    }

    /// While there is no request in progress, how many there have been.
    pub(crate) fn waits_after(&self) -> Option<u64> {
        let ended = self.ended.load(Ordering::Relaxed);
        let none = self.begun.load(Ordering::Relaxed) == ended;
        (none && self.awaits_head.load(Ordering::Relaxed)).then_some(ended)
    }

    /// Whether all that has come is answered, and all answers are sent: the codec has nothing in
    /// its buffers but what it may forget, as lines without a word before a request.
    pub(crate) fn rests(&self) -> bool {
        let is = |what: &AtomicBool| what.load(Ordering::Relaxed);
        let idle = is(&self.between_requests) && is(&self.reads) && !is(&self.writes);
        idle && self.waits_after().is_some()
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
        self.exchange.ended.fetch_add(1, Ordering::Relaxed);
    }
}

impl Body for Answer {
    type Data = Bytes;
    type Error = Broken;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Broken>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
