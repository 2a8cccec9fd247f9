//! A tunnel through an HTTP proxy (CONNECT), opened before anything else goes over a connection.

use std::io;
use std::os::fd::AsFd;
use std::sync::Arc;

use rustix::io::Errno;
use rustix::net::{RecvFlags, SendFlags, recv, send};

use super::failure::{Failure, failure};
use crate::protocol::http1::{Rules, read_response_head};

/// The most bytes of the proxy's answer.
const ANSWER_MAX: usize = 16 * 1024;

/// A tunnel that is not open yet.
pub(crate) struct Tunnel {
    request: Arc<[u8]>,
    /// The sent bytes of the request.
    sent: usize,
    /// The received part of the proxy's answer.
    answer: Vec<u8>,
}

impl Tunnel {
    /// A tunnel for this request.
    pub(crate) fn new(request: Arc<[u8]>) -> Tunnel {
        Tunnel { request, sent: 0, answer: Vec::new() }
    }

    /// Sends as much of the request as the socket accepts.
    pub(crate) fn ask(&mut self, socket: impl AsFd) -> Result<(), Failure> {
        push(&self.request, &mut self.sent, socket)
    }

    /// Reads the answer, and no further: whether the tunnel is open.
    ///
    /// # Errors
    /// If the proxy refuses, fails, or answers with something else.
    pub(crate) fn is_open(&mut self, socket: impl AsFd) -> Result<bool, Failure> {
        loop {
            let mut buffer = [0; 4096];
            // Bytes after the answer belong to the server behind the proxy.
            let count = match recv(&socket, &mut buffer[..], RecvFlags::PEEK) {
                Ok((0, _)) => return Err("proxy_closed"),
                Ok((count, _)) => count,
                Err(Errno::INTR) => continue,
                Err(Errno::AGAIN | Errno::NOTCONN) => return Ok(false),
                Err(error) => return Err(failure_of(error)),
            };
            let before = self.answer.len();
            self.answer.extend_from_slice(&buffer[..count]);
            let from = before.saturating_sub(3);
            let end = memchr::memmem::find(&self.answer[from..], b"\r\n\r\n");
            let used = end.map_or(count, |end| from + end + 4 - before);
            take(&socket, &mut buffer[..used])?;
            self.answer.truncate(before + used);
            let begins = self.answer.iter().zip(b"HTTP/1.").all(|(one, other)| one == other);
            if !begins || self.answer.len() > ANSWER_MAX {
                return Err("proxy_malformed");
            }
            if end.is_some() {
                return judge(&self.answer).map(|()| true);
            }
        }
    }
}

/// Sends as much of a request as the socket accepts; `sent` bytes have gone already.
pub(crate) fn push(request: &[u8], sent: &mut usize, socket: impl AsFd) -> Result<(), Failure> {
    while *sent < request.len() {
        match send(&socket, &request[*sent..], SendFlags::NOSIGNAL) {
            Ok(count) => *sent += count,
            Err(Errno::INTR) => {}
            Err(Errno::AGAIN | Errno::NOTCONN) => break,
            Err(error) => return Err(failure_of(error)),
        }
    }
    Ok(())
}

/// Takes bytes that are known to be there.
fn take(socket: impl AsFd, bytes: &mut [u8]) -> Result<(), Failure> {
    let mut taken = 0;
    while taken < bytes.len() {
        match recv(&socket, &mut bytes[taken..], RecvFlags::empty()) {
            Ok((0, _)) => return Err("proxy_closed"),
            Ok((count, _)) => taken += count,
            Err(Errno::INTR) => {}
            Err(error) => return Err(failure_of(error)),
        }
    }
    Ok(())
}

/// The content of a whole answer.
fn judge(answer: &[u8]) -> Result<(), Failure> {
    match read_response_head(answer, Rules::Lenient, |head| head.first) {
        Ok(Some(200..=299)) => Ok(()),
        Ok(Some(407)) => Err("proxy_authentication"),
        Ok(Some(_)) => Err("proxy_refused"),
        Ok(None) | Err(_) => Err("proxy_malformed"),
    }
}

/// The word for an error of a socket.
pub(crate) fn failure_of(error: Errno) -> Failure {
    failure(&io::Error::from(error))
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::os::unix::net::UnixStream;

    use super::*;

    /// The result of an answer in pieces of this many bytes, and the unread rest.
    fn after(answer: &[u8], piece: usize) -> (Result<bool, Failure>, Vec<u8>) {
        let (mut proxy, mut client) = UnixStream::pair().unwrap();
        client.set_nonblocking(true).unwrap();
        let mut tunnel = Tunnel::new(Arc::from(&b"CONNECT a:1 HTTP/1.1\r\n\r\n"[..]));
        tunnel.ask(&client).unwrap();
        let mut result = Ok(false);
        for part in answer.chunks(piece) {
            proxy.write_all(part).unwrap();
            if result == Ok(false) {
                result = tunnel.is_open(&client);
            }
            // Nobody continues to read, and a socket holds few pieces.
            if result.is_err() {
                break;
            }
        }
        proxy.shutdown(std::net::Shutdown::Write).unwrap();
        let mut rest = Vec::new();
        client.read_to_end(&mut rest).unwrap();
        (result, rest)
    }

    #[test]
    fn answers_are_read_however_they_are_cut_and_nothing_behind_them() {
        let answer = b"HTTP/1.1 200 Connection established\r\nVia: p\r\n\r\nhello";
        for piece in 1..=answer.len() {
            assert_eq!(after(answer, piece), (Ok(true), b"hello".to_vec()), "{piece}");
        }
    }

    #[test]
    fn proxies_that_lie_are_found_out() {
        let long = [&b"HTTP/1.1 200 OK\r\n"[..], &b"X: y\r\n".repeat(5000)].concat();
        for (answer, word) in [
            (&b"HTTP/1.1 407 Who are you\r\n\r\n"[..], "proxy_authentication"),
            (b"HTTP/1.1 403 No\r\n\r\n", "proxy_refused"),
            (b"HTTP/1.1 100 Continue\r\n\r\n", "proxy_refused"),
            (b"SSH-2.0-OpenSSH", "proxy_malformed"),
            (b"HTTP/1.1 2OO\r\n\r\n", "proxy_malformed"),
            (b"HTTP/1.1 200 OK\r\nno field\r\n\r\n", "proxy_malformed"),
            (&long, "proxy_malformed"),
        ] {
            for piece in [1, 7, 4096] {
                assert_eq!(after(answer, piece).0, Err(word), "{}", answer.escape_ascii());
            }
        }
        let (proxy, client) = UnixStream::pair().unwrap();
        drop(proxy);
        assert_eq!(Tunnel::new(Arc::from(&b""[..])).is_open(&client), Err("proxy_closed"));
    }
}
