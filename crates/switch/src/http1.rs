//! HTTP/1 in front: one request after another over one connection.

use std::convert::Infallible;
use std::error::Error;
use std::future::poll_fn;
use std::io;
use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex, MutexGuard};
use std::task::Poll;
use std::time::Duration;

use hyper::body::Incoming;
use hyper::server::conn::http1::{Builder, Connection};
use hyper::service::{HttpService, service_fn};
use hyper::{Request, Response, rt};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::watch;
use tokio::time::timeout;
use tokio_rustls::server::TlsStream;

use crate::client_timeouts::ClientTimeouts;
use crate::exchange::{Answer, Exchange};
use crate::fast_path::{FastPath, Turn};
use crate::fields::Origin;
use crate::filtered_stream::FilteredStream;
use crate::forward::answer;
use crate::forwarder::Forwarder;
use crate::handover::Handover;
use crate::settings::HEAD_BYTES_MAX;
use crate::stop::Stop;

/// The time that a client that still sends may take to read its answer.
const LINGER: Duration = Duration::from_secs(2);
const LINGER_BYTES: usize = 16 * 1024;

/// The stream on which input can be awaited.
pub(crate) trait Socket: AsyncRead + AsyncWrite + Unpin {
    fn socket(&self) -> &TcpStream;

    /// The socket, if its data is not encrypted.
    fn tcp(&mut self) -> Option<&mut TcpStream>;
}

impl Socket for TcpStream {
    fn socket(&self) -> &TcpStream {
        self
    }

    fn tcp(&mut self) -> Option<&mut TcpStream> {
        Some(self)
    }
}

impl Socket for TlsStream<TcpStream> {
    fn socket(&self) -> &TcpStream {
        self.get_ref().0
    }

    fn tcp(&mut self) -> Option<&mut TcpStream> {
        None
    }
}

/// A client of HTTP/1. After some idle time, the codec is dropped with its buffers: there may be
/// many such clients.
pub(crate) async fn serve<S: Socket>(
    stream: S,
    forwarder: Arc<Forwarder>,
    origin: Origin,
    stop: watch::Receiver<bool>,
) {
    let (settings, dispatcher) = (forwarder.settings, Arc::clone(&forwarder.dispatcher));
    let mut fast_path = FastPath::new(&forwarder, origin);
    let exchange = Arc::new(Exchange::new());
    let slot = HandoverSlot::default();
    let service =
        service_fn(service_of(forwarder, origin, Arc::clone(&exchange), Arc::clone(&slot)));
    let builder = codec();
    let mut filtered = FilteredStream::new(stream, settings.idle, Arc::clone(&exchange));
    let mut timeouts = ClientTimeouts::new(settings.client);
    let mut stop = Stop::new(stop);
    loop {
        let plain =
            answer_simple(&mut fast_path, &mut filtered, &exchange, &mut timeouts, &mut stop);
        let Some(handover) = plain.await else { return };
        *lock(&slot) = handover;
        let served = {
            let connection = pin!(builder.serve_connection(TokioIo::new(&mut filtered), &service));
            serve_until_idle(connection, &mut stop, &exchange, &mut timeouts).await
        };
        // A client's error, or its departure, ends its own connection and nothing else.
        if let ServeEnd::Closed { mistaken } = served {
            if mistaken {
                dispatcher.generation().counts.policy.count_answer(false);
            }
            return linger(filtered, &exchange).await;
        }
        let socket = filtered.stream().socket();
        if !next_input(socket, &exchange, &mut timeouts, &mut stop).await {
            return;
        }
    }
}

/// The progress of the codec's next request.
type HandoverSlot = Arc<Mutex<Option<Box<Handover>>>>;

fn lock(slot: &HandoverSlot) -> MutexGuard<'_, Option<Box<Handover>>> {
    slot.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// In a box, since the parser keeps room for the service's result, also while idle.
type ResponseFuture = Pin<Box<dyn Future<Output = Result<Response<Answer>, Infallible>> + Send>>;

