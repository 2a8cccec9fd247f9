//! What is asked for before anything else goes over a connection: a tunnel through a proxy, or that
//! a database speaks TLS.

use std::os::fd::AsFd;

use rustix::io::Errno;
use rustix::net::{RecvFlags, recv};

use super::failure::{CLOSED, Failure};
use super::proxy_connect::{Tunnel, failure_of, push};

/// By which a client asks PostgreSQL to speak TLS: the length, and a number that no version has.
const SSL_REQUEST: [u8; 8] = [0, 0, 0, 8, 4, 210, 22, 47];

/// Something that is asked for and not yet granted.
pub(crate) enum Negotiation {
    Tunnel(Tunnel),
    /// That the server speaks TLS, of which so much is asked.
    Encryption(usize),
}

impl Negotiation {
    /// Sends as much of the request as the socket takes.
    pub(crate) fn ask(&mut self, socket: impl AsFd) -> Result<(), Failure> {
        match self {
            Negotiation::Tunnel(tunnel) => tunnel.ask(socket),
            Negotiation::Encryption(sent) => push(&SSL_REQUEST, sent, socket),
        }
    }

    /// Reads the answer, and nothing behind it: whether all that was asked is granted.
    ///
    /// # Errors
    /// When it is not, or the answer is something else.
    pub(crate) fn is_agreed(&mut self, socket: impl AsFd) -> Result<bool, Failure> {
        match self {
            Negotiation::Tunnel(tunnel) => tunnel.is_open(socket),
            Negotiation::Encryption(_) => speaks_tls(socket),
        }
    }
}

/// Whether the server says that it speaks TLS, if it has answered: by one byte, behind which
/// nothing may stand that came without TLS.
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
