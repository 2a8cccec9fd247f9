//! The protocols spoken with a server: one file a protocol, and the map from the schemes of targets
//! to them. CONTRIBUTING.md shows how to add one.

pub(crate) mod exchange;
mod http1;
mod http2;
mod http3;
mod http_proxy;
pub(crate) mod message_exchange;
mod mismatch;
mod postgresql;
mod scheme;
mod statement;
mod streams;
mod tcp;
mod udp;
mod websocket;

use std::sync::Arc;
use std::time::Duration;

use thinktime_core::attempt::Attempt;
use thinktime_core::file::StreamFormat;
use thinktime_core::random::Stream;
use thinktime_core::request::{Expect, RequestKind};
use thinktime_core::time::Nanos;

use crate::generator::transport::failure::{CLOSED, Failure};
use crate::generator::transport::quic::QuicOptions;
use crate::poller::Clock;
use crate::protocol::http1::RequestHead;
use crate::protocol::postgresql::Login;
use crate::protocol::{Capture, Outbox};
use exchange::{Event, Exchange};
use message_exchange::OutgoingMessage;
use mismatch::{
    NO_GRPC, WHOLE_MESSAGES, message_mismatch, request_mismatch, single_message_mismatch,
    statement_mismatch, whole_message,
};
pub(crate) use scheme::{Carrier, Scheme};
pub(crate) use statement::{Continuation, Statements};

/// The schemes of targets: the transport, the default port, and the possible protocols, the best
/// first. With TLS the server chooses among them.
pub(crate) static SCHEMES: [Scheme; 10] = [
    Scheme::new("http", Carrier::Tcp, Some(80), &[http1::PROTOCOL]),
    Scheme::new("h2c", Carrier::Tcp, Some(80), &[http2::PROTOCOL]),
    Scheme::new("https", Carrier::Tls, Some(443), &[http2::PROTOCOL, http1::PROTOCOL]),
    Scheme::new("h3", Carrier::Quic, Some(443), &[http3::PROTOCOL]),
    Scheme::new("ws", Carrier::Tcp, Some(80), &[websocket::PROTOCOL]),
    Scheme::new("wss", Carrier::Tls, Some(443), &[websocket::PROTOCOL]),
    Scheme::new("tcp", Carrier::Tcp, None, &[tcp::PROTOCOL]),
    Scheme::new("udp", Carrier::Datagrams, None, &[udp::PROTOCOL]),
    Scheme::new("postgresql", Carrier::Tcp, Some(5432), &[postgresql::PROTOCOL]),
    Scheme::new("postgres", Carrier::Tcp, Some(5432), &[postgresql::PROTOCOL]),
];

/// The properties of a protocol before a connection speaks it.
pub(crate) struct Protocol {
    /// The name under which TLS offers it.
    pub(crate) alpn: &'static [u8],
    /// The role of the path of a target's URL.
    pub(crate) path: PathUse,
    pub(crate) payload: Payload,
    /// Whether connections begin with a handshake that has header fields.
    pub(crate) handshakes: bool,
    /// Whether it uses the times at which the kernel received bytes, so that they may stay in their
    /// socket.
    pub(crate) uses_arrival_time: bool,
    /// Whether one connection carries several exchanges at the same time.
    pub(crate) multiplexed: bool,
    /// Why a request does not fit, if it does not. For a program's requests (`scripted`) the
    /// workload gives names, timeouts and defaults only.
    pub(crate) mismatch: fn(kind: &RequestKind, scripted: bool) -> Option<&'static str>,
    /// The expected part of an answer, given its conditions; nothing if that cannot be expected.
    pub(crate) expects: for<'a> fn(Option<&'a Expect>) -> Option<&'a Expect>,
    /// Begins to speak over a new connection.
    pub(crate) open: fn(&OpenOptions<'_>, &mut Outbox) -> Box<dyn Conversation>,
}

/// The role of the path of a target's URL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PathUse {
    /// It precedes each request's own path.
    Prefix,
    /// All requests go there.
    Whole,
    /// It is the name of a database.
    Database,
    /// The URL has no path.
    None,
}

/// The content that a protocol carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Payload {
    /// Requests of HTTP.
    Requests,
    /// Messages, or plain bytes.
    Messages,
    /// Statements of SQL.
    Statements,
}

/// The opening settings of a connection.
pub(crate) struct OpenOptions<'a> {
    pub(crate) secure: bool,
    pub(crate) host: &'a str,
    pub(crate) path: &'a str,
    /// Header fields that a handshake brings.
    pub(crate) fields: &'a [(String, String)],
    /// The subprotocols that it offers, the best first.
    pub(crate) subprotocols: &'a [String],
    /// The fields for a proxy with each request that it passes on.
    pub(crate) proxy_authorization: Option<&'a str>,
    /// The settings of QUIC, if that carries the bytes.
    pub(crate) quic: Option<&'a QuicOptions>,
    /// The login to a database.
    pub(crate) login: Option<&'a Arc<Login>>,
    /// The kept parts of responses.
    pub(crate) capture: Capture,
    /// How many concurrent exchanges the server is expected to allow, if it may say.
    pub(crate) streams: usize,
    /// The connection's own stream of random numbers.
    pub(crate) random: Stream,
}

