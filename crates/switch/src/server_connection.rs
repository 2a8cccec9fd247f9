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

use crate::handover::PendingConnection;
use crate::server_socket::ServerSocket;
use crate::upload::Upload;
use crate::waker::ConnectionWaker;

/// The largest head of a response, in bytes. The parser's room limits the number of its fields.
const HEAD_BYTES_MAX: usize = 64 * 1024;

/// The outcome of a request: its response, or why it has none.
pub(crate) type Sent = Result<Response<Incoming>, TrySendError<Request<Upload>>>;

/// A connection to a server, for one request at a time.
///
/// It has no task of its own: the receiver of its data drives it, so that a request passes no task
/// but its client's.
#[derive(Debug)]
pub(crate) struct ServerConnection {
    send: SendRequest<Upload>,
    /// Nothing if it has ended, or runs by itself.
    connection: Option<Box<Connection<TokioIo<ServerSocket>, Upload>>>,
    waker: Arc<ConnectionWaker>,
    /// A handle of the waker.
    handle: Waker,
    /// Whether it has carried a request before: the server may be closing it.
    pub(crate) used: bool,
    /// Whether output is discarded, since hyper took over while a request was under way.
    late: bool,
}

impl ServerConnection {
    pub(crate) async fn open(address: SocketAddr) -> io::Result<ServerConnection> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        ServerConnection::over(ServerSocket::new(stream)).await
    }

    /// Over a connection that was used without hyper.
    pub(crate) async fn reused(stream: TcpStream) -> io::Result<ServerConnection> {
        Ok(ServerConnection {
            used: true,
            ..ServerConnection::over(ServerSocket::new(stream)).await?
        })
    }

    /// Over a connection that already carries a request: the next one is that request.
    pub(crate) async fn pending(
        PendingConnection { stream, received, .. }: PendingConnection,
    ) -> io::Result<ServerConnection> {
        Ok(ServerConnection {
            used: true,
            late: true,
            ..ServerConnection::over(ServerSocket::pending(stream, received)).await?
        })
    }

    async fn over(socket: ServerSocket) -> io::Result<ServerConnection> {
        let mut builder = Builder::new();
        builder.max_buf_size(HEAD_BYTES_MAX).max_header_size(HEAD_BYTES_MAX);
        let (send, connection) =
            builder.handshake(TokioIo::new(socket)).await.map_err(io::Error::other)?;
        let waker = Arc::new(ConnectionWaker::default());
        let handle = Waker::from(Arc::clone(&waker));
        let connection = Some(Box::new(connection));
        Ok(ServerConnection { send, connection, waker, handle, used: false, late: false })
    }

    /// The connection without hyper, if the next request may use it.
    pub(crate) fn into_socket(mut self) -> Option<TcpStream> {
        if !self.is_ready() {
            return None;
        }
        let parts = self.connection.take()?.into_parts();
        parts.io.into_inner().into_stream().filter(|_| parts.read_buf.is_empty())
    }

    /// Whether the next request may use it, as far as is known: the server has not closed it, and
    /// has sent nothing unrequested.
    pub(crate) fn is_ready(&mut self) -> bool {
        self.waker.mute();
        self.poll_connection();
        self.connection.is_some() && self.send.is_ready()
    }

    /// Whether hyper cannot carry the next request.
    pub(crate) fn is_late(&self) -> bool {
        self.late
    }

    pub(crate) fn has_ended(&self) -> bool {
        self.connection.is_none()
    }

    /// Sends a request, and waits for the head of its response.
    pub(crate) async fn send_request(&mut self, request: Request<Upload>) -> Sent {
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
            self.waker.mute();
            // Data that arrived with the previous data.
            let polled = Pin::new(&mut *body).poll_frame(&mut Context::from_waker(&self.handle));
            if polled.is_ready() {
                return polled;
            }
        }
        self.drive(context, |context| Pin::new(&mut *body).poll_frame(context))
    }

    /// Lets it run by itself: a request's body that is still under way when the response arrives
    /// does not wait until the client reads the response.
    pub(crate) fn detach(&mut self) {
        if let Some(connection) = self.connection.take() {
            // The request that uses it learns its outcome.
            tokio::spawn(async move { drop(connection.await) });
        }
    }

    /// Drives the connection, and checks for new data.
    fn drive<T>(
        &mut self,
        context: &mut Context<'_>,
        brought: impl FnOnce(&mut Context<'_>) -> Poll<T>,
    ) -> Poll<T> {
        if self.connection.is_none() {
            return brought(context);
        }
        self.waker.mute();
        self.poll_connection();
        let polled = brought(&mut Context::from_waker(&self.handle));
        if polled.is_pending() {
            self.waker.register(context.waker());
        }
        polled
    }

    fn poll_connection(&mut self) {
        let mut context = Context::from_waker(&self.handle);
        self.connection.take_if(|one| Pin::new(&mut **one).poll(&mut context).is_ready());
    }
}
