//! What carries a connection's bytes: TCP, or TLS over TCP. Nothing here ever blocks.

use std::io::{self, Read, Write};
use std::net::{IpAddr, SocketAddr, TcpStream};
use std::os::fd::{AsFd, BorrowedFd};

use rustix::io::Errno;
use socket2::{Domain, Protocol, Socket, Type};

use super::failure::{CLOSED, Failure, failure, would_block};
use super::tls::TlsStream;

/// A connection's way to the server.
pub(super) enum Transport {
    Plain(TcpStream),
    Tls(Box<TlsStream>),
}

/// What one read brought.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Input {
    /// So many bytes, at least one.
    Bytes(usize),
    /// The orderly end of the stream.
    End,
    /// Nothing for now; the poller will tell when there is more.
    Blocked,
}

impl Transport {
    /// Reads bytes of the protocol above.
    pub(super) fn read(&mut self, buffer: &mut [u8]) -> Result<Input, Failure> {
        match self {
            Transport::Plain(socket) => read_socket(socket, buffer),
            Transport::Tls(stream) => stream.read(buffer),
        }
    }

    /// Writes bytes of the protocol above, and what is held back of earlier ones, until all are
    /// gone or the socket would block: how many of `bytes` were taken.
    pub(super) fn write(&mut self, bytes: &[u8]) -> Result<usize, Failure> {
        match self {
            Transport::Plain(socket) => write_socket(socket, bytes),
            Transport::Tls(stream) => stream.write(bytes),
        }
    }

    /// Whether bytes that were taken earlier still wait to be written.
    pub(super) fn holds_bytes(&self) -> bool {
        match self {
            Transport::Plain(_) => false,
            Transport::Tls(stream) => stream.holds_bytes(),
        }
    }

    /// Whether a read that did not fill its buffer shows that the socket is empty. With TLS it
    /// does not: more may lie in buffers between.
    pub(super) fn short_read_means_empty(&self) -> bool {
        matches!(self, Transport::Plain(_))
    }

    /// Says to the server, as far as it can be said at once, that nothing more will come.
    pub(super) fn say_goodbye(&mut self) {
        if let Transport::Tls(stream) = self {
            stream.say_goodbye();
        }
    }
}

impl AsFd for Transport {
    fn as_fd(&self) -> BorrowedFd<'_> {
        match self {
            Transport::Plain(socket) => socket.as_fd(),
            Transport::Tls(stream) => stream.socket().as_fd(),
        }
    }
}

/// Begins to open a TCP connection, from a certain address if one is given; it is open when it
/// first becomes writable.
pub(super) fn open_socket(address: SocketAddr, source: Option<IpAddr>) -> io::Result<TcpStream> {
    let socket = Socket::new(Domain::for_address(address), Type::STREAM, Some(Protocol::TCP))?;
    socket.set_nonblocking(true)?;
    socket.set_tcp_nodelay(true)?;
    if let Some(source) = source {
        socket.bind(&SocketAddr::new(source, 0).into())?;
    }
    match socket.connect(&address.into()) {
        Err(error) if !in_progress(&error) => Err(error),
        _ => Ok(socket.into()),
    }
}

fn in_progress(error: &io::Error) -> bool {
    error.raw_os_error() == Some(Errno::INPROGRESS.raw_os_error())
}

fn read_socket(socket: &mut TcpStream, buffer: &mut [u8]) -> Result<Input, Failure> {
    loop {
        match socket.read(buffer) {
            Ok(0) => return Ok(Input::End),
            Ok(count) => return Ok(Input::Bytes(count)),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) if would_block(&error) => return Ok(Input::Blocked),
            Err(error) => return Err(failure(&error)),
        }
    }
}

fn write_socket(socket: &mut TcpStream, bytes: &[u8]) -> Result<usize, Failure> {
    let mut written = 0;
    while written < bytes.len() {
        match socket.write(&bytes[written..]) {
            Ok(0) => return Err(CLOSED),
            Ok(count) => written += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            // Not yet open, or full: the poller will say when to go on.
            Err(error) if would_block(&error) => break,
            Err(error) => return Err(failure(&error)),
        }
    }
    Ok(written)
}
