//! A connection to a server.

use std::future::poll_fn;
use std::io;
use std::net::SocketAddr;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use bytes::Bytes;
use hyper::body::{Body, Frame, Incoming};
use hyper::client::conn::TrySendError;
use hyper::client::conn::http1::{Builder, Connection, SendRequest};
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;

use crate::bell::Bell;
use crate::direct::Asked;
use crate::stream::Upload;
use crate::wire::Wire;

/// The largest head of a response, in bytes. Its fields are as many as the parser has room for.
const HEAD_BYTES_MAX: usize = 64 * 1024;

/// What has become of a request: its response, or why there is none.
pub(crate) type Sent = Result<Response<Incoming>, TrySendError<Request<Upload>>>;

/// A connection to a server, for one request at a time.
///
/// It has no task of its own: whoever waits for what comes over it drives it, so that a request
/// passes no task but its client's.
#[derive(Debug)]
pub(crate) struct Link {
    send: SendRequest<Upload>,
    /// Nothing when it has ended, or goes on by itself.
    connection: Option<Box<Connection<TokioIo<Wire>, Upload>>>,
    bell: Arc<Bell>,
    /// Rings the bell.
    ring: Waker,
    /// Whether a request has gone over it before: the server may be closing it.
    pub(crate) used: bool,
    /// Whether what is sent goes nowhere, since hyper has got it while a request was on its way.
    late: bool,
}

impl Link {
    pub(crate) async fn open(address: SocketAddr) -> io::Result<Link> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        Link::over(Wire::new(stream)).await
    }

    /// Over a connection that has been used without hyper.
    pub(crate) async fn used(stream: TcpStream) -> io::Result<Link> {
        Ok(Link { used: true, ..Link::over(Wire::new(stream)).await? })
    }

    /// Over a connection to which a request has gone: the next one is that request.
    pub(crate) async fn asked(Asked { stream, came, .. }: Asked) -> io::Result<Link> {
        Ok(Link { used: true, late: true, ..Link::over(Wire::asked(stream, came)).await? })
    }

    async fn over(wire: Wire) -> io::Result<Link> {
        let mut builder = Builder::new();
        builder.max_buf_size(HEAD_BYTES_MAX).max_header_size(HEAD_BYTES_MAX);
        let (send, connection) =
            builder.handshake(TokioIo::new(wire)).await.map_err(io::Error::other)?;
        let bell = Arc::new(Bell::default());
        let ring = Waker::from(Arc::clone(&bell));
        let connection = Some(Box::new(connection));
        Ok(Link { send, connection, bell, ring, used: false, late: false })
    }

    /// The connection without hyper, if the next request may go over it.
    pub(crate) fn into_bare(mut self) -> Option<TcpStream> {
        if !self.is_ready() {
            return None;
        }
        let parts = self.connection.take()?.into_parts();
        parts.io.into_inner().into_stream().filter(|_| parts.read_buf.is_empty())
    }

    /// Whether the next request may go over it, as far as is known: the server has not closed it,
    /// and has said nothing that it was not asked for.
    pub(crate) fn is_ready(&mut self) -> bool {
        self.bell.mute();
        self.go_on();
        self.connection.is_some() && self.send.is_ready()
    }

    /// Whether hyper is of no use for the next request.
    pub(crate) fn is_late(&self) -> bool {
        self.late
    }

    pub(crate) fn has_ended(&self) -> bool {
        self.connection.is_none()
    }

    /// Sends a request, and waits for the head of its response.
    pub(crate) async fn ask(&mut self, request: Request<Upload>) -> Sent {
        let mut sending = pin!(self.send.try_send_request(request));
        poll_fn(|context| self.drive(context, |context| sending.as_mut().poll(context))).await
    }

    /// The next piece of a response's body.
    pub(crate) fn poll_body(
        &mut self,
        body: &mut Incoming,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        if self.connection.is_some() {
            self.bell.mute();
            // What came along with what was there before.
            let polled = Pin::new(&mut *body).poll_frame(&mut Context::from_waker(&self.ring));
            if polled.is_ready() {
                return polled;
            }
        }
        self.drive(context, |context| Pin::new(&mut *body).poll_frame(context))
    }

    /// Lets it go on by itself: a request's body that is still on its way when the response comes
    /// does not wait until the client reads the response.
    pub(crate) fn let_go(&mut self) {
        if let Some(connection) = self.connection.take() {
            // What becomes of it is told to the request that goes over it.
            tokio::spawn(async move { drop(connection.await) });
        }
    }

    /// Drives the connection, and looks for what it may have brought.
    fn drive<T>(
        &mut self,
        context: &mut Context<'_>,
        brought: impl FnOnce(&mut Context<'_>) -> Poll<T>,
    ) -> Poll<T> {
        if self.connection.is_none() {
            return brought(context);
        }
        self.bell.mute();
        self.go_on();
        let polled = brought(&mut Context::from_waker(&self.ring));
        if polled.is_pending() {
            self.bell.ring_for(context.waker());
        }
        polled
    }

    fn go_on(&mut self) {
        let mut context = Context::from_waker(&self.ring);
        self.connection.take_if(|one| Pin::new(&mut **one).poll(&mut context).is_ready());
    }
}
