//! The carrier of a connection's bytes: TCP, TLS over TCP, UDP, or UDP with a timer for QUIC.
//! Nothing here ever blocks.

pub(crate) mod datagrams;
pub(crate) mod failure;
pub(crate) mod input;
pub(crate) mod negotiation;
pub(crate) mod no_verification;
pub(crate) mod proxy_connect;
pub(crate) mod quic;
pub(crate) mod reader;
pub(crate) mod source;
pub(crate) mod timestamps;
pub(crate) mod tls;

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream, UdpSocket};
use std::os::fd::{AsFd, BorrowedFd};
use std::path::Path;
use std::time::Duration;

use nix::sys::socket::setsockopt;
use nix::sys::socket::sockopt::IpBindAddressNoPort;
use rustix::io::Errno;
use socket2::{Domain, Protocol, SockAddr, Socket, Type};

use crate::protocol::{Outbox, REPLY_BYTES_MAX};
use datagrams::{receive, transmit};
use failure::{CLOSED, Failure, failure, would_block};
use input::Input;
use quic::socket::QuicSocket;
use tls::TlsStream;

/// A connection's way to the server.
pub(crate) enum Transport {
    Tcp(Tcp),
    Tls(Box<TlsStream>),
    Datagrams(UdpSocket),
    Quic(Box<QuicSocket>),
}

/// A TCP socket.
pub(crate) struct Tcp {
    socket: TcpStream,
    /// Whether the kernel reports arrival times, and its answer at the last read.
    timestamps: bool,
    arrived: Option<Duration>,
}

impl Tcp {
    /// A socket; if `stamped`, one that reports arrival times.
    pub(crate) fn new(socket: TcpStream, timestamps: bool) -> io::Result<Tcp> {
        if timestamps {
            timestamps::enable(&socket)?;
        }
        Ok(Tcp { socket, timestamps, arrived: None })
    }

    fn read(&mut self, buffer: &mut [u8]) -> Result<Input, Failure> {
        if !self.timestamps {
            return read_socket(&mut self.socket, buffer);
        }
        let (input, arrived) = timestamps::read(&self.socket, buffer)?;
        self.arrived = arrived;
        Ok(input)
    }
}

impl Transport {
    /// Reads bytes of the protocol above.
    pub(crate) fn read(&mut self, buffer: &mut [u8]) -> Result<Input, Failure> {
        match self {
            Transport::Tcp(tcp) => tcp.read(buffer),
            Transport::Tls(stream) => stream.read(buffer),
            Transport::Datagrams(socket) => receive(socket, buffer),
            Transport::Quic(socket) => socket.read(buffer),
        }
    }

    /// Writes bytes of the protocol above, after held-back earlier ones, until all are gone or the
    /// socket would block; returns how many of `bytes` were taken. They are one datagram, if
    /// datagrams are carried; those of QUIC are each behind its length.
    fn write(&mut self, bytes: &[u8]) -> Result<usize, Failure> {
        match self {
            Transport::Tcp(tcp) => write_socket(&mut tcp.socket, bytes),
            Transport::Tls(stream) => stream.write(bytes),
            Transport::Datagrams(socket) => transmit(socket, bytes),
            Transport::Quic(socket) => socket.write(bytes),
        }
    }

    /// Sends as many waiting bytes as the socket accepts.
    pub(crate) fn send(&mut self, out: &mut Outbox) -> Result<(), Failure> {
        if !out.unsent().is_empty() || self.holds_bytes() {
            let count = self.write(out.unsent())?;
            out.mark_sent(count);
        }
        Ok(())
    }

    /// Sends replies in the middle of a turn, before their number makes a reading server seem
    /// stuck.
    pub(crate) fn send_replies(&mut self, out: &mut Outbox) -> Result<(), Failure> {
        if out.replies() > REPLY_BYTES_MAX / 4 { self.send(out) } else { Ok(()) }
    }

    /// The arrival time of the last read bytes, if the kernel reports it.
    pub(crate) fn arrived(&self) -> Option<Duration> {
        match self {
            Transport::Tcp(tcp) => tcp.arrived,
            _ => None,
        }
    }

    /// Whether earlier bytes still wait to be written.
    fn holds_bytes(&self) -> bool {
        match self {
            Transport::Tcp(_) | Transport::Datagrams(_) | Transport::Quic(_) => false,
            Transport::Tls(stream) => stream.holds_bytes(),
        }
    }

    /// Whether a read that did not fill its buffer shows that the socket is empty. With TLS it does
    /// not: buffers between may hold more. Datagrams do not either: they come one by one.
    pub(crate) fn short_read_means_empty(&self) -> bool {
        matches!(self, Transport::Tcp(_))
    }

    /// Tells the server, if possible at once, that nothing more will come.
    pub(crate) fn send_close(&mut self) {
        if let Transport::Tls(stream) = self {
            stream.send_close();
        }
    }
}

impl AsFd for Transport {
    fn as_fd(&self) -> BorrowedFd<'_> {
        match self {
            Transport::Tcp(tcp) => tcp.socket.as_fd(),
            Transport::Tls(stream) => stream.socket().as_fd(),
            Transport::Datagrams(socket) => socket.as_fd(),
            Transport::Quic(socket) => socket.as_fd(),
        }
    }
}

/// Begins to open a TCP connection, from a certain address if given; it is open once it first
/// becomes writable.
pub(crate) fn open_socket(
    address: SocketAddr,
    source: Option<SocketAddr>,
) -> io::Result<TcpStream> {
    let socket = Socket::new(Domain::for_address(address), Type::STREAM, Some(Protocol::TCP))?;
    socket.set_nonblocking(true)?;
    socket.set_tcp_nodelay(true)?;
    if let Some(source) = source {
        if source.port() == 0 {
            // The port is then chosen for the target, which is quick if few are left.
            setsockopt(&socket, IpBindAddressNoPort, &true)?;
        } else {
            // A port whose last connection has just been closed is acceptable.
            socket.set_reuse_address(true)?;
        }
        socket.bind(&source.into())?;
    }
    match socket.connect(&address.into()) {
        Err(error) if !in_progress(&error) => Err(error),
        _ => Ok(socket.into()),
    }
}

/// Opens a connection to a Unix socket of this machine.
pub(crate) fn open_unix(path: &Path) -> io::Result<TcpStream> {
    let socket = Socket::new(Domain::UNIX, Type::STREAM, None)?;
    socket.set_nonblocking(true)?;
    socket.connect(&SockAddr::unix(path)?)?;
    // Every carrier reads and writes a stream the same way.
    Ok(socket.into())
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
            // Not yet open, or full: the poller will report when to continue.
            Err(error) if would_block(&error) => break,
            Err(error) => return Err(failure(&error)),
        }
    }
    Ok(written)
}
