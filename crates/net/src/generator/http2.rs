//! The generator's side of an HTTP/2 connection: many exchanges at a time, a stream each.

use std::collections::VecDeque;

use thinktime_core::client::Attempt;
use thinktime_core::time::Nanos;

use super::connection::Event;
use super::exchange::{Answer, Exchange};
use super::failure::{CLOSED, Failure};
use super::reading::Reading;
use super::transport::{Input, Transport};
use crate::protocol::Keeping;
use crate::protocol::http1::RequestHead;
use crate::protocol::http2::{self, Client, STREAMS_MAX};

/// An HTTP/2 connection.
pub(super) struct Http2 {
    client: Client,
    scheme: &'static str,
    /// What it carries, by streams.
    exchanges: Vec<(u32, Exchange)>,
    /// What was read and not yet told.
    events: VecDeque<http2::Event>,
    /// Whether the socket is known to be empty.
    drained: bool,
    /// What broke the connection, once its events are told.
    failure: Option<Failure>,
}

impl Http2 {
    /// Opens the connection, and appends what is said first. No more than `streams` streams are
    /// open before the server says how many there may be, and never more than the default.
    /// It keeps so much of responses.
    pub(super) fn open(
        scheme: &'static str,
        streams: usize,
        keeping: Keeping,
        out: &mut Vec<u8>,
    ) -> Http2 {
        Http2 {
            client: Client::open(streams.min(STREAMS_MAX), keeping, out),
            scheme,
            exchanges: Vec::new(),
            events: VecDeque::new(),
            drained: false,
            failure: None,
        }
    }

    pub(super) fn has_room(&self) -> bool {
        self.client.has_room()
    }

    /// How many streams the server allows, once it has said so.
    pub(super) fn streams_allowed(&self) -> Option<usize> {
        self.client.streams_allowed()
    }

    pub(super) fn is_finished(&self, served: bool) -> bool {
        self.exchanges.is_empty() && (self.client.is_closing() || served)
    }

    pub(super) fn begin(
        &mut self,
        exchange: Exchange,
        request: &RequestHead<'_>,
        out: &mut Vec<u8>,
    ) {
        let begun = self.client.request(request, self.scheme, out);
        self.exchanges.push((begun.stream, Exchange { bytes_sent: begun.bytes, ..exchange }));
    }

    /// Reads until something happened to an exchange or the socket would block. What is to be sent
    /// in reply is appended to `out`.
    pub(super) fn read(
        &mut self,
        transport: &mut Transport,
        out: &mut Vec<u8>,
        reading: &mut Reading,
        now: impl Fn() -> Nanos,
    ) -> Result<Event, Failure> {
        loop {
            while let Some(event) = self.events.pop_front() {
                if let Some(event) = self.turn(event, &now) {
                    return Ok(event);
                }
            }
            if let Some(failure) = self.failure {
                return Err(failure);
            }
            if std::mem::take(&mut self.drained) {
                return Ok(Event::Blocked);
            }
            let count = match reading.next(transport)? {
                Some(Input::Bytes(count)) => count,
                Some(Input::End) => return Err(CLOSED),
                Some(Input::Blocked) => return Ok(Event::Blocked),
                None => return Ok(Event::Later),
            };
            self.drained = reading.has_emptied(transport, count);
            let result = self.client.read(&reading.buffer[..count], out, &mut self.events);
            self.failure = result.err().map(http2::Http2Error::kind);
        }
    }

    /// What an event of a stream means to its exchange, if that is still of interest.
    fn turn(&mut self, event: http2::Event, now: impl Fn() -> Nanos) -> Option<Event> {
        use http2::Event as Of;
        match event {
            Of::Begun { stream } => {
                let place = self.place(stream)?;
                self.exchanges[place].1.first_byte = now();
                None
            }
            Of::Complete { stream, status, bytes, kept } => {
                let exchange = self.take(stream)?;
                Some(Event::Done { exchange, answer: Answer { status, bytes, kept }, more: true })
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

    pub(super) fn take_exchange(&mut self) -> Option<Exchange> {
        if self.exchanges.is_empty() {
            return None;
        }
        Some(self.exchanges.remove(0).1)
    }

    /// Forgets an attempt, and tells the server that its stream is over.
    pub(super) fn give_up(&mut self, attempt: &Attempt, out: &mut Vec<u8>) -> Option<Exchange> {
        let of_it = |(_, exchange): &(u32, Exchange)| exchange.attempt == *attempt;
        let place = self.exchanges.iter().position(of_it)?;
        let (stream, exchange) = self.exchanges.remove(place);
        self.client.reset(stream, out);
        Some(exchange)
    }

    pub(super) fn carries_nothing(&self) -> bool {
        self.exchanges.is_empty()
    }
}
