//! The generator's side of an HTTP/1.1 connection: one exchange at a time.

use thinktime_core::client::Attempt;

use super::connection::Event;
use super::exchange::{Answer, Exchange};
use super::failure::{CLOSED, Failure};
use super::reading::Reading;
use super::transport::{Input, Transport};
use crate::poller::Clock;
use crate::protocol::Keeping;
use crate::protocol::http1::{Progress, RequestHead, Response, ResponseReader, write_request};

/// An HTTP/1.1 connection.
pub(super) struct Http1 {
    reader: ResponseReader,
    /// What it carries; nothing while idle.
    exchange: Option<Exchange>,
    /// Whether it can carry no other exchange.
    closing: bool,
}

impl Http1 {
    /// A connection that keeps so much of responses.
    pub(super) fn new(keeping: Keeping) -> Http1 {
        let reader = ResponseReader::keeping(keeping);
        Http1 { reader, exchange: None, closing: false }
    }

    pub(super) fn has_room(&self) -> bool {
        self.exchange.is_none() && !self.closing
    }

    pub(super) fn is_finished(&self, served: bool) -> bool {
        self.exchange.is_none() && (self.closing || served)
    }

    pub(super) fn begin(
        &mut self,
        exchange: Exchange,
        request: &RequestHead<'_>,
        out: &mut Vec<u8>,
    ) {
        let before = out.len();
        write_request(out, request);
        self.reader.expect(request.method == "HEAD");
        let bytes_sent = (out.len() - before) as u64;
        self.exchange = Some(Exchange { bytes_sent, ..exchange });
    }

    /// Reads until the response is complete, the socket would block, or the turn is over.
    #[inline]
    pub(super) fn read(
        &mut self,
        transport: &mut Transport,
        reading: &mut Reading,
        clock: Clock,
    ) -> Result<Event, Failure> {
        loop {
            let count = match reading.next(transport)? {
                Some(Input::Bytes(count)) => count,
                Some(Input::End) => return self.end_of_stream(),
                Some(Input::Blocked) => return Ok(Event::Blocked),
                None => return Ok(Event::Later),
            };
            let Some(exchange) = &mut self.exchange else { return Err("unexpected_bytes") };
            if let Some(date) = transport.arrived() {
                exchange.last_byte = clock.at(date).max(exchange.sent);
            }
            if exchange.first_byte.is_never() {
                exchange.first_byte = exchange.last_byte.min(clock.now());
            }
            let more = !transport.short_read_means_empty();
            match self.reader.read(&reading.buffer[..count]) {
                Ok(Progress::NeedMore) => {}
                Ok(Progress::Complete { response, used }) if used == count => {
                    return self.done(response, reading.ending, more);
                }
                Ok(Progress::Complete { .. }) => return Err("unexpected_bytes"),
                Err(error) => return Err(error.kind()),
            }
            if reading.has_emptied(transport, count) {
                return Ok(Event::Blocked);
            }
        }
    }

    fn end_of_stream(&mut self) -> Result<Event, Failure> {
        if !self.reader.started() {
            return Err(CLOSED);
        }
        let response = self.reader.end_of_stream().map_err(|_| CLOSED)?;
        self.done(response, true, false)
    }

    fn done(&mut self, response: Response, ending: bool, more: bool) -> Result<Event, Failure> {
        let exchange = self.exchange.take().ok_or("unexpected_bytes")?;
        self.closing = ending || !response.keep_alive;
        let kept = self.reader.take_kept();
        let (status, bytes) = (response.status, response.bytes);
        Ok(Event::Done { exchange, answer: Answer { status, bytes, kept }, more })
    }

    pub(super) fn take_exchange(&mut self) -> Option<Exchange> {
        self.exchange.take()
    }

    /// Forgets an attempt. Its response may still come, so the connection is of no use any more.
    pub(super) fn give_up(&mut self, attempt: &Attempt) -> Option<Exchange> {
        let exchange = self.exchange.take_if(|exchange| exchange.attempt == *attempt)?;
        self.closing = true;
        Some(exchange)
    }
}
