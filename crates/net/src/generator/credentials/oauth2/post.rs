//! One request of HTTP/1.1 at a time, waiting for its answer: for requests beside the load.

use std::io::{self, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::sync::Arc;
use std::time::Duration;

use rustls::pki_types::ServerName;
use rustls::{ClientConfig, ClientConnection, StreamOwned};
use thinktime_core::time::Nanos;
use thinktime_core::workload::Endpoint;

use crate::poller::Clock;
use crate::protocol::Capture;
use crate::protocol::http1::{RequestHead, ResponseProgress, ResponseReader, write_request};

/// The longest duration of the whole exchange.
const TIME_MAX: Nanos = Nanos(10_000_000_000);

/// A response: its status, and the beginning of its body.
pub(super) struct PostResponse {
    pub(super) status: u16,
    pub(super) body: Vec<u8>,
}

/// Posts a body to an endpoint, over a connection of its own.
///
/// # Errors
/// The reason for a failure, in words.
pub(super) fn post(
    endpoint: &Endpoint,
    headers: &[(&str, &str)],
    body: &[u8],
    tls: &Arc<ClientConfig>,
) -> Result<PostResponse, String> {
    let stream = Timed::connect(endpoint).map_err(words)?;
    let request = RequestHead {
        method: "POST",
        host: &endpoint.authority,
        target: &endpoint.target,
        headers,
        body,
    };
    if !endpoint.secure {
        return exchange(stream, &request);
    }
    let name = ServerName::try_from(endpoint.host_name())
        .map_err(|error| format!("TLS does not accept this host: {error}"))?;
    let session =
        ClientConnection::new(Arc::clone(tls), name).map_err(|error| error.to_string())?;
    exchange(StreamOwned::new(session, stream), &request)
}

fn exchange(
    mut stream: impl Read + Write,
    request: &RequestHead<'_>,
) -> Result<PostResponse, String> {
    let mut bytes = Vec::new();
    write_request(&mut bytes, request);
    stream.write_all(&bytes).and_then(|()| stream.flush()).map_err(words)?;
    let mut reader = ResponseReader::capturing(Capture::All);
    reader.expect(false);
    let mut buffer = [0; 4096];
    let malformed = |_| "the answer is not HTTP".to_owned();
    let response = loop {
        let count = stream.read(&mut buffer).map_err(words)?;
        if count == 0 {
            break reader.end_of_stream().map_err(|_| "it closed the connection".to_owned())?;
        }
        match reader.read(&buffer[..count]).map_err(malformed)? {
            ResponseProgress::NeedMore => {}
            ResponseProgress::Complete { response, .. } => break response,
        }
    };
    let excerpt = reader.take_excerpt().unwrap_or_default();
    let content = excerpt.content().map_err(|_| "its body is damaged".to_owned())?;
    Ok(PostResponse { status: response.status, body: content.bytes.into_owned() })
}

fn words(error: io::Error) -> String {
    match error.kind() {
        // Sockets report the timeout in this way.
        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => {
            format!("no answer within {TIME_MAX}")
        }
        _ => error.to_string(),
    }
}

/// A socket that blocks until a deadline.
struct Timed {
    socket: TcpStream,
    clock: Clock,
}

impl Timed {
    fn connect(endpoint: &Endpoint) -> io::Result<Timed> {
        let clock = Clock::start();
        let mut failed = io::Error::from(io::ErrorKind::AddrNotAvailable);
        for address in endpoint.with_port().to_socket_addrs()? {
            match TcpStream::connect_timeout(&address, left(clock)?) {
                Ok(socket) => return Ok(Timed { socket, clock }),
                Err(error) => failed = error,
            }
        }
        Err(failed)
    }
}

/// The remaining time, if any.
fn left(clock: Clock) -> io::Result<Duration> {
    let left = TIME_MAX.since(clock.now());
    if left == Nanos::ZERO {
        return Err(io::ErrorKind::TimedOut.into());
    }
    Ok(Duration::from_nanos(left.0))
}

impl Read for Timed {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.socket.set_read_timeout(Some(left(self.clock)?))?;
        self.socket.read(buffer)
    }
}

impl Write for Timed {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.socket.set_write_timeout(Some(left(self.clock)?))?;
        self.socket.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.socket.flush()
    }
}
