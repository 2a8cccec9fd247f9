//! What goes wrong on the way, as short fixed words by which it is counted.

use std::io;

use rustix::io::Errno;

/// What goes wrong on a connection, as the short fixed word that is counted.
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
        // Of Unix sockets: nobody made it, or more wait for it than it lets wait.
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

/// Whether a socket has nothing more to give or take for now.
pub(crate) fn would_block(error: &io::Error) -> bool {
    // A socket that is not yet connected says ENOTCONN to a reader.
    error.kind() == io::ErrorKind::WouldBlock || error.kind() == io::ErrorKind::NotConnected
}
