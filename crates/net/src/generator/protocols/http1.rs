//! The generator's side of an HTTP/1.1 connection: one exchange at a time.

use thinktime_core::attempt::Attempt;
use thinktime_core::request::RequestKind;

use super::exchange::{Answer, Event, Exchange};
use super::{Arrival, Conversation, OpenOptions, Outgoing, PathUse, Payload, Protocol};
use super::{NO_GRPC, request_mismatch};
use crate::generator::transport::failure::{CLOSED, Failure};
use crate::protocol::Outbox;
use crate::protocol::http1::{Response, ResponseProgress, ResponseReader, write_request};

pub(super) const PROTOCOL: &Protocol = &Protocol {
    alpn: b"http/1.1",
    path: PathUse::Prefix,
    payload: Payload::Requests,
    handshakes: false,
    uses_arrival_time: true,
    multiplexed: false,
    mismatch,
    expects: |_| None,
    open: Http1::open,
};

fn mismatch(kind: &RequestKind, _scripted: bool) -> Option<&'static str> {
    request_mismatch(kind).or(kind.grpc.as_ref().map(|_| NO_GRPC))
}

/// A connection.
struct Http1 {
    reader: ResponseReader,
    /// Its exchange; nothing while idle.
    exchange: Option<Exchange>,
    /// Whether it can carry no other exchange.
    closing: bool,
}

impl Http1 {
    fn open(opening: &OpenOptions<'_>, _out: &mut Outbox) -> Box<dyn Conversation> {
        let reader = ResponseReader::capturing(opening.capture);
        Box::new(Http1 { reader, exchange: None, closing: false })
    }

    /// A server that answers before the request is sent may still wait for its rest: such a
    /// connection carries no other one.
    fn done(&mut self, response: Response, ending: bool, out: &Outbox) -> Result<Event, Failure> {
        let exchange = self.take_exchange(out).ok_or("unexpected_bytes")?;
        self.closing = ending || !response.keep_alive || !out.unsent().is_empty();
        let excerpt = self.reader.take_excerpt();
        let Response { status, bytes, server_time, .. } = response;
        let answer = Answer { server_time, ..Answer::new(status, bytes, excerpt) };
        Ok(Event::Done { exchange, answer })
    }
}

impl Conversation for Http1 {
    fn is_idle(&self) -> bool {
        self.exchange.is_none()
    }

    fn is_closing(&self) -> bool {
        self.closing
    }

    fn begin(&mut self, mut exchange: Exchange, what: Outgoing<'_>, out: &mut Outbox) {
        let Some(request) = what.request() else { return };
        exchange.write(out, |out| write_request(out, request));
        self.reader.expect(request.method == "HEAD");
        if let Some(format) = what.events() {
            self.reader.await_events(format);
        }
        self.exchange = Some(exchange);
    }

    fn read(
        &mut self,
        bytes: &[u8],
        ending: bool,
        arrival: Arrival,
        out: &mut Outbox,
    ) -> Result<Option<Event>, Failure> {
        let Some(exchange) = &mut self.exchange else { return Err("unexpected_bytes") };
        if let Some(received) = arrival.received() {
            exchange.last_byte = received.max(exchange.sent);
        }
        if exchange.first_byte.is_never() {
            exchange.first_byte = exchange.last_byte.min(arrival.now());
        }
        match self.reader.read(bytes) {
            Ok(ResponseProgress::NeedMore) => Ok(self.reader.take_news().map(|news| {
                let at = exchange.last_byte.min(arrival.now());
                Event::News { attempt: exchange.attempt, news, at }
            })),
            Ok(ResponseProgress::Complete { response, used }) if used == bytes.len() => {
                self.done(response, ending, out).map(Some)
            }
            Ok(ResponseProgress::Complete { .. }) => Err("unexpected_bytes"),
            Err(error) => Err(error.kind()),
        }
    }

    fn end_of_stream(&mut self, out: &Outbox) -> Result<Event, Failure> {
        if !self.reader.started() {
            return Err(CLOSED);
        }
        let response = self.reader.end_of_stream().map_err(|_| CLOSED)?;
        self.done(response, true, out)
    }

    /// The response may still arrive, so the connection is no longer usable.
    fn give_up(
        &mut self,
        attempt: &Attempt,
        _: bool,
        out: &mut Outbox,
    ) -> Option<(Exchange, bool)> {
        self.exchange.as_ref().filter(|exchange| exchange.attempt == *attempt)?;
        self.closing = true;
        Some((self.take_exchange(out)?, true))
    }

    fn take_exchange(&mut self, out: &Outbox) -> Option<Exchange> {
        self.exchange.take().map(|exchange| exchange.without(out))
    }
}
