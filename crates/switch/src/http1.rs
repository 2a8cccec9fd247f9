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

use crate::direct::{Begun, Direct, Turn};
use crate::exchange::{Answer, Exchange};
use crate::fields::Came;
use crate::forward::{Lane, answer};
use crate::front::HEAD_BYTES_MAX;
use crate::guarded::Guarded;
use crate::patience::Patience;
use crate::stop::Stop;

/// How long a client that still sends may take to read its answer.
const LINGER: Duration = Duration::from_secs(2);
const LINGER_BYTES: usize = 16 * 1024;

/// Where what a client sends can be waited for.
pub(crate) trait Socket: AsyncRead + AsyncWrite + Unpin {
    fn socket(&self) -> &TcpStream;

    /// The socket, if what comes over it is not enciphered.
    fn bare(&mut self) -> Option<&mut TcpStream>;
}

impl Socket for TcpStream {
    fn socket(&self) -> &TcpStream {
        self
    }

    fn bare(&mut self) -> Option<&mut TcpStream> {
        Some(self)
    }
}

impl Socket for TlsStream<TcpStream> {
    fn socket(&self) -> &TcpStream {
        self.get_ref().0
    }

    fn bare(&mut self) -> Option<&mut TcpStream> {
        None
    }
}

/// A client of HTTP/1. When there has been nothing to do for it for a while, the codec is taken
/// away, and its buffers with it: there may be many such clients.
pub(crate) async fn serve<S: Socket>(
    stream: S,
    lane: Arc<Lane>,
    came: Came,
    stop: watch::Receiver<bool>,
) {
    let (settings, desk) = (lane.settings, Arc::clone(&lane.desk));
    let mut direct = Direct::new(&lane, came);
    let exchange = Arc::new(Exchange::new());
    let handed = Handed::default();
    let service = service_fn(answering(lane, came, Arc::clone(&exchange), Arc::clone(&handed)));
    let builder = codec();
    let mut guarded = Guarded::new(stream, settings.idle, Arc::clone(&exchange));
    let mut patience = Patience::new(settings.client);
    let mut stop = Stop::new(stop);
    loop {
        let plain = answer_plain(&mut direct, &mut guarded, &exchange, &mut patience, &mut stop);
        let Some(begun) = plain.await else { return };
        *held(&handed) = begun;
        let served = {
            let connection = pin!(builder.serve_connection(TokioIo::new(&mut guarded), &service));
            until_rest(connection, &mut stop, &exchange, &mut patience).await
        };
        // A client's mistake, or its going away, ends its own connection and nothing else.
        if let Served::Ended { mistaken } = served {
            if mistaken {
                desk.term().counts.policy.answered(false);
            }
            return linger(guarded, &exchange).await;
        }
        let socket = guarded.stream().socket();
        if !comes_again(socket, &exchange, &mut patience, &mut stop).await {
            return;
        }
    }
}

/// How far the next request has gone that the codec gets.
type Handed = Arc<Mutex<Option<Box<Begun>>>>;

fn held(handed: &Handed) -> MutexGuard<'_, Option<Box<Begun>>> {
    handed.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// In a box, since the parser keeps room for what the service gives, also while nothing is asked
/// for.
type Answering = Pin<Box<dyn Future<Output = Result<Response<Answer>, Infallible>> + Send>>;

/// Answers the requests that the codec gets.
fn answering(
    lane: Arc<Lane>,
    came: Came,
    exchange: Arc<Exchange>,
    handed: Handed,
) -> impl Fn(Request<Incoming>) -> Answering {
    move |request| {
        let (lane, exchange) = (Arc::clone(&lane), Arc::clone(&exchange));
        let begun = held(&handed).take();
        Box::pin(async move {
            let response = answer(lane, came, request, begun).await?;
            Ok::<_, Infallible>(response.map(|body| Answer::new(body, exchange)))
        })
    }
}

/// Answers requests as long as they are plain. The next one is for the codec; it is said how far it
/// has gone, and nothing when the client is gone or has to go.
async fn answer_plain<S: Socket>(
    direct: &mut Direct,
    guarded: &mut Guarded<S>,
    exchange: &Exchange,
    patience: &mut Patience,
    stop: &mut Stop,
) -> Option<Option<Box<Begun>>> {
    while let Some(client) = guarded.stream_mut().bare() {
        match direct.turn(client, stop).await {
            Turn::Answered => guarded.has_passed(),
            Turn::Nothing => {}
            Turn::Gone => return None,
            Turn::Handed(came, begun) => {
                guarded.put_back(came);
                return Some(begun);
            }
        }
        if !comes_again(guarded.stream().socket(), exchange, patience, stop).await {
            return None;
        }
    }
    Some(None)
}

/// Lets a client read its answer that still sends what nobody wants: a connection that is closed
/// over bytes that were not read is reset, and its client may lose what it has not read.
async fn linger<S: Socket>(guarded: Guarded<S>, exchange: &Exchange) {
    if !exchange.sends_on() {
        return;
    }
    let mut stream = guarded.into_stream();
    let passed_over = async {
        stream.shutdown().await?;
        let mut piece = vec![0; LINGER_BYTES];
        while stream.read(&mut piece).await? > 0 {}
        Ok::<_, io::Error>(())
    };
    // However it ends, it is over.
    let _ = timeout(LINGER, passed_over).await;
}

fn codec() -> Builder {
    let mut builder = Builder::new();
    // The parser has room for FIELDS_MAX by itself; more would be taken anew at each request.
    builder.header_read_timeout(None).max_buf_size(HEAD_BYTES_MAX).max_header_size(HEAD_BYTES_MAX);
    builder
}

/// Waits until a client that rests sends something, and says whether it does in time.
async fn comes_again(
    socket: &TcpStream,
    exchange: &Exchange,
    patience: &mut Patience,
    stop: &mut Stop,
) -> bool {
    poll_fn(|context| match socket.poll_read_ready(context) {
        Poll::Ready(ready) => Poll::Ready(ready.is_ok()),
        Poll::Pending if patience.is_over(exchange, context) => Poll::Ready(false),
        Poll::Pending if stop.is_told(context) => Poll::Ready(false),
        Poll::Pending => Poll::Pending,
    })
    .await
}

/// What has become of a client.
enum Served {
    /// All is done that it has asked for.
    Rests,
    /// It is gone, perhaps because what it said was none of HTTP.
    Ended { mistaken: bool },
}

/// Serves a client until there is nothing to do for it.
async fn until_rest<I, S>(
    mut connection: Pin<&mut Connection<I, S>>,
    stop: &mut Stop,
    exchange: &Exchange,
    patience: &mut Patience,
) -> Served
where
    I: rt::Read + rt::Write + Unpin,
    S: HttpService<Incoming, ResBody = Answer>,
    S::Error: Into<Box<dyn Error + Send + Sync>>,
{
    let mut stops = false;
    poll_fn(|context| {
        let mut polled = connection.as_mut().poll(context);
        if polled.is_pending() && !stops && stop.is_told(context) {
            stops = true;
            connection.as_mut().graceful_shutdown();
            polled = connection.as_mut().poll(context);
        }
        match polled {
            Poll::Ready(ended) => {
                let mistaken = ended.is_err_and(|error| error.is_parse());
                Poll::Ready(Served::Ended { mistaken })
            }
            Poll::Pending if patience.is_over(exchange, context) => {
                Poll::Ready(Served::Ended { mistaken: false })
            }
            Poll::Pending if !stops && patience.has_rested(exchange, context) => {
                Poll::Ready(Served::Rests)
            }
            Poll::Pending => Poll::Pending,
        }
    })
    .await
}
