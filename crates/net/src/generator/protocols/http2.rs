//! The generator's side of an HTTP/2 connection: many exchanges at a time, a stream each.

use thinktime_core::attempt::Attempt;
use thinktime_core::request::RequestKind;

use super::exchange::{Event, Exchange};
use super::request_mismatch;
use super::streams::Exchanges;
use super::{Arrival, Conversation, OpenOptions, Outgoing, PathUse, Payload, Protocol};
use crate::generator::transport::failure::Failure;
use crate::poller::Clock;
use crate::protocol::Outbox;
use crate::protocol::http2::{Client, Http2Error, STREAMS_MAX};

pub(super) const PROTOCOL: &Protocol = &Protocol {
    alpn: b"h2",
    path: PathUse::Prefix,
    payload: Payload::Requests,
    handshakes: false,
    uses_arrival_time: false,
    multiplexed: true,
    mismatch,
    expects: |_| None,
    open: Http2::open,
};

/// A connection with more unsent bytes than these takes no further exchange.
const CLOGGED_BYTES: usize = 1 << 20;

fn mismatch(kind: &RequestKind, _scripted: bool) -> Option<&'static str> {
    request_mismatch(kind)
}

/// A connection.
struct Http2 {
    client: Client,
    scheme: &'static str,
    exchanges: Exchanges<u32>,
}

impl Http2 {
    /// Writes the first data. Before the server gives its limit, no more streams are opened than
    /// expected, and never more than the default.
    fn open(opening: &OpenOptions<'_>, out: &mut Outbox) -> Box<dyn Conversation> {
        let streams = opening.streams.min(STREAMS_MAX);
        Box::new(Http2 {
            client: Client::open(streams, opening.capture, out.buffer()),
            scheme: if opening.secure { "https" } else { "http" },
            exchanges: Exchanges::new("http2_malformed"),
        })
    }

    fn is_clogged(out: &Outbox) -> bool {
        out.unsent().len() > CLOGGED_BYTES
    }
}

impl Conversation for Http2 {
    fn has_room(&self, out: &Outbox) -> bool {
        self.client.has_room() && !Http2::is_clogged(out)
    }

    fn is_idle(&self) -> bool {
        self.exchanges.is_empty()
    }

    fn is_closing(&self) -> bool {
        self.client.is_closing()
    }

    fn allowed(&self) -> Option<usize> {
        self.client.streams_allowed()
    }

    fn begin(&mut self, exchange: Exchange, what: Outgoing<'_>, out: &mut Outbox) {
        let (request, messages) = match what {
            Outgoing::Request(request) => (request, None),
            Outgoing::Stream(request, messages) => (request, Some(messages)),
            Outgoing::Events(request, _) => (request, None),
            Outgoing::Message(_) | Outgoing::Statements(_) => return,
        };
        let begun = self.client.request(request, self.scheme, out);
        if let Some(wanted) = messages {
            self.client.await_messages(begun.stream, wanted);
        }
        if let Some(format) = what.events() {
            self.client.await_events(begun.stream, format);
        }
        self.exchanges.begin(begun.stream, Exchange { bytes_sent: begun.bytes, ..exchange });
    }

    fn read(
        &mut self,
        bytes: &[u8],
        _ending: bool,
        arrival: Arrival,
        out: &mut Outbox,
    ) -> Result<Option<Event>, Failure> {
        let result = self.client.read(bytes, out, &mut self.exchanges.events);
        self.exchanges.failure = result.err().map(Http2Error::kind);
        self.more(arrival.clock)
    }

    fn more(&mut self, clock: Clock) -> Result<Option<Event>, Failure> {
        self.exchanges.more(clock)
    }

    /// Tells the server that the attempt's stream has ended. A connection without any received data
    /// may lead nowhere, and is closed with its last stream.
    fn give_up(
        &mut self,
        attempt: &Attempt,
        proven: bool,
        out: &mut Outbox,
    ) -> Option<(Exchange, bool)> {
        let (stream, mut exchange) = self.exchanges.give_up(attempt)?;
        exchange.cut_short(self.client.reset(stream, out));
        let useless = self.exchanges.is_empty() && (!proven || Http2::is_clogged(out));
        Some((exchange, useless))
    }

    fn take_exchange(&mut self, out: &Outbox) -> Option<Exchange> {
        let (stream, mut exchange) = self.exchanges.take_any()?;
        exchange.cut_short(self.client.unsent_bytes(stream, out));
        Some(exchange)
    }
}