/// The content to send.
#[derive(Clone, Copy)]
pub(crate) enum Outgoing<'a> {
    Request(&'a RequestHead<'a>),
    /// A gRPC call that is answered by a stream, which ends with this many messages.
    Stream(&'a RequestHead<'a>, u64),
    /// A request that is answered by a stream of events.
    Events(&'a RequestHead<'a>, StreamFormat),
    Message(&'a OutgoingMessage<'a>),
    Statements(&'a Statements<'a>),
}

impl<'a> Outgoing<'a> {
    /// The request, if it is one: where streams are unknown, it is an ordinary request.
    pub(crate) fn request(&self) -> Option<&'a RequestHead<'a>> {
        match self {
            Outgoing::Request(request)
            | Outgoing::Stream(request, _)
            | Outgoing::Events(request, _) => Some(request),
            Outgoing::Message(_) | Outgoing::Statements(_) => None,
        }
    }

    /// The format of the events of its answer, if it has any.
    pub(crate) fn events(&self) -> Option<StreamFormat> {
        match self {
            Outgoing::Events(_, format) => Some(*format),
            _ => None,
        }
    }
}

/// The time at which bytes arrived.
#[derive(Clone, Copy)]
pub(crate) struct Arrival {
    pub(crate) clock: Clock,
    /// By the kernel: since the beginning of 1970.
    pub(crate) date: Option<Duration>,
}

impl Arrival {
    #[inline]
    pub(crate) fn now(&self) -> Nanos {
        self.clock.now()
    }

    /// The time at which the kernel received them, if known.
    #[inline]
    pub(crate) fn received(&self) -> Option<Nanos> {
        self.date.map(|date| self.clock.at(date))
    }
}

/// A protocol as spoken over one connection: without a socket, and with no clock but that of the
/// arrived bytes.
pub(crate) trait Conversation {
    /// Whether another exchange can begin, given the bytes that wait to be sent: as here, if they
    /// come one after another.
    fn has_room(&self, _out: &Outbox) -> bool {
        self.is_idle() && !self.is_closing()
    }

    /// Whether no exchange is under way.
    fn is_idle(&self) -> bool;

    /// Whether no further exchange can ever begin.
    fn is_closing(&self) -> bool;

    /// How many concurrent exchanges the server allows, once it has said so.
    fn allowed(&self) -> Option<usize> {
        None
    }

    /// Takes an exchange, and writes its bytes to send. The exchange has the kind that the protocol
    /// carries.
    fn begin(&mut self, exchange: Exchange, what: Outgoing<'_>, out: &mut Outbox);

    /// Takes bytes, or a datagram if those are carried: gives their first event, if any. `ending`
    /// says that the server will send no more than it has by now.
    ///
    /// # Errors
    /// Why the connection is no longer usable.
    fn read(
        &mut self,
        bytes: &[u8],
        ending: bool,
        arrival: Arrival,
        out: &mut Outbox,
    ) -> Result<Option<Event>, Failure>;

    /// A further event of the bytes that were taken.
    ///
    /// # Errors
    /// As [`Conversation::read`].
    fn more(&mut self, _clock: Clock) -> Result<Option<Event>, Failure> {
        Ok(None)
    }

    /// Writes datagrams that are due, each behind its length, if QUIC carries them. Returns how
    /// long nothing else is due if nothing comes; without a value, forever. After that time it
    /// receives an empty datagram.
    fn transmit(&mut self, _out: &mut Outbox) -> Option<Duration> {
        None
    }

    /// The server has ended the stream.
    ///
    /// # Errors
    /// If that is not the end of a response, [`CLOSED`].
    fn end_of_stream(&mut self, _out: &Outbox) -> Result<Event, Failure> {
        Err(CLOSED)
    }

    /// Continues with the answer to [`Event::Asks`].
    fn proceed(&mut self, _next: Continuation<'_>, _out: &mut Outbox) {}

    /// Gives an attempt up: its exchange, and whether the connection must be closed. `proven` says
    /// that a response came over it before.
    fn give_up(
        &mut self,
        attempt: &Attempt,
        proven: bool,
        out: &mut Outbox,
    ) -> Option<(Exchange, bool)>;

    /// Takes one of the exchanges under way, given the bytes that will not be sent.
    fn take_exchange(&mut self, out: &Outbox) -> Option<Exchange>;

    /// Writes the last words before the connection is closed.
    fn close(&mut self, _out: &mut Outbox) {}
}
