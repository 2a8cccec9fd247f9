//! The socket of a connection to a server.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

/// A connection to a server.
///
/// A server that answers before it has all of a request, and closes, refuses the rest of it. What
/// it has said is still there to be read: so what cannot be written any more is passed over, and
/// what is read says how it ends.
#[derive(Debug)]
pub(crate) struct Wire {
    stream: TcpStream,
    /// Whether the server takes nothing any more.
    deaf: bool,
}

impl Wire {
    pub(crate) fn new(stream: TcpStream) -> Wire {
        Wire { stream, deaf: false }
    }

    /// What has become of bytes that were written: passed over where the server takes none.
    fn written(
        &mut self,
        length: usize,
        polled: Poll<io::Result<usize>>,
    ) -> Poll<io::Result<usize>> {
        match ready!(polled) {
            Err(error) if is_refused(&error) => {
                self.deaf = true;
                Poll::Ready(Ok(length))
            }
            written => Poll::Ready(written),
        }
    }
}

fn is_refused(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::BrokenPipe | io::ErrorKind::ConnectionReset)
}

impl AsyncRead for Wire {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for Wire {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        if this.deaf {
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
        if this.deaf {
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
