//! The turns of ready connections: writing, reading, and the results.

use thinktime_core::attempt::Attempt;
use thinktime_core::program::{Reply, TransactionStep};

use super::Engine;
use crate::generator::connect::connector::EXCHANGES_MAX;
use crate::generator::protocols::exchange::{Event, Exchange};
use crate::generator::protocols::{Continuation, Outgoing};
use crate::generator::record::recorder::Recorder;
use crate::generator::requests::Sender;
use crate::generator::requests::messages::Messages;
use crate::poller::Readiness;
use crate::protocol::Excerpt;
use crate::protocol::http1::RequestHead;

impl<L: Recorder> Engine<'_, L> {
    pub(crate) fn handle(&mut self, readiness: &Readiness) {
        if self.is_shared(readiness) {
            return;
        }
        let place = readiness.token as u32;
        if readiness.writable {
            self.write(place);
        }
        if readiness.readable {
            self.read(place, readiness.ending);
        } else {
            self.pool.list_or_close(place);
        }
    }

    /// Continues with the connections that had more to read.
    pub(crate) fn read_on(&mut self) {
        for place in std::mem::take(&mut self.unread) {
            let left = self.pool.get(place).and_then(|connection| connection.unread.take());
            if let Some(ending) = left {
                self.read(place, ending);
            }
        }
    }

    fn read(&mut self, place: u32, ending: bool) {
        let clock = self.clock;
        self.reader.begin(ending);
        loop {
            let Some(connection) = self.pool.get(place) else { return };
            match connection.read(&mut self.reader, clock) {
                Ok(Event::Blocked) => return self.pool.list_or_close(place),
                Ok(Event::Later) => {
                    connection.unread = Some(ending);
                    self.unread.push(place);
                    return self.pool.list_or_close(place);
                }
                Ok(Event::Ready) => self.begin_queued(place),
                Ok(Event::News { attempt, news, at }) => self.take_news(&attempt, news, at),
                Ok(event) => {
                    if !self.ended(place, event) {
                        return;
                    }
                }
                Err(failure) => return self.fail_connection(place, failure),
            }
        }
    }

    /// An exchange ended: whether its connection still exists. Another one may open in its place,
    /// without data to read yet.
    fn ended(&mut self, place: u32, event: Event) -> bool {
        if let Some(connection) = self.pool.get(place) {
            let first = matches!(event, Event::Done { .. }) && !connection.reused;
            connection.reused |= first;
            let address = connection.address.filter(|_| first);
            // The next connection is expected to allow no more than this one.
            if let (Event::Unprocessed { .. }, Some(streams)) = (&event, connection.allowed()) {
                self.connector.streams = streams.clamp(1, EXCHANGES_MAX);
            }
            if let Some(address) = address {
                self.pool.tries.entry(address).or_default().answered += 1;
            }
        }
        self.pool.list_or_close(place);
        let stays = self.pool.get(place).is_some();
        match event {
            Event::Done { exchange, answer } => self.complete(&exchange, answer),
            Event::TransactionTurn { attempt, begun, excerpt } => {
                self.transact(place, &attempt, begun, excerpt)
            }
            // The server has ended an exchange for it, so that it cannot refuse it for ever.
            Event::Unprocessed { exchange, others_taken: true } => self.send(exchange),
            Event::Unprocessed { exchange, .. } => self.send_again(exchange, "stream_refused"),
            Event::Failed { exchange, failure } => self.fail(exchange, failure),
            Event::Blocked | Event::Later | Event::Ready | Event::News { .. } => {}
        }
        stays
    }

    /// A transaction whose statements a program gives continues as that says.
    fn transact(
        &mut self,
        place: u32,
        attempt: &Attempt,
        begun: bool,
        excerpt: Option<Box<Excerpt>>,
    ) {
        let excerpt = excerpt.unwrap_or_default();
        if let Some(bodies_cut) = &mut self.bodies_cut {
            *bodies_cut += u64::from(excerpt.cut && !begun);
        }
        let answer = Reply { body: &excerpt.body, cut: excerpt.cut, ..Reply::default() };
        let step = self.clients.transact(self.clock.now(), attempt, (!begun).then_some(answer));
        let Some(connection) = self.pool.get(place) else { return };
        match step {
            TransactionStep::Statement(call) => {
                Messages::statement(attempt.kind, &call, |statements| {
                    connection.proceed(Continuation::Statement(statements));
                });
            }
            TransactionStep::Commit => connection.proceed(Continuation::Commit),
            TransactionStep::Rollback => connection.proceed(Continuation::Rollback),
        }
        self.write(place);
    }

    /// A handshake ended: the waiting exchanges go over the connection while there is room, and the
    /// rest over others.
    fn begin_queued(&mut self, place: u32) {
        let Some(connection) = self.pool.get(place) else { return };
        let mut waiting = connection.choose_protocol(&mut self.connector);
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

    /// Begins an exchange over a connection.
    pub(crate) fn begin(&mut self, place: u32, exchange: Exchange) {
        self.pool.assign(place, exchange.attempt.ticket);
        let Some(connection) = self.pool.get(place) else { return };
        if let Some(exchange) = connection.wait(exchange) {
            let attempt = exchange.attempt;
            let made = self.values.as_ref().and_then(|values| values.call(&attempt));
            let call = made.or_else(|| self.clients.call(&attempt));
            if self.messages.has_takes() {
                let write = |what: Outgoing<'_>| connection.begin(exchange, what);
                self.messages.make(&attempt, call.as_deref(), write);
            } else {
                let messages = self.requests.messages(&attempt);
                let streams = self.streams.as_mut();
                let events = streams.and_then(|it| it.begin(&attempt, self.clock.now()));
                let write = |request: &RequestHead<'_>| {
                    let whole = events.map_or(Outgoing::Request(request), |format| {
                        Outgoing::Events(request, format)
                    });
                    let what = messages.map_or(whole, |wanted| Outgoing::Stream(request, wanted));
                    connection.begin(exchange, what)
                };
                let sender = self
                    .requests
                    .follows_responses()
                    .then(|| Sender { owner: self.clients.owner(&attempt), now: self.clock.now() });
                self.requests.make(&attempt, call.as_deref(), sender, write);
            }
        }
        self.pool.list_or_close(place);
    }

    /// Writes the waiting bytes of a connection.
    pub(crate) fn write(&mut self, place: u32) {
        if let Some(connection) = self.pool.get(place)
            && let Err(failure) = connection.flush()
        {
            self.fail_connection(place, failure);
        }
    }
}
