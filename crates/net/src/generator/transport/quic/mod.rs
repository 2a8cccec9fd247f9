//! QUIC (RFC 9000) by quinn-proto, which has neither a socket nor a clock: one connection of a
//! client.
//!
//! Nothing is sent before the handshake has ended (0-RTT), datagrams have the guaranteed 1200
//! bytes, and the congestion control is Cubic (RFC 9438).

pub(crate) mod reachability;
pub(crate) mod socket;

use std::net::{Ipv6Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use quinn_proto::crypto::rustls::QuicClientConfig;
use quinn_proto::{
    ClientConfig, Connection, ConnectionError, ConnectionHandle, DatagramEvent, Dir, Endpoint,
    EndpointConfig, Event, ReadError, StreamEvent, StreamId, TransportConfig, TransportErrorCode,
    VarInt, WriteError,
};
use rustls::AlertDescription;
use thinktime_core::error::Invalid;

use super::failure::{CLOSED, Failure};
use super::tls::is_about_client;
use crate::poller::Clock;

/// The bytes that the server may send on a stream, and on a whole connection, before it has to
/// wait: the largest buffer if datagrams are lost.
const STREAM_WINDOW: u32 = 4 << 20;
const CONNECTION_WINDOW: u32 = 16 << 20;
/// The interval that keeps an otherwise idle connection alive: a server may think for long.
const KEEP_ALIVE: Duration = Duration::from_secs(10);
/// The most datagrams written at a time.
const DATAGRAMS_MAX: u32 = 64;
/// The size of the length before a datagram.
pub(crate) const LENGTH_BYTES: usize = 4;

/// The common state of all connections to one server.
pub(crate) struct QuicOptions {
    endpoint: Arc<EndpointConfig>,
    client: ClientConfig,
    /// The name that the server's certificate must have.
    name: String,
}

impl QuicOptions {
    /// # Errors
    /// If QUIC cannot be spoken with this configuration of TLS.
    pub(crate) fn new(tls: &Arc<rustls::ClientConfig>, name: &str) -> Result<QuicOptions, Invalid> {
        let wrong = |why: &dyn std::fmt::Display| Invalid::new(format!("QUIC to `{name}`: {why}"));
        let crypto = QuicClientConfig::try_from(Arc::clone(tls)).map_err(|error| wrong(&error))?;
        let mut transport = TransportConfig::default();
        transport
            .max_concurrent_bidi_streams(VarInt::from_u32(0))
            .stream_receive_window(VarInt::from_u32(STREAM_WINDOW))
            .receive_window(VarInt::from_u32(CONNECTION_WINDOW))
            .keep_alive_interval(Some(KEEP_ALIVE))
            .datagram_receive_buffer_size(None)
            .mtu_discovery_config(None)
            .enable_segmentation_offload(false);
        let mut client = ClientConfig::new(Arc::new(crypto));
        client.transport_config(Arc::new(transport));
        let endpoint = Arc::new(EndpointConfig::default());
        let options = QuicOptions { endpoint, client, name: name.to_owned() };
        // A connection that cannot be opened is known before the run.
        Session::try_open(&options).map_err(|error| wrong(&error))?;
        Ok(options)
    }
}

/// One connection.
pub(crate) struct Session {
    endpoint: Endpoint,
    handle: ConnectionHandle,
    connection: Connection,
    /// The datagram that is being written.
    datagram: Vec<u8>,
    /// The data that waits for a window, by streams, each of which ends with it.
    unsent: Vec<(StreamId, Bytes)>,
}

/// Data arrived on a stream.
pub(crate) enum StreamData<'a> {
    Bytes(&'a [u8]),
    /// The stream has ended.
    End,
    /// The server has reset the stream, with this code.
    Reset(u64),
}

/// The socket knows the destination of datagrams; here, all have the same one.
const SERVER: SocketAddr = SocketAddr::new(std::net::IpAddr::V6(Ipv6Addr::LOCALHOST), 443);

impl Session {
    /// Begins to open a connection.
    pub(crate) fn open(options: &QuicOptions) -> Session {
        Session::try_open(options).expect("what can be opened once can be opened again")
    }

    fn try_open(options: &QuicOptions) -> Result<Session, quinn_proto::ConnectError> {
        let mut endpoint = Endpoint::new(Arc::clone(&options.endpoint), None, false, None);
        let client = options.client.clone();
        let (handle, connection) =
            endpoint.connect(Clock::instant(), client, SERVER, &options.name)?;
        let (datagram, unsent) = (Vec::new(), Vec::new());
        Ok(Session { endpoint, handle, connection, datagram, unsent })
    }

    /// Takes a datagram; an empty one means that it is time to check the clock.
    pub(crate) fn take(&mut self, datagram: &[u8]) {
        let now = Clock::instant();
        if datagram.is_empty() {
            return self.connection.handle_timeout(now);
        }
        self.datagram.clear();
        let bytes = BytesMut::from(datagram);
        let event = self.endpoint.handle(now, SERVER, None, None, bytes, &mut self.datagram);
        // A datagram for another connection gets no answer.
        if let Some(DatagramEvent::ConnectionEvent(_, event)) = event {
            self.connection.handle_event(event);
        }
    }

    /// The next event, if it does not concern the session alone.
    pub(crate) fn poll(&mut self) -> Option<Event> {
        while let Some(event) = self.connection.poll_endpoint_events() {
            if let Some(event) = self.endpoint.handle_event(self.handle, event) {
                self.connection.handle_event(event);
            }
        }
        loop {
            match self.connection.poll()? {
                Event::Stream(StreamEvent::Writable { id }) => {
                    if let Some(bytes) = self.forget_unsent(id) {
                        self.write_last(id, bytes);
                    }
                }
                event => return Some(event),
            }
        }
    }

    /// Writes datagrams that are due, each behind its length, and returns how long nothing else is
    /// due, if nothing arrives.
    pub(crate) fn transmit(&mut self, out: &mut Vec<u8>) -> Option<Duration> {
        let now = Clock::instant();
        for _ in 0..DATAGRAMS_MAX {
            self.datagram.clear();
            if self.connection.poll_transmit(now, 1, &mut self.datagram).is_none() {
                break;
            }
            out.extend_from_slice(&(self.datagram.len() as u32).to_be_bytes());
            out.extend_from_slice(&self.datagram);
        }
        self.connection.poll_timeout().map(|at| at.saturating_duration_since(now))
    }

    /// Opens a stream, if the server allows another one.
    pub(crate) fn open_stream(&mut self, dir: Dir) -> Option<StreamId> {
        self.connection.streams().open(dir)
    }

    /// A stream that the server has opened, if there is a new one.
    pub(crate) fn accept_stream(&mut self) -> Option<StreamId> {
        self.connection.streams().accept(Dir::Uni)
    }

    /// Writes to a stream as much as the windows allow: whether all of it, or the server wants no
    /// more.
    pub(crate) fn write(&mut self, stream: StreamId, bytes: &mut Bytes) -> bool {
        while !bytes.is_empty() {
            let mut chunks = [std::mem::take(bytes)];
            let result = self.connection.send_stream(stream).write_chunks(&mut chunks);
            [*bytes] = chunks;
            match result {
                Ok(_) => {}
                Err(WriteError::Blocked) => return false,
                Err(WriteError::Stopped(_) | WriteError::ClosedStream) => return true,
            }
        }
        true
    }

    /// Writes to a stream, and ends it: the part that the windows allow at once, the rest as they
    /// open.
    pub(crate) fn write_last(&mut self, stream: StreamId, mut bytes: Bytes) {
        if self.write(stream, &mut bytes) {
            // A stream that the server has stopped needs no end.
            self.connection.send_stream(stream).finish().ok();
        } else {
            self.unsent.push((stream, bytes));
        }
    }

    /// The number of bytes that wait for windows.
    pub(crate) fn unsent_bytes(&self) -> usize {
        self.unsent.iter().map(|(_, bytes)| bytes.len()).sum()
    }

    /// Drops the waiting data of a stream.
    fn forget_unsent(&mut self, stream: StreamId) -> Option<Bytes> {
        let place = self.unsent.iter().position(|(id, _)| *id == stream)?;
        Some(self.unsent.swap_remove(place).1)
    }

    /// Drops the waiting data of a stream, and returns its size in bytes.
    pub(crate) fn drop_unsent(&mut self, stream: StreamId) -> u64 {
        self.forget_unsent(stream).map_or(0, |bytes| bytes.len() as u64)
    }

    /// Hands the arrived data of a stream to `take`, until nothing is left or that returns no.
    pub(crate) fn read(&mut self, stream: StreamId, mut take: impl FnMut(StreamData<'_>) -> bool) {
        let mut stream = self.connection.recv_stream(stream);
        let Ok(mut chunks) = stream.read(true) else { return };
        loop {
            let goes_on = match chunks.next(usize::MAX) {
                Ok(Some(chunk)) => take(StreamData::Bytes(&chunk.bytes)),
                Ok(None) => {
                    take(StreamData::End);
                    false
                }
                Err(ReadError::Reset(code)) => {
                    take(StreamData::Reset(code.into_inner()));
                    false
                }
                Err(ReadError::Blocked) => false,
            };
            if !goes_on {
                break;
            }
        }
        // The necessary frames go with the next datagrams.
        let _ = chunks.finalize();
    }

    /// Gives a stream up: no more is received, nor sent if it is bidirectional. Returns the size of
    /// the data that was left, in bytes.
    pub(crate) fn stop(&mut self, stream: StreamId, code: u64) -> u64 {
        let code = number(code);
        let unsent = self.drop_unsent(stream);
        self.connection.recv_stream(stream).stop(code).ok();
        if stream.dir() == Dir::Bi {
            self.connection.send_stream(stream).reset(code).ok();
        }
        unsent
    }

    /// Sends no more over a stream whose other end has finished. Returns the bytes that were left.
    pub(crate) fn cut_short(&mut self, stream: StreamId, code: u64) -> u64 {
        let Some(left) = self.forget_unsent(stream) else { return 0 };
        self.connection.send_stream(stream).reset(number(code)).ok();
        left.len() as u64
    }

    /// Whether the connection can carry nothing any more.
    pub(crate) fn is_closed(&self) -> bool {
        self.connection.is_closed()
    }

    /// Closes the connection, if it is not closed.
    pub(crate) fn close(&mut self, code: u64) {
        self.connection.close(Clock::instant(), number(code), Bytes::new());
    }
}

fn number(code: u64) -> VarInt {
    VarInt::from_u64(code).unwrap_or(VarInt::MAX)
}

/// The word for counting the loss of a connection, which was open before or not.
pub(crate) fn failure_of(reason: &ConnectionError, connected: bool) -> Failure {
    match reason {
        ConnectionError::TimedOut if connected => "quic_timeout",
        ConnectionError::TimedOut => "connect_timeout",
        ConnectionError::VersionMismatch => "quic_version",
        ConnectionError::Reset => "reset",
        ConnectionError::TransportError(error) => match alert(error.code) {
            Some(alert) if is_about_client(alert) => "tls_certificate",
            Some(_) => "tls_handshake",
            None => "quic_protocol",
        },
        ConnectionError::ConnectionClosed(close) => match alert(close.error_code) {
            Some(alert) if is_about_client(alert) => "tls_client_certificate",
            Some(_) if connected => "tls_alert",
            Some(_) => "tls_handshake",
            None if close.error_code == TransportErrorCode::CONNECTION_REFUSED => "refused",
            None => CLOSED,
        },
        ConnectionError::ApplicationClosed(_)
        | ConnectionError::LocallyClosed
        | ConnectionError::CidsExhausted => CLOSED,
    }
}

/// The alert of TLS behind an error, if it is one: RFC 9001, section 4.8.
fn alert(code: TransportErrorCode) -> Option<AlertDescription> {
    let alert = u64::from(code).checked_sub(0x100)?;
    u8::try_from(alert).ok().map(AlertDescription::from)
}
