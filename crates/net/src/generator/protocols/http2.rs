//! The generator's side of an HTTP/2 connection: many exchanges at a time, a stream each.

use std::collections::VecDeque;

use thinktime_core::client::Attempt;
use thinktime_core::workload::RequestKind;

use super::misfit_of_requests;
use super::{Arrival, Carries, Conversation, Opening, Outgoing, PathUse, Protocol};
use crate::generator::exchange::{Answer, Event, Exchange};
use crate::generator::failure::Failure;
use crate::poller::Clock;
use crate::protocol::Outbox;
use crate::protocol::http2::{self, Client, STREAMS_MAX};

pub(super) const PROTOCOL: &Protocol = &Protocol {
    alpn: b"h2",
    path: PathUse::Prefix,
    carries: Carries::Requests,
    handshakes: false,
    heeds_arrival: false,
    many: true,
    misfit,
    expects: |_| None,
    open: Http2::open,
};

/// A connection of which more bytes than these wait to be sent takes on no further exchange.
const CLOGGED_BYTES: usize = 1 << 20;

fn misfit(kind: &RequestKind, _scripted: bool) -> Option<&'static str> {
    misfit_of_requests(kind)
}

/// A connection.
struct Http2 {
    client: Client,
    scheme: &'static str,
    /// What it carries, by streams.
    exchanges: Vec<(u32, Exchange)>,
    /// What was read and not yet told.
    events: VecDeque<http2::Event>,
    /// What broke the connection, once its events are told.
    failure: Option<Failure>,
}

impl Http2 {
    /// Writes what is said first. No more streams are opened, before the server says how many there
    /// may be, than it is expected to allow, and never more than the default.
    fn open(opening: &Opening<'_>, out: &mut Outbox) -> Box<dyn Conversation> {
        let streams = opening.streams.min(STREAMS_MAX);
        Box::new(Http2 {
            client: Client::open(streams, opening.keeping, out.buffer()),
            scheme: if opening.secure { "https" } else { "http" },
            exchanges: Vec::new(),
            events: VecDeque::new(),
            failure: None,
        })
    }

    /// What an event of a stream means to its exchange, if that is still of interest.
    fn turn(&mut self, event: http2::Event, clock: Clock) -> Option<Event> {
        use http2::Event as Of;
        match event {
            Of::Begun { stream } => {
                let place = self.place(stream)?;
                self.exchanges[place].1.first_byte = clock.now();
                None
            }
            Of::Complete { stream, status, bytes, kept } => {
                let exchange = self.take(stream)?;
                Some(Event::Done { exchange, answer: Answer::new(status, bytes, kept) })
            }
            Of::Unprocessed { stream } => self.take(stream).map(Event::Unprocessed),
            Of::Reset { stream, .. } => {
                let exchange = self.take(stream)?;
                Some(Event::Failed { exchange, failure: "stream_reset" })
            }
            Of::Malformed { stream } => {
                let exchange = self.take(stream)?;
                Some(Event::Failed { exchange, failure: "http2_malformed" })
            }
        }
    }

    /// Streams are opened in the order of their numbers, and the oldest mostly end first.
    fn place(&self, stream: u32) -> Option<usize> {
        self.exchanges.iter().position(|(id, _)| *id == stream)
    }

    fn take(&mut self, stream: u32) -> Option<Exchange> {
        let place = self.place(stream)?;
        Some(self.exchanges.remove(place).1)
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
            Outgoing::Message(_) | Outgoing::Statements(_) => return,
        };
        let begun = self.client.request(request, self.scheme, out.buffer());
        if let Some(wanted) = messages {
            self.client.await_messages(begun.stream, wanted);
        }
        self.exchanges.push((begun.stream, Exchange { bytes_sent: begun.bytes, ..exchange }));
    }

    fn read(
        &mut self,
        bytes: &[u8],
        _ending: bool,
        arrival: Arrival,
        out: &mut Outbox,
    ) -> Result<Option<Event>, Failure> {
        let result = self.client.read(bytes, out, &mut self.events);
        self.failure = result.err().map(http2::Http2Error::kind);
        self.more(arrival.clock)
    }

    fn more(&mut self, clock: Clock) -> Result<Option<Event>, Failure> {
        while let Some(event) = self.events.pop_front() {
            if let Some(event) = self.turn(event, clock) {
                return Ok(Some(event));
            }
        }
        self.failure.map_or(Ok(None), Err)
    }

    /// Tells the server that the attempt's stream is over. A connection over which nothing ever
    /// came may be one that leads nowhere, and is closed with its last stream.
    fn give_up(
        &mut self,
        attempt: &Attempt,
        proven: bool,
        out: &mut Outbox,
    ) -> Option<(Exchange, bool)> {
        let of_it = |(_, exchange): &(u32, Exchange)| exchange.attempt == *attempt;
        let place = self.exchanges.iter().position(of_it)?;
        let (stream, exchange) = self.exchanges.remove(place);
        self.client.reset(stream, out.buffer());
        let useless = self.exchanges.is_empty() && (!proven || Http2::is_clogged(out));
        Some((exchange, useless))
    }

    fn take_exchange(&mut self) -> Option<Exchange> {
        (!self.exchanges.is_empty()).then(|| self.exchanges.remove(0).1)
    }
}
