//! The generator's side of an HTTP/3 connection: many exchanges at a time, a stream of QUIC each.

use std::collections::VecDeque;
use std::time::Duration;

use quinn_proto::{Dir, Event as Quic, StreamEvent, StreamId, VarInt};
use thinktime_core::attempt::Attempt;
use thinktime_core::request::RequestKind;
use thinktime_core::time::Nanos;

use super::exchange::{Event, Exchange};
use super::streams::Exchanges;
use super::{Arrival, Conversation, OpenOptions, Outgoing, PathUse, Payload, Protocol};
use super::{NO_GRPC, request_mismatch};
use crate::generator::transport::failure::Failure;
use crate::generator::transport::quic::{Session, StreamData, failure_of};
use crate::poller::Clock;
use crate::protocol::Outbox;
use crate::protocol::http2::STREAMS_MAX;
use crate::protocol::http3::{Client, EncodedRequest, Http3Error, Stop, code};

pub(super) const PROTOCOL: &Protocol = &Protocol {
    alpn: b"h3",
    path: PathUse::Prefix,
    payload: Payload::Requests,
    handshakes: false,
    uses_arrival_time: false,
    multiplexed: true,
    mismatch,
    expects: |_| None,
    open: Http3::open,
};

/// The longest wait for a server that allows no stream though none is open.
const STARVING_MAX: Nanos = Nanos(1_000_000_000);
/// A connection with more unsent bytes than these takes no further exchange.
const CLOGGED_BYTES: usize = 1 << 20;

fn mismatch(kind: &RequestKind, _scripted: bool) -> Option<&'static str> {
    kind.grpc.as_ref().map(|_| NO_GRPC).or_else(|| request_mismatch(kind))
}

/// A connection. Its output is written when the caller asks for due data.
struct Http3 {
    session: Session,
    client: Client,
    exchanges: Exchanges<u64>,
    /// The most streams: the number that the server allows at first, once known.
    most: usize,
    /// Whether the handshake has ended.
    connected: bool,
    /// The exchanges that wait for the end of the handshake, or for the server to allow another
    /// stream: it does so some time after others have ended.
    waiting: VecDeque<(Exchange, EncodedRequest)>,
    /// Runs while requests wait for a stream and none is under way whose end could free one.
    starving: Option<Clock>,
    /// The streams that the server has allowed at first and that are still unused.
    streams: VecDeque<StreamId>,
    /// The events of exchanges that never began.
    unbegun: VecDeque<Event>,
}

impl Http3 {
    fn open(opening: &OpenOptions<'_>, _out: &mut Outbox) -> Box<dyn Conversation> {
        let options = opening.quic.expect("what QUIC carries has its options");
        Box::new(Http3 {
            session: Session::open(options),
            client: Client::new(opening.capture),
            exchanges: Exchanges::new("http3_malformed"),
            most: opening.streams.min(STREAMS_MAX),
            connected: false,
            waiting: VecDeque::new(),
            starving: None,
            streams: VecDeque::new(),
            unbegun: VecDeque::new(),
        })
    }

    fn is_clogged(&self) -> bool {
        self.session.unsent_bytes() > CLOGGED_BYTES
    }

    /// Handles all events of the connection.
    fn go_on(&mut self) -> Result<(), Failure> {
        while let Some(event) = self.session.poll() {
            match event {
                Quic::Connected => self.greet(),
                Quic::ConnectionLost { reason } => return Err(failure_of(&reason, self.connected)),
                Quic::Stream(StreamEvent::Readable { id }) => self.read_stream(id)?,
                Quic::Stream(StreamEvent::Opened { dir: Dir::Uni }) => {
                    while let Some(id) = self.session.accept_stream() {
                        self.read_stream(id)?;
                    }
                }
                Quic::Stream(StreamEvent::Stopped { id, .. }) => {
                    let unsent = self.session.drop_unsent(id);
                    self.exchanges.cut_short(id.into(), unsent);
                }
                _ => {}
            }
        }
        if self.connected && !self.waiting.is_empty() {
            self.begin_queued();
        }
        Ok(())
    }

    /// The handshake has ended: sends the first data, and reads the server's limits. Exchanges
    /// beyond them go elsewhere.
    fn greet(&mut self) {
        self.connected = true;
        for words in Client::greeting() {
            if let Some(stream) = self.session.open_stream(Dir::Uni) {
                self.session.write(stream, &mut words.into());
            }
        }
        // The server learns about an open stream only from data on it.
        let opened = std::iter::from_fn(|| self.session.open_stream(Dir::Bi));
        self.streams = opened.take(self.most).collect();
        self.most = self.streams.len();
        let elsewhere = self.waiting.drain(self.most.min(self.waiting.len())..);
        self.unbegun.extend(elsewhere.map(|(exchange, _)| Event::unprocessed(exchange)));
    }

    /// Begins waiting exchanges, as far as the server allows. If it allows no more for a time,
    /// though none is under way, the rest goes elsewhere.
    fn begin_queued(&mut self) {
        while !self.waiting.is_empty()
            && let Some(stream) = self.next_stream()
            && let Some((exchange, written)) = self.waiting.pop_front()
        {
            if self.client.takes(written.list_bytes) {
                self.client.begin(stream.into(), written.head_only, written.events);
                self.exchanges.begin(stream.into(), exchange);
                self.session.write_last(stream, written.bytes.into());
            } else {
                self.streams.push_front(stream);
                let failure = "request_head_too_large";
                self.unbegun.push_back(Event::Failed { exchange, failure });
            }
        }
        self.starving = match self.exchanges.is_empty() && !self.waiting.is_empty() {
            true => self.starving.or_else(|| Some(Clock::start())),
            false => None,
        };
        let starved = self.starving.is_some_and(|since| since.now() >= STARVING_MAX);
        if starved || self.client.is_closing() {
            let left = self.waiting.drain(..);
            self.unbegun.extend(left.map(|(exchange, _)| Event::unprocessed(exchange)));
        }
    }

