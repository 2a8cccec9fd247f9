//! One connection of the generator: a socket, what is still to be written, and the reader of
//! responses.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::os::fd::{AsFd, BorrowedFd};

use rustix::io::Errno;
use socket2::{Domain, Protocol, Socket, Type};
use thinktime_core::client::{Attempt, Fate};
use thinktime_core::record::Row;
use thinktime_core::time::Nanos;

use crate::protocol::http1::{Progress, Response, ResponseReader};

/// What goes wrong on a connection, as the short fixed word that is counted.
pub(super) type Failure = &'static str;

/// The server closed the connection before its response was complete.
pub(super) const CLOSED: Failure = "closed";

/// A connection, with the attempt that it carries.
pub(super) struct Connection {
    stream: TcpStream,
    reader: ResponseReader,
    out: Vec<u8>,
    written: usize,
    /// What it carries; nothing while idle.
    pub(super) exchange: Option<Exchange>,
    /// Whether a response came over it before.
    pub(super) reused: bool,
}

/// One attempt on its way.
#[derive(Clone, Copy, Debug)]
pub(super) struct Exchange {
    pub(super) attempt: Attempt,
    /// When it was handed to the kernel: a request to write, or first a connection to open.
    pub(super) sent: Nanos,
    /// When the first byte of the response came.
    pub(super) first_byte: Nanos,
    pub(super) bytes_sent: u64,
    /// Whether it went out before, on a kept connection that the server had just closed.
    pub(super) resent: bool,
}

impl Exchange {
    /// The row of the attempt, which ended at `done`.
    pub(super) fn row(&self, fate: Fate, done: Nanos) -> Row {
        Row {
            sent: self.sent,
            first_byte: self.first_byte,
            bytes_sent: self.bytes_sent,
            ..Row::ended(self.attempt, fate, done)
        }
    }
}

impl Connection {
    /// Begins to open a connection; it is open when it first becomes writable.
    pub(super) fn open(address: SocketAddr) -> io::Result<Connection> {
        let socket = Socket::new(Domain::for_address(address), Type::STREAM, Some(Protocol::TCP))?;
        socket.set_nonblocking(true)?;
        socket.set_tcp_nodelay(true)?;
        match socket.connect(&address.into()) {
            Err(error) if !in_progress(&error) => return Err(error),
            _ => {}
        }
        Ok(Connection {
            stream: socket.into(),
            reader: ResponseReader::new(),
            out: Vec::new(),
            written: 0,
            exchange: None,
            reused: false,
        })
    }

    /// Takes an exchange on. `write` fills in the bytes of the request.
    pub(super) fn begin(
        &mut self,
        exchange: Exchange,
        head_only: bool,
        write: impl FnOnce(&mut Vec<u8>),
    ) {
        self.out.clear();
        self.written = 0;
        write(&mut self.out);
        self.reader.expect(head_only);
        self.exchange = Some(Exchange { bytes_sent: self.out.len() as u64, ..exchange });
    }

    /// Writes as much as the socket takes.
    pub(super) fn flush(&mut self) -> Result<(), Failure> {
        while self.written < self.out.len() {
            match self.stream.write(&self.out[self.written..]) {
                Ok(0) => return Err(CLOSED),
                Ok(count) => self.written += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                // Not yet open, or full: the poller will say when to go on.
                Err(error) if would_block(&error) => return Ok(()),
                Err(error) => return Err(failure(&error)),
            }
        }
        Ok(())
    }

    /// Reads until the response is complete or the socket would block. `ending` says that the
    /// stream's end is among what there is to read; `now` is asked when the first byte has come.
    pub(super) fn read(
        &mut self,
        buffer: &mut [u8],
        ending: bool,
        now: impl Fn() -> Nanos,
    ) -> Result<Option<Response>, Failure> {
        loop {
            let count = match self.stream.read(buffer) {
                Ok(0) => return self.end_of_stream(),
                Ok(count) => count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) if would_block(&error) => return Ok(None),
                Err(error) => return Err(failure(&error)),
            };
            let Some(exchange) = &mut self.exchange else { return Err("unexpected_bytes") };
            if exchange.first_byte.is_never() {
                exchange.first_byte = now();
            }
            match self.reader.read(&buffer[..count]) {
                Ok(Progress::NeedMore) => {}
                Ok(Progress::Complete { response, used }) if used == count => {
                    return Ok(Some(response));
                }
                Ok(Progress::Complete { .. }) => return Err("unexpected_bytes"),
                Err(error) => return Err(error.kind()),
            }
            // A short read leaves the socket empty; a later byte makes a new edge.
            if count < buffer.len() && !ending {
                return Ok(None);
            }
        }
    }

    fn end_of_stream(&mut self) -> Result<Option<Response>, Failure> {
        if !self.reader.started() {
            return Err(CLOSED);
        }
        self.reader.end_of_stream().map(Some).map_err(|_| CLOSED)
    }

    /// Whether nothing of the response has come, so that the request may go out again elsewhere.
    pub(super) fn untouched(&self) -> bool {
        self.exchange.is_none_or(|exchange| exchange.first_byte.is_never())
    }
}

impl AsFd for Connection {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.stream.as_fd()
    }
}

fn in_progress(error: &io::Error) -> bool {
    error.raw_os_error() == Some(Errno::INPROGRESS.raw_os_error())
}

fn would_block(error: &io::Error) -> bool {
    // A socket that is not yet connected says ENOTCONN to a reader.
    error.kind() == io::ErrorKind::WouldBlock || error.kind() == io::ErrorKind::NotConnected
}

/// The word under which an error of the operating system is counted.
pub(super) fn failure(error: &io::Error) -> Failure {
    use io::ErrorKind as Kind;
    match error.kind() {
        Kind::ConnectionRefused => "refused",
        Kind::ConnectionReset | Kind::BrokenPipe | Kind::ConnectionAborted => "reset",
        Kind::HostUnreachable | Kind::NetworkUnreachable => "unreachable",
        Kind::TimedOut => "connect_timeout",
        Kind::AddrNotAvailable | Kind::AddrInUse => "no_free_port",
        _ => match error.raw_os_error().map(Errno::from_raw_os_error) {
            Some(Errno::MFILE | Errno::NFILE) => "no_free_descriptor",
            _ => "system_error",
        },
    }
}
