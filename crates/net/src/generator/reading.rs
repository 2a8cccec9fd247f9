//! Reading from connections.

use super::connection::Event;
use super::engine::Engine;
use super::failure::Failure;
use super::ledger::Ledger;
use super::transport::{Input, Transport};
use crate::poller::Readiness;
use crate::protocol::http2::STREAMS_MAX;

/// What one connection is read for at a time: then timers and other connections have their turn, or
/// a server that sends without end would stop everything else.
const READS_PER_TURN: u32 = 64;

/// Reads of one connection, one after another.
pub(super) struct Reading {
    pub(super) buffer: Vec<u8>,
    /// Whether the stream's end is among what there is to read.
    pub(super) ending: bool,
    left: u32,
}

impl Reading {
    pub(super) fn new() -> Reading {
        Reading { buffer: vec![0; 1 << 16], ending: false, left: 0 }
    }

    /// A connection's turn begins.
    pub(super) fn begin(&mut self, ending: bool) {
        (self.ending, self.left) = (ending, READS_PER_TURN);
    }

    /// Reads into the buffer, unless the turn is over.
    #[inline]
    pub(super) fn next(&mut self, transport: &mut Transport) -> Result<Option<Input>, Failure> {
        if self.left == 0 {
            return Ok(None);
        }
        self.left -= 1;
        transport.read(&mut self.buffer).map(Some)
    }

    /// Whether a read of so many bytes left nothing to read: a short one leaves the socket empty,
    /// and a later byte makes a new edge.
    #[inline]
    pub(super) fn has_emptied(&self, transport: &Transport, count: usize) -> bool {
        transport.short_read_means_empty() && count < self.buffer.len() && !self.ending
    }
}

impl<L: Ledger> Engine<'_, L> {
    pub(super) fn handle(&mut self, readiness: &Readiness) {
        let place = readiness.token as u32;
        if readiness.writable {
            self.write(place);
        }
        if readiness.readable {
            self.read(place, readiness.ending);
        } else {
            self.pool.settle(place);
        }
    }

    /// Goes on with the connections that had more to read.
    pub(super) fn read_on(&mut self) {
        for place in std::mem::take(&mut self.unread) {
            let left = self.pool.get(place).and_then(|connection| connection.unread.take());
            if let Some(ending) = left {
                self.read(place, ending);
            }
        }
    }

    fn read(&mut self, place: u32, ending: bool) {
        let clock = self.clock;
        self.reading.begin(ending);
        loop {
            let Some(connection) = self.pool.get(place) else { return };
            match connection.read(&mut self.reading, clock) {
                Ok(Event::Blocked) => return self.pool.settle(place),
                Ok(Event::Later) => {
                    connection.unread = Some(ending);
                    self.unread.push(place);
                    return self.pool.settle(place);
                }
                Ok(Event::Ready) => self.begin_what_waited(place),
                Ok(Event::Done { exchange, answer, more }) => {
                    connection.reused = true;
                    self.pool.settle(place);
                    self.complete(&exchange, &answer);
                    if !more {
                        return;
                    }
                }
                Ok(Event::Unprocessed(exchange)) => {
                    // The next connection is not asked for more than this one allows.
                    if let Some(streams) = connection.streams_allowed() {
                        self.connector.streams = streams.clamp(1, STREAMS_MAX);
                    }
                    self.pool.settle(place);
                    self.send_again(exchange, "stream_refused");
                }
                Ok(Event::Failed { exchange, failure }) => {
                    self.pool.settle(place);
                    self.fail(exchange, failure);
                }
                Err(failure) => return self.broken(place, failure),
            }
        }
    }

    /// A handshake is over: what waited for it goes over the connection as far as there is room,
    /// and over others where there is not.
    fn begin_what_waited(&mut self, place: u32) {
        let Some(connection) = self.pool.get(place) else { return };
        let (mut waiting, is_http2) = connection.settle_protocol();
        self.connector.expects_http2 = is_http2;
        while self.pool.get(place).is_some_and(|connection| connection.has_room())
            && let Some(exchange) = waiting.pop_front()
        {
            self.begin(place, exchange);
        }
        self.write(place);
        for exchange in waiting {
            self.send(exchange);
        }
    }
}
