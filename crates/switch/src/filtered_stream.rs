//! A client's connection under a smuggling filter; a client that does not read is dropped.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Sleep, sleep};

use crate::exchange::Exchange;
use crate::smuggling_filter::SmugglingFilter;

/// Bytes that the parser refuses as the end of a head, and as the size of a chunk.
const NOT_ADMITTED: &[u8] = b"\0\r\n\r\n";

/// A connection of HTTP/1 under a [`SmugglingFilter`].
#[derive(Debug)]
pub(crate) struct FilteredStream<S> {
    stream: S,
    /// Earlier data that the parser has not yet received.
    before: Vec<u8>,
    filter: SmugglingFilter,
    /// Whether the parser has received the end of the refused data.
    ended: bool,
    /// How long the client may read nothing of the sent data.
    idle: Duration,
    /// Created when it first reads nothing.
    alarm: Option<Pin<Box<Sleep>>>,
    exchange: Arc<Exchange>,
}

impl<S> FilteredStream<S> {
    /// Reports input and output to the exchange.
    pub(crate) fn new(stream: S, idle: Duration, exchange: Arc<Exchange>) -> FilteredStream<S> {
        let (filter, before) = (SmugglingFilter::new(), Vec::new());
        FilteredStream { stream, before, filter, ended: false, idle, alarm: None, exchange }
    }

    /// A request was read and answered without the parser.
    pub(crate) fn note_fast_request(&mut self) {
        self.filter.skip_request();
        self.exchange.note_fast_request(&self.filter);
    }

    /// The parser gets this first.
    pub(crate) fn unread(&mut self, before: Vec<u8>) {
        self.before = before;
        self.exchange.set_reading(false);
    }

    pub(crate) fn stream_mut(&mut self) -> &mut S {
        &mut self.stream
    }

    pub(crate) fn stream(&self) -> &S {
        &self.stream
    }

    pub(crate) fn into_stream(self) -> S {
        self.stream
    }

    /// Drops a client that has been waited for too long.
    fn watched<T>(
        &mut self,
        context: &mut Context<'_>,
        polled: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if polled.is_ready() {
            self.alarm = None;
            return polled;
        }
        let idle = self.idle;
        let alarm = self.alarm.get_or_insert_with(|| Box::pin(sleep(idle)));
        ready!(alarm.as_mut().poll(context));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for FilteredStream<S> {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        if this.filter.has_refused() {
            // The parser may wait for the end of a head before it checks it.
            if !std::mem::replace(&mut this.ended, true) {
                buffer.put_slice(&NOT_ADMITTED[..NOT_ADMITTED.len().min(buffer.remaining())]);
            }
            return Poll::Ready(Ok(()));
        }
        let before = buffer.filled().len();
        if this.before.is_empty() {
            let polled = Pin::new(&mut this.stream).poll_read(context, buffer);
            this.exchange.set_reading(polled.is_pending());
            ready!(polled)?;
        } else {
            let length = this.before.len().min(buffer.remaining());
            buffer.put_slice(&this.before[..length]);
            this.before.drain(..length);
            if this.before.is_empty() {
                // It need not be kept while the client is idle.
                this.before = Vec::new();
            }
        }
        this.filter.inspect(&mut buffer.filled_mut()[before..]);
        this.exchange.note_input(&this.filter);
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for FilteredStream<S> {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        this.exchange.set_writing(true);
        let polled = Pin::new(&mut this.stream).poll_write(context, bytes);
        this.watched(context, polled)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        this.exchange.set_writing(true);
        let polled = Pin::new(&mut this.stream).poll_write_vectored(context, parts);
        this.watched(context, polled)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let polled = Pin::new(&mut this.stream).poll_flush(context);
        if polled.is_ready() {
            this.exchange.set_writing(false);
        }
        this.watched(context, polled)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        // Work remains until the end has been sent.
        this.exchange.set_writing(true);
        let polled = Pin::new(&mut this.stream).poll_shutdown(context);
        this.watched(context, polled)
    }
}