    /// A stream for the next request, if the server accepts one now.
    fn next_stream(&mut self) -> Option<StreamId> {
        if self.client.is_closing() {
            return None;
        }
        self.streams.pop_front().or_else(|| self.session.open_stream(Dir::Bi))
    }

    /// Reads the arrived data of a stream.
    fn read_stream(&mut self, id: StreamId) -> Result<(), Failure> {
        let Http3 { session, client, exchanges, .. } = self;
        let (stream, events) = (u64::from(id), &mut exchanges.events);
        let (mut result, mut ended) = (Ok(None), false);
        session.read(id, |data| {
            result = match data {
                StreamData::Bytes(bytes) => client.read(stream, bytes, false, events),
                StreamData::End => client.read(stream, &[], true, events),
                StreamData::Reset(code) => client.reset(stream, code, events).map(|()| None),
            };
            ended = !matches!(data, StreamData::Bytes(_));
            result == Ok(None)
        });
        let unsent = match result {
            Ok(Some(Stop { code })) => self.session.stop(id, code),
            // The server answers before the request is complete: the rest is not needed.
            Ok(None) if ended && id.dir() == Dir::Bi => {
                self.session.cut_short(id, code::REQUEST_CANCELLED)
            }
            Ok(None) => 0,
            Err(error) => {
                self.session.close(error.code());
                return Err(Http3Error::kind(error));
            }
        };
        self.exchanges.cut_short(stream, unsent);
        Ok(())
    }
}

impl Conversation for Http3 {
    fn has_room(&self, _out: &Outbox) -> bool {
        let room = self.exchanges.len() + self.waiting.len() < self.most;
        room && !self.is_closing() && !self.is_clogged()
    }

    fn is_idle(&self) -> bool {
        self.exchanges.is_empty() && self.waiting.is_empty() && self.unbegun.is_empty()
    }

    fn is_closing(&self) -> bool {
        self.client.is_closing() || self.session.is_closed()
    }

    fn allowed(&self) -> Option<usize> {
        self.connected.then_some(self.most)
    }

    fn begin(&mut self, exchange: Exchange, what: Outgoing<'_>, _out: &mut Outbox) {
        let Some(request) = what.request() else { return };
        let written = EncodedRequest { events: what.events(), ..Client::write(request) };
        let exchange = Exchange { bytes_sent: written.bytes.len() as u64, ..exchange };
        self.waiting.push_back((exchange, written));
        if self.connected {
            self.begin_queued();
        }
    }

    /// A datagram; an empty one means that something is due.
    fn read(
        &mut self,
        bytes: &[u8],
        _ending: bool,
        arrival: Arrival,
        _out: &mut Outbox,
    ) -> Result<Option<Event>, Failure> {
        self.session.take(bytes);
        if self.exchanges.failure.is_none() {
            self.exchanges.failure = self.go_on().err();
        }
        self.more(arrival.clock)
    }

    fn more(&mut self, clock: Clock) -> Result<Option<Event>, Failure> {
        match self.unbegun.pop_front() {
            Some(event) => Ok(Some(event)),
            None => self.exchanges.more(clock),
        }
    }

    fn transmit(&mut self, out: &mut Outbox) -> Option<Duration> {
        if self.connected && !self.waiting.is_empty() {
            self.begin_queued();
        }
        let after = self.session.transmit(out.buffer());
        if !self.unbegun.is_empty() {
            return Some(Duration::ZERO);
        }
        let left =
            self.starving.map(|since| Duration::from_nanos(STARVING_MAX.since(since.now()).0));
        after.into_iter().chain(left).min()
    }

    /// Tells the server that the attempt's stream has ended. A connection without any received data
    /// may lead nowhere, and is closed with its last stream.
    fn give_up(
        &mut self,
        attempt: &Attempt,
        proven: bool,
        _out: &mut Outbox,
    ) -> Option<(Exchange, bool)> {
        let waits = self.waiting.iter().position(|(own, _)| own.attempt == *attempt);
        if let Some((exchange, _)) = waits.and_then(|place| self.waiting.remove(place)) {
            return Some((exchange, self.waiting.is_empty() && !self.connected));
        }
        let (number, mut exchange) = self.exchanges.give_up(attempt)?;
        let clogged = self.is_clogged();
        if let Some(stream) = stream_of(number) {
            self.client.forget(number);
            exchange.cut_short(self.session.stop(stream, code::REQUEST_CANCELLED));
        }
        Some((exchange, self.exchanges.is_empty() && (!proven || clogged)))
    }

    fn take_exchange(&mut self, _out: &Outbox) -> Option<Exchange> {
        let waits = self.waiting.pop_front().map(|(exchange, _)| exchange);
        let unbegun = || match self.unbegun.pop_front() {
            Some(Event::Unprocessed { exchange, .. } | Event::Failed { exchange, .. }) => {
                Some(exchange)
            }
            _ => None,
        };
        waits.or_else(unbegun).or_else(|| {
            let (number, mut exchange) = self.exchanges.take_any()?;
            exchange.cut_short(stream_of(number).map_or(0, |id| self.session.drop_unsent(id)));
            Some(exchange)
        })
    }

    fn close(&mut self, out: &mut Outbox) {
        self.session.close(code::NO_ERROR);
        self.session.transmit(out.buffer());
    }
}

/// The stream of this number.
fn stream_of(number: u64) -> Option<StreamId> {
    VarInt::from_u64(number).ok().map(StreamId::from)
}
