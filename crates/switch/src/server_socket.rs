//! The socket of a connection to a server.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, Waker, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

/// A connection to a server.
///
/// A server may answer before it has all of a request, and close: it refuses the rest. Its answer
/// can still be read. So failed writes are ignored, and the reads show the end.
#[derive(Debug)]
pub(crate) struct ServerSocket {
    stream: TcpStream,
    /// Whether the server accepts no more data.
    write_closed: bool,
    /// A request that was sent over it before hyper had it.
    pending: Option<PendingResponse>,
}

/// A request that has already been sent: hyper's own sending is discarded, and hyper first reads
/// the received part of the response.
#[derive(Debug)]
struct PendingResponse {
    received: Vec<u8>,
    /// The part of it that was read.
    read: usize,
    /// Whether hyper has sent the request. It would accept no response before.
    sent: bool,
    reader: Option<Waker>,
}

impl ServerSocket {
    pub(crate) fn new(stream: TcpStream) -> ServerSocket {
        ServerSocket { stream, write_closed: false, pending: None }
    }

    /// A connection that carries a sent request, with the received part of its response.
    pub(crate) fn pending(stream: TcpStream, received: Vec<u8>) -> ServerSocket {
        let pending = Some(PendingResponse { received, read: 0, sent: false, reader: None });
        ServerSocket { stream, write_closed: false, pending }
    }

    /// The connection, if it accepts data, and all received data was read.
    pub(crate) fn into_stream(self) -> Option<TcpStream> {
        let is_read = self.pending.is_none_or(|pending| pending.read == pending.received.len());
        (!self.write_closed && is_read).then_some(self.stream)
    }

    /// Whether hyper's output must be discarded.
    fn discards_writes(&mut self) -> bool {
        if let Some(pending) = &mut self.pending {
            pending.sent = true;
            pending.reader.take().into_iter().for_each(Waker::wake);
        }
        self.write_closed || self.pending.is_some()
    }

    /// The result of a write: discarded if the server accepts no data.
    fn written(
        &mut self,
        length: usize,
        polled: Poll<io::Result<usize>>,
    ) -> Poll<io::Result<usize>> {
        match ready!(polled) {
            Err(error) if is_refused(&error) => {
                self.write_closed = true;
                Poll::Ready(Ok(length))
            }
            written => Poll::Ready(written),
        }
    }
}

fn is_refused(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::BrokenPipe | io::ErrorKind::ConnectionReset)
}

impl AsyncRead for ServerSocket {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        if let Some(pending) = &mut this.pending {
            if !pending.sent {
                pending.reader = Some(context.waker().clone());
                return Poll::Pending;
            }
            let left = &pending.received[pending.read..];
            if !left.is_empty() {
                let length = left.len().min(buffer.remaining());
                buffer.put_slice(&left[..length]);
                pending.read += length;
                return Poll::Ready(Ok(()));
            }
        }
        Pin::new(&mut this.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for ServerSocket {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        if this.discards_writes() {
            return Poll::Ready(Ok(bytes.len()));
        }
        let polled = Pin::new(&mut this.stream).poll_write(context, bytes);
        this.written(bytes.len(), polled)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let length = parts.iter().map(|part| part.len()).sum();
        if this.discards_writes() {
            return Poll::Ready(Ok(length));
        }
        let polled = Pin::new(&mut this.stream).poll_write_vectored(context, parts);
        this.written(length, polled)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_flush(context)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncReadExt;
    use tokio::net::TcpListener;
    use tokio::runtime::Builder;

    use super::*;

    /// Whether a connection continues after the earlier data was read to this point.
    async fn goes_on_after(read: usize) -> bool {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let stream = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
        let mut socket = ServerSocket::pending(stream, b"hello".to_vec());
        assert!(socket.discards_writes());
        socket.read_exact(&mut [0; 5][..read]).await.unwrap();
        socket.into_stream().is_some()
    }

    /// Data beyond the response is no beginning of the next one.
    #[test]
    fn a_connection_with_something_unread_is_not_used_again() {
        let runtime = Builder::new_current_thread().enable_all().build().unwrap();
        assert!(!runtime.block_on(goes_on_after(3)));
        assert!(runtime.block_on(goes_on_after(5)));
    }
}
