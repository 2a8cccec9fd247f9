//! The exchanges of a connection that carries several at a time, a stream each: HTTP/2 and HTTP/3.

use std::collections::VecDeque;

use thinktime_core::attempt::Attempt;

use super::exchange::{Answer, Event, Exchange};
use crate::generator::transport::failure::Failure;
use crate::poller::Clock;
use crate::protocol::StreamEvent;
use crate::protocol::http2::Http2Error;

/// The exchanges of a connection, and their events.
pub(super) struct Exchanges<N> {
    /// Its exchanges, by streams.
    carried: Vec<(N, Exchange)>,
    /// The events not yet reported.
    pub(super) events: VecDeque<StreamEvent<N>>,
    /// The connection's error, once its events are reported.
    pub(super) failure: Option<Failure>,
    /// The word for a response that breaks the rules.
    malformed: Failure,
}

impl<N: Copy + PartialEq> Exchanges<N> {
    /// No exchanges yet. A response that breaks the rules is counted by the word `malformed`.
    pub(super) fn new(malformed: Failure) -> Exchanges<N> {
        Exchanges { carried: Vec::new(), events: VecDeque::new(), failure: None, malformed }
    }

    pub(super) fn len(&self) -> usize {
        self.carried.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.carried.is_empty()
    }

    /// An exchange begins on a stream.
    pub(super) fn begin(&mut self, stream: N, exchange: Exchange) {
        self.carried.push((stream, exchange));
    }

    /// A further event of the bytes read.
    pub(super) fn more(&mut self, clock: Clock) -> Result<Option<Event>, Failure> {
        while let Some(event) = self.events.pop_front() {
            if let Some(event) = self.turn(event, clock) {
                return Ok(Some(event));
            }
        }
        self.failure.map_or(Ok(None), Err)
    }

    /// Takes the exchange of an abandoned attempt, and its stream.
    pub(super) fn give_up(&mut self, attempt: &Attempt) -> Option<(N, Exchange)> {
        let of_it = |(_, exchange): &(N, Exchange)| exchange.attempt == *attempt;
        let place = self.carried.iter().position(of_it)?;
        Some(self.carried.remove(place))
    }

    /// Takes one of the exchanges, and its stream.
    pub(super) fn take_any(&mut self) -> Option<(N, Exchange)> {
        (!self.carried.is_empty()).then(|| self.carried.remove(0))
    }

    /// A part of a stream's request was not sent, and will not be.
    pub(super) fn cut_short(&mut self, stream: N, unsent: u64) {
        if unsent > 0
            && let Some(place) = self.place(stream)
        {
            self.carried[place].1.cut_short(unsent);
        }
    }

    /// The meaning of a stream's event for its exchange, if that still exists.
    fn turn(&mut self, event: StreamEvent<N>, clock: Clock) -> Option<Event> {
        use StreamEvent as Of;
        match event {
            Of::Begun { stream } => {
                let place = self.place(stream)?;
                self.carried[place].1.first_byte = clock.now();
                None
            }
            Of::News { stream, news } => {
                let attempt = self.carried[self.place(stream)?].1.attempt;
                Some(Event::News { attempt, news, at: clock.now() })
            }
            Of::Complete { stream, status, bytes, server_time, excerpt } => {
                let exchange = self.take(stream)?;
                let answer = Answer { server_time, ..Answer::new(status, bytes, excerpt) };
                Some(Event::Done { exchange, answer })
            }
            Of::Unprocessed { stream, others_taken } => {
                self.take(stream).map(|exchange| Event::Unprocessed { exchange, others_taken })
            }
            Of::CutShort { stream, unsent } => {
                self.cut_short(stream, unsent);
                None
            }
            Of::FlowControl { stream } => {
                let failure = Http2Error::FlowControl.kind();
                self.take(stream).map(|exchange| Event::Failed { exchange, failure })
            }
            Of::Reset { stream, .. } => {
                let exchange = self.take(stream)?;
                Some(Event::Failed { exchange, failure: "stream_reset" })
            }
            Of::Malformed { stream } => {
                let exchange = self.take(stream)?;
                Some(Event::Failed { exchange, failure: self.malformed })
            }
        }
    }

    /// Streams are opened in the order of their numbers, and the oldest mostly end first.
    fn place(&self, stream: N) -> Option<usize> {
        self.carried.iter().position(|(id, _)| *id == stream)
    }

    fn take(&mut self, stream: N) -> Option<Exchange> {
        let place = self.place(stream)?;
        Some(self.carried.remove(place).1)
    }
}
