//! What can be spoken with a server: one file a protocol, and the list from the schemes of targets
//! to them. CONTRIBUTING.md shows how to add one.

pub(crate) mod exchange;
mod http1;
mod http2;
mod http3;
pub(crate) mod message_exchange;
mod mismatch;
mod postgresql;
mod proxied;
mod scheme;
mod statement;
mod streams;
mod tcp;
mod udp;
mod websocket;

use std::sync::Arc;
use std::time::Duration;

use thinktime_core::attempt::Attempt;
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

/// The schemes of targets: what carries the bytes, the port where none is named, and the protocols
/// that may be spoken, the best first. With TLS the server chooses among them.
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

/// What is to be known of a protocol before a connection speaks it.
pub(crate) struct Protocol {
    /// The name under which TLS offers it.
    pub(crate) alpn: &'static [u8],
    /// What the path of a target's URL is.
    pub(crate) path: PathUse,
    pub(crate) payload: Payload,
    /// Whether connections begin with a handshake that brings header fields.
    pub(crate) handshakes: bool,
    /// Whether it heeds when the kernel received bytes, so that they may lie in their socket.
    pub(crate) uses_arrival_time: bool,
    /// Whether one connection carries several exchanges at the same time.
    pub(crate) multiplexed: bool,
    /// Why a request does not fit, if it does not. Of a program's requests (`scripted`) the
    /// workload gives names, timeouts and defaults only.
    pub(crate) mismatch: fn(kind: &RequestKind, scripted: bool) -> Option<&'static str>,
    /// What is expected of an answer, given what is wanted; nothing if that cannot be expected.
    pub(crate) expects: for<'a> fn(Option<&'a Expect>) -> Option<&'a Expect>,
    /// Begins to speak over a new connection.
    pub(crate) open: fn(&OpenOptions<'_>, &mut Outbox) -> Box<dyn Conversation>,
}

/// What the path of a target's URL is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PathUse {
    /// It comes before each request's own.
    Prefix,
    /// All requests go there.
    Whole,
    /// It is the name of a database.
    Database,
    /// There is none.
    None,
}

/// What a protocol carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Payload {
    /// Requests of HTTP.
    Requests,
    /// Messages, or plain bytes.
    Messages,
    /// Statements of SQL.
    Statements,
}

/// What a connection is opened with.
pub(crate) struct OpenOptions<'a> {
    pub(crate) secure: bool,
    pub(crate) host: &'a str,
    pub(crate) path: &'a str,
    /// Header fields that a handshake brings.
    pub(crate) fields: &'a [(String, String)],
    /// The subprotocols that it offers, the best first.
    pub(crate) subprotocols: &'a [String],
    /// What a proxy is told with each request that it passes on.
    pub(crate) proxy_authorization: Option<&'a str>,
    /// How QUIC is spoken, where that carries the bytes.
    pub(crate) quic: Option<&'a QuicOptions>,
    /// Who logs in to a database.
    pub(crate) login: Option<&'a Arc<Login>>,
    /// What is kept of responses.
    pub(crate) capture: Capture,
    /// How many exchanges the server is expected to allow at the same time, where it may say.
    pub(crate) streams: usize,
    /// A stream of the connection's own.
    pub(crate) random: Stream,
}

/// What is to be sent.
#[derive(Clone, Copy)]
pub(crate) enum Outgoing<'a> {
    Request(&'a RequestHead<'a>),
    /// A call of gRPC that is answered by a stream, which is over with so many messages.
    Stream(&'a RequestHead<'a>, u64),
    Message(&'a OutgoingMessage<'a>),
    Statements(&'a Statements<'a>),
}

impl<'a> Outgoing<'a> {
    /// The request, where it is one: where streams are not known, it is a request as any other.
    pub(crate) fn request(&self) -> Option<&'a RequestHead<'a>> {
        match self {
            Outgoing::Request(request) | Outgoing::Stream(request, _) => Some(request),
            Outgoing::Message(_) | Outgoing::Statements(_) => None,
        }
    }
}

/// When bytes came.
#[derive(Clone, Copy)]
pub(crate) struct Arrival {
    pub(crate) clock: Clock,
    /// As the kernel says: since the beginning of 1970.
    pub(crate) date: Option<Duration>,
}

impl Arrival {
    #[inline]
    pub(crate) fn now(&self) -> Nanos {
        self.clock.now()
    }

    /// When the kernel received them, where it tells.
    #[inline]
    pub(crate) fn received(&self) -> Option<Nanos> {
        self.date.map(|date| self.clock.at(date))
    }
}

/// A protocol as it is spoken over one connection: without a socket, and with no clock but that of
/// what arrives.
pub(crate) trait Conversation {
    /// Whether another exchange can begin, given what waits to be sent.
    fn has_room(&self, out: &Outbox) -> bool;

    /// Whether no exchange is on its way.
    fn is_idle(&self) -> bool;

    /// Whether no further exchange can ever begin.
    fn is_closing(&self) -> bool;

    /// How many exchanges the server allows at the same time, once it has said so.
    fn allowed(&self) -> Option<usize> {
        None
    }

    /// Takes an exchange on, and writes what is to be sent of it. What it is given is of the kind
    /// that the protocol carries.
    fn begin(&mut self, exchange: Exchange, what: Outgoing<'_>, out: &mut Outbox);

    /// Takes bytes in, a datagram where those are carried: what came of them first, if anything.
    /// `ending` says that the server will send no more than what has come by now.
    ///
    /// # Errors
    /// Why the connection is of no use any more.
    fn read(
        &mut self,
        bytes: &[u8],
        ending: bool,
        arrival: Arrival,
        out: &mut Outbox,
    ) -> Result<Option<Event>, Failure>;

    /// What else came of bytes that were taken in.
    ///
    /// # Errors
    /// As [`Conversation::read`].
    fn more(&mut self, _clock: Clock) -> Result<Option<Event>, Failure> {
        Ok(None)
    }

    /// Writes datagrams that are due, each behind its length, where QUIC carries them, and says how
    /// long it may be left alone then if nothing comes; for ever, if it does not say. After that it
    /// is given an empty datagram.
    fn transmit(&mut self, _out: &mut Outbox) -> Option<Duration> {
        None
    }

    /// The server has ended the stream.
    ///
    /// # Errors
    /// Where that is not the end of a response, [`CLOSED`].
    fn end_of_stream(&mut self) -> Result<Event, Failure> {
        Err(CLOSED)
    }

    /// Goes on with what [`Event::Asks`] asked about.
    fn proceed(&mut self, _next: Continuation<'_>, _out: &mut Outbox) {}

    /// Gives an attempt up: its exchange, and whether the connection is to be closed. `proven` says
    /// that a response came over it before.
    fn give_up(
        &mut self,
        attempt: &Attempt,
        proven: bool,
        out: &mut Outbox,
    ) -> Option<(Exchange, bool)>;

    /// Takes one of the exchanges that are on their way.
    fn take_exchange(&mut self) -> Option<Exchange>;

    /// Writes what is said before the connection is closed.
    fn close(&mut self, _out: &mut Outbox) {}
}
