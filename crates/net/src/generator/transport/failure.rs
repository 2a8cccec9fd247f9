//! Errors on the way, as short fixed words for counting.

use std::io;

use rustix::io::Errno;

/// An error of a connection, as the short fixed word that is counted.
pub(crate) type Failure = &'static str;

/// The server closed the connection before its response was complete.
pub(crate) const CLOSED: Failure = "closed";

/// The word under which an error of the operating system is counted.
pub(crate) fn failure(error: &io::Error) -> Failure {
    use io::ErrorKind as Kind;
    match error.kind() {
        Kind::ConnectionRefused => "refused",
        Kind::ConnectionReset | Kind::BrokenPipe | Kind::ConnectionAborted => "reset",
        Kind::HostUnreachable | Kind::NetworkUnreachable => "unreachable",
        Kind::TimedOut => "connect_timeout",
        // For Unix sockets: nobody created it, or its queue is full.
        Kind::NotFound => "no_socket",
        Kind::WouldBlock => "backlog_full",
        Kind::AddrNotAvailable | Kind::AddrInUse => "no_free_port",
        _ => match error.raw_os_error().map(Errno::from_raw_os_error) {
            Some(Errno::MFILE | Errno::NFILE) => "no_free_descriptor",
            Some(Errno::MSGSIZE) => "datagram_too_large",
            _ => "system_error",
        },
    }
}

/// Whether a socket has no data and no room for now.
pub(crate) fn would_block(error: &io::Error) -> bool {
    // A socket that is not yet connected reports ENOTCONN to a reader.
    error.kind() == io::ErrorKind::WouldBlock || error.kind() == io::ErrorKind::NotConnected
}
