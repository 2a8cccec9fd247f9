//! The first request over a connection: a tunnel through a proxy, or TLS with a database.

use std::os::fd::AsFd;

use rustix::io::Errno;
use rustix::net::{RecvFlags, recv};

use super::failure::{CLOSED, Failure};
use super::proxy_connect::{Tunnel, failure_of, push};

/// The request for TLS with PostgreSQL: the length, and a number that no version has.
const SSL_REQUEST: [u8; 8] = [0, 0, 0, 8, 4, 210, 22, 47];

/// A request that is not yet granted.
pub(crate) enum Negotiation {
    Tunnel(Tunnel),
    /// A request for TLS, of which this many bytes are sent.
    Encryption(usize),
}

impl Negotiation {
    /// Sends as much of the request as the socket accepts.
    pub(crate) fn ask(&mut self, socket: impl AsFd) -> Result<(), Failure> {
        match self {
            Negotiation::Tunnel(tunnel) => tunnel.ask(socket),
            Negotiation::Encryption(sent) => push(&SSL_REQUEST, sent, socket),
        }
    }

    /// Reads the answer, and no further: whether the request is granted.
    ///
    /// # Errors
    /// If it is not granted, or the answer is something else.
    pub(crate) fn is_agreed(&mut self, socket: impl AsFd) -> Result<bool, Failure> {
        match self {
            Negotiation::Tunnel(tunnel) => tunnel.is_open(socket),
            Negotiation::Encryption(_) => speaks_tls(socket),
        }
    }
}

/// Whether the server agrees to TLS, if it has answered: by one byte, after which no plain bytes
/// may follow.
fn speaks_tls(socket: impl AsFd) -> Result<bool, Failure> {
    loop {
        let mut answer = [0; 1];
        match recv(&socket, &mut answer[..], RecvFlags::empty()) {
            Ok((0, _)) => return Err(CLOSED),
            Ok(_) if answer == *b"S" => return Ok(true),
            Ok(_) if answer == *b"N" => return Err("postgresql_no_tls"),
            Ok(_) => return Err("postgresql_malformed"),
            Err(Errno::INTR) => {}
            Err(Errno::AGAIN | Errno::NOTCONN) => return Ok(false),
            Err(error) => return Err(failure_of(error)),
        }
    }
}
