//! HTTP/1 in front: one request after another over one connection.

use std::convert::Infallible;
use std::error::Error;
use std::future::poll_fn;
use std::io;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use hyper::body::Incoming;
use hyper::rt;
use hyper::server::conn::http1::{Builder, Connection};
use hyper::service::{HttpService, service_fn};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::watch;
use tokio::time::timeout;
use tokio_rustls::server::TlsStream;

use crate::either::{Either, either};
use crate::exchange::{Answer, Exchange};
use crate::fields::Came;
use crate::forward::{Lane, answer};
use crate::front::{HEAD_BYTES_MAX, told};
use crate::guarded::Guarded;
use crate::patience::Patience;

/// How long a client that still sends may take to read its answer.
const LINGER: Duration = Duration::from_secs(2);
const LINGER_BYTES: usize = 16 * 1024;

/// Where what a client sends can be waited for.
pub(crate) trait Socket: AsyncRead + AsyncWrite + Unpin {
    fn socket(&self) -> &TcpStream;
}

impl Socket for TcpStream {
    fn socket(&self) -> &TcpStream {
        self
    }
}

impl Socket for TlsStream<TcpStream> {
    fn socket(&self) -> &TcpStream {
        self.get_ref().0
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
    let exchange = Arc::new(Exchange::new());
    let noted = Arc::clone(&exchange);
    // In boxes, since the parser keeps room for what the service gives, also while nothing is asked
    // for.
    let service = service_fn(move |request| {
        let (lane, exchange) = (Arc::clone(&lane), Arc::clone(&noted));
        Box::pin(async move {
            let response = answer(lane, came, request).await?;
            Ok::<_, Infallible>(response.map(|body| Answer::new(body, exchange)))
        })
    });
    let builder = codec();
    let mut guarded = Guarded::new(stream, settings.idle, Arc::clone(&exchange));
    let mut patience = Patience::new(settings.client);
    let mut stopped = pin!(told(stop));
    loop {
        let served = {
            let connection = pin!(builder.serve_connection(TokioIo::new(&mut guarded), &service));
            until_rest(connection, stopped.as_mut(), &exchange, &mut patience).await
        };
        // A client's mistake, or its going away, ends its own connection and nothing else.
        if let Served::Ended { mistaken } = served {
            if mistaken {
                desk.term().counts.policy.answered(false);
            }
            return linger(guarded, &exchange).await;
        }
        let socket = guarded.stream().socket();
        if !comes_again(socket, &exchange, &mut patience, stopped.as_mut()).await {
            return;
        }
    }
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
    mut stopped: Pin<&mut impl Future<Output = ()>>,
) -> bool {
    let over = pin!(poll_fn(|context| match patience.is_over(exchange, context) {
        true => Poll::Ready(()),
        false => stopped.as_mut().poll(context),
    }));
    matches!(either(pin!(socket.readable()), over).await, Either::Left(Ok(())))
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
    mut stopped: Pin<&mut impl Future<Output = ()>>,
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
        if polled.is_pending() && !stops && stopped.as_mut().poll(context).is_ready() {
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
