//! Whether a server answers at an address by QUIC, checked before a run. With TCP, the kernel
//! reports whether a connection opens; here, a handshake is begun.

use std::io::{self, ErrorKind};
use std::net::{SocketAddr, UdpSocket};
use std::time::Duration;

use super::socket::next_datagram;
use super::{QuicOptions, Session};
use crate::generator::transport::datagrams::open_datagrams;
use crate::poller::Clock;
use crate::protocol::http3::code;

/// No datagram is longer.
const DATAGRAM_BYTES_MAX: usize = 1 << 16;
/// The shortest wait for an answer: a timeout of zero would have no end.
const WAIT_MIN: Duration = Duration::from_millis(1);

/// Waits for any answer: the run counts how a handshake ends.
///
/// # Errors
/// If the kernel reports that the port is closed, or nothing answers `within` this time.
pub(crate) fn answers(
    address: SocketAddr,
    options: &QuicOptions,
    within: Duration,
) -> io::Result<()> {
    let socket = open_datagrams(address, None)?;
    socket.set_nonblocking(false)?;
    let (mut session, clock) = (Session::open(options), Clock::start());
    let mut buffer = vec![0; DATAGRAM_BYTES_MAX];
    loop {
        let after = send(&socket, &mut session)?;
        let left = within.saturating_sub(Duration::from_nanos(clock.now().0));
        if left.is_zero() {
            let why = format!("the handshake of QUIC had no answer within {within:?}");
            return Err(io::Error::new(ErrorKind::TimedOut, why));
        }
        let wait = after.map_or(left, |after| after.min(left)).max(WAIT_MIN);
        socket.set_read_timeout(Some(wait))?;
        match socket.recv(&mut buffer) {
            Ok(count) => {
                session.take(&buffer[..count]);
                break;
            }
            // It may be time to send the same again.
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                session.take(&[]);
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    // With this answer the server need not wait for a timeout.
    while session.poll().is_some() {}
    session.close(code::NO_ERROR);
    send(&socket, &mut session).ok();
    Ok(())
}

/// Sends due data; gives the time until more is due, if nothing comes.
fn send(socket: &UdpSocket, session: &mut Session) -> io::Result<Option<Duration>> {
    let mut out = Vec::new();
    let after = session.transmit(&mut out);
    let mut rest = &out[..];
    while let Some((datagram, behind)) = next_datagram(rest) {
        socket.send(datagram)?;
        rest = behind;
    }
    Ok(after)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generator::transport::tls::{TlsOptions, configuration};

    /// Whether a server answers there within this many milliseconds.
    fn connects(address: SocketAddr, millis: u64) -> Result<(), ErrorKind> {
        let tls = TlsOptions { verify: false, ..TlsOptions::default() };
        let tls = configuration(&tls, vec![b"h3".to_vec()]).unwrap();
        let options = QuicOptions::new(&tls, "localhost").unwrap();
        answers(address, &options, Duration::from_millis(millis)).map_err(|error| error.kind())
    }

    #[test]
    fn nobody_there_is_refused() {
        let free = UdpSocket::bind("127.0.0.1:0").unwrap();
        let address = free.local_addr().unwrap();
        // The kernel refuses what comes from anybody but the peer, which is the socket itself.
        free.connect(address).unwrap();
        assert_eq!(connects(address, 300_000), Err(ErrorKind::ConnectionRefused));
    }

    #[test]
    fn whoever_says_nothing_is_not_waited_for_without_an_end() {
        let silent = UdpSocket::bind("127.0.0.1:0").unwrap();
        assert_eq!(connects(silent.local_addr().unwrap(), 30), Err(ErrorKind::TimedOut));
        // A handshake was begun, by a datagram of the required length (RFC 9000, 14.1).
        assert_eq!(silent.recv(&mut [0; 2000]).unwrap(), 1200);
    }

    #[test]
    fn any_answer_will_do() {
        let server = UdpSocket::bind("127.0.0.1:0").unwrap();
        let address = server.local_addr().unwrap();
        let answering = std::thread::spawn(move || {
            let (_, client) = server.recv_from(&mut [0; 2000]).unwrap();
            server.send_to(b"what?", client).unwrap();
        });
        assert_eq!(connects(address, 300_000), Ok(()));
        answering.join().unwrap();
    }
}
