//! HTTP/2 in front: many requests over one connection.
//!
//! The codec answers floods of resets and of settings by itself, and refuses messages that RFC 9113
//! calls malformed. It does not detect an idle client: that is watched here.

use std::convert::Infallible;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use hyper::Response;
use hyper::body::{Body, Frame, SizeHint};
use hyper::server::conn::http2;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::watch;
use tokio::time::{sleep, timeout};

use crate::body::BodyError;
use crate::download::Download;
use crate::either::{Either, either};
use crate::fields::Origin;
use crate::forward::answer;
use crate::forwarder::Forwarder;
use crate::settings::{HEAD_BYTES_MAX, Settings};
use crate::stop::stop_signal;

/// The most concurrent requests on one connection.
const STREAMS_MAX: u32 = 128;
/// The most bytes of one response that may wait for its client.
const SEND_BYTES_MAX: usize = 64 * 1024;
/// The most bytes of one request's body, and of all on a connection, that may wait to be forwarded.
const STREAM_WINDOW_BYTES: u32 = 64 * 1024;
const CONNECTION_WINDOW_BYTES: u32 = 256 * 1024;

/// Serves one client until it leaves, or must leave.
pub(crate) async fn serve<S: AsyncRead + AsyncWrite + Unpin>(
    stream: S,
    forwarder: Arc<Forwarder>,
    origin: Origin,
    stop: watch::Receiver<bool>,
) {
    let settings = forwarder.settings;
    let streams = Arc::new(Streams::default());
    let all = Arc::clone(&streams);
    let service = service_fn(move |request| {
        let (forwarder, one) = (Arc::clone(&forwarder), StreamState::new(&all));
        async move {
            let response = answer(forwarder, origin, request, None).await?;
            Ok::<_, Infallible>(one.into_response(response))
        }
    });
    let mut builder = http2::Builder::new(TokioExecutor::new());
    builder
        .timer(TokioTimer::new())
        .max_concurrent_streams(STREAMS_MAX)
        .max_header_list_size(HEAD_BYTES_MAX as u32)
        .max_send_buf_size(SEND_BYTES_MAX)
        .initial_stream_window_size(STREAM_WINDOW_BYTES)
        .initial_connection_window_size(CONNECTION_WINDOW_BYTES);
    let mut connection = pin!(builder.serve_connection(TokioIo::new(stream), service));
    let (until_idle, stopped) = (pin!(streams.until_idle(settings)), pin!(stop_signal(stop)));
    let over = pin!(either(until_idle, stopped));
    // A client's error, or its departure, ends its own connection and nothing else.
    match either(connection.as_mut(), over).await {
        Either::Left(_) => {}
        Either::Right(Either::Left(())) => {
            connection.as_mut().graceful_shutdown();
            let _ = timeout(settings.idle, connection).await;
        }
        Either::Right(Either::Right(())) => {
            connection.as_mut().graceful_shutdown();
            let _ = connection.await;
        }
    }
}

/// The activity on one connection.
#[derive(Debug, Default)]
struct Streams {
    open: AtomicUsize,
    /// The number of these that wait for a server, which has limits of its own.
    at_servers: AtomicUsize,
    /// Grows with every event.
    moves: AtomicU64,
}

impl Streams {
    /// Waits until the client has been idle for the whole limit, or reads nothing.
    async fn until_idle(&self, settings: Settings) {
        let mut before = None;
        loop {
            let now = Some(self.moves.load(Ordering::Relaxed));
            let open = self.open.load(Ordering::Relaxed);
            if now == before && self.at_servers.load(Ordering::Relaxed) == 0 {
                return;
            }
            before = now;
            sleep(if open == 0 { settings.client } else { settings.idle }).await;
        }
    }
}

/// A request, from its head to the end of its response.
#[derive(Debug)]
struct StreamState {
    of: Arc<Streams>,
    at_server: bool,
}

impl StreamState {
    fn new(of: &Arc<Streams>) -> StreamState {
        of.open.fetch_add(1, Ordering::Relaxed);
        let mut one = StreamState { of: Arc::clone(of), at_server: false };
        one.is_at_server(true);
        one
    }

    fn is_at_server(&mut self, now: bool) {
        self.of.moves.fetch_add(1, Ordering::Relaxed);
        match (std::mem::replace(&mut self.at_server, now), now) {
            (false, true) => drop(self.of.at_servers.fetch_add(1, Ordering::Relaxed)),
            (true, false) => drop(self.of.at_servers.fetch_sub(1, Ordering::Relaxed)),
            _ => {}
        }
    }

    fn into_response(mut self, response: Response<Download>) -> Response<TrackedBody> {
        self.is_at_server(false);
        response.map(|body| TrackedBody { body, one: self })
    }
}

impl Drop for StreamState {
    fn drop(&mut self) {
        self.is_at_server(false);
        self.of.open.fetch_sub(1, Ordering::Relaxed);
    }
}

/// A response's body, which reports its waits.
#[derive(Debug)]
struct TrackedBody {
    body: Download,
    one: StreamState,
}

impl Body for TrackedBody {
    type Data = Bytes;
    type Error = BodyError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BodyError>>> {
        let polled = Pin::new(&mut self.body).poll_frame(context);
        let waits = polled.is_pending();
        if !(waits && self.one.at_server) {
            self.one.is_at_server(waits);
        }
        Poll::Ready(ready!(polled))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