/// Answers the requests that the codec gets.
fn service_of(
    forwarder: Arc<Forwarder>,
    origin: Origin,
    exchange: Arc<Exchange>,
    slot: HandoverSlot,
) -> impl Fn(Request<Incoming>) -> ResponseFuture {
    move |request| {
        let (forwarder, exchange) = (Arc::clone(&forwarder), Arc::clone(&exchange));
        let handover = lock(&slot).take();
        Box::pin(async move {
            let response = answer(forwarder, origin, request, handover).await?;
            Ok::<_, Infallible>(response.map(|body| Answer::new(body, exchange)))
        })
    }
}

/// Answers requests while they are plain. The next one is for the codec, with its progress; nothing
/// if the client is gone or must leave.
async fn answer_simple<S: Socket>(
    fast_path: &mut FastPath,
    filtered: &mut FilteredStream<S>,
    exchange: &Exchange,
    timeouts: &mut ClientTimeouts,
    stop: &mut Stop,
) -> Option<Option<Box<Handover>>> {
    while let Some(client) = filtered.stream_mut().tcp() {
        match fast_path.turn(client, stop).await {
            Turn::Answered => filtered.note_fast_request(),
            Turn::Nothing => {}
            Turn::Gone => return None,
            Turn::Handover(received, handover) => {
                filtered.unread(received);
                return Some(handover);
            }
        }
        if !next_input(filtered.stream().socket(), exchange, timeouts, stop).await {
            return None;
        }
    }
    Some(None)
}

/// Lets a client that still sends unwanted data read its answer: closing with unread bytes resets
/// the connection, and the client may lose the unread answer.
async fn linger<S: Socket>(filtered: FilteredStream<S>, exchange: &Exchange) {
    if !exchange.has_more_input() {
        return;
    }
    let mut stream = filtered.into_stream();
    let passed_over = async {
        stream.shutdown().await?;
        let mut piece = vec![0; LINGER_BYTES];
        while stream.read(&mut piece).await? > 0 {}
        Ok::<_, io::Error>(())
    };
    // The connection ends in any case.
    let _ = timeout(LINGER, passed_over).await;
}

fn codec() -> Builder {
    let mut builder = Builder::new();
    // The parser has built-in room for FIELDS_MAX; more would be allocated at each request.
    builder.header_read_timeout(None).max_buf_size(HEAD_BYTES_MAX).max_header_size(HEAD_BYTES_MAX);
    builder
}

/// Waits for data of an idle client, and says whether it arrives in time.
async fn next_input(
    socket: &TcpStream,
    exchange: &Exchange,
    timeouts: &mut ClientTimeouts,
    stop: &mut Stop,
) -> bool {
    poll_fn(|context| match socket.poll_read_ready(context) {
        Poll::Ready(ready) => Poll::Ready(ready.is_ok()),
        Poll::Pending if timeouts.is_late(exchange, context) => Poll::Ready(false),
        Poll::Pending if stop.is_set(context) => Poll::Ready(false),
        Poll::Pending => Poll::Pending,
    })
    .await
}

/// The state of a client.
enum ServeEnd {
    /// All its requests are done.
    Idle,
    /// It is gone, perhaps because its data was no HTTP.
    Closed { mistaken: bool },
}

/// Serves a client until it is idle.
async fn serve_until_idle<I, S>(
    mut connection: Pin<&mut Connection<I, S>>,
    stop: &mut Stop,
    exchange: &Exchange,
    timeouts: &mut ClientTimeouts,
) -> ServeEnd
where
    I: rt::Read + rt::Write + Unpin,
    S: HttpService<Incoming, ResBody = Answer>,
    S::Error: Into<Box<dyn Error + Send + Sync>>,
{
    let mut stops = false;
    poll_fn(|context| {
        let mut polled = connection.as_mut().poll(context);
        if polled.is_pending() && !stops && stop.is_set(context) {
            stops = true;
            connection.as_mut().graceful_shutdown();
            polled = connection.as_mut().poll(context);
        }
        match polled {
            Poll::Ready(ended) => {
                let mistaken = ended.is_err_and(|error| error.is_parse());
                Poll::Ready(ServeEnd::Closed { mistaken })
            }
            Poll::Pending if timeouts.is_late(exchange, context) => {
                Poll::Ready(ServeEnd::Closed { mistaken: false })
            }
            Poll::Pending if !stops && timeouts.is_idle(exchange, context) => {
                Poll::Ready(ServeEnd::Idle)
            }
            Poll::Pending => Poll::Pending,
        }
    })
    .await
}
