//! The turns of connections that are ready: writing, reading, and what comes of it.

use thinktime_core::attempt::Attempt;
use thinktime_core::program::{Reply, TransactionStep};

use super::connector::EXCHANGES_MAX;
use super::engine::Engine;
use super::exchange::Event;
use super::ledger::Ledger;
use super::messages::Messages;
use super::protocols::Proceeding;
use crate::poller::Readiness;
use crate::protocol::Kept;

impl<L: Ledger> Engine<'_, L> {
    pub(super) fn handle(&mut self, readiness: &Readiness) {
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
                Ok(Event::Blocked) => return self.pool.list_or_close(place),
                Ok(Event::Later) => {
                    connection.unread = Some(ending);
                    self.unread.push(place);
                    return self.pool.list_or_close(place);
                }
                Ok(Event::Ready) => self.begin_what_waited(place),
                Ok(event) => {
                    if !self.ended(place, event) {
                        return;
                    }
                }
                Err(failure) => return self.broken(place, failure),
            }
        }
    }

    /// An exchange ended: whether its connection is there still. What comes next may open another
    /// in its place, of which there is nothing to read yet.
    fn ended(&mut self, place: u32, event: Event) -> bool {
        if let Some(connection) = self.pool.get(place) {
            connection.reused |= matches!(event, Event::Done { .. });
            // The next connection is not asked for more than this one allows.
            if let (Event::Unprocessed(_), Some(streams)) = (&event, connection.allowed()) {
                self.connector.streams = streams.clamp(1, EXCHANGES_MAX);
            }
        }
        self.pool.list_or_close(place);
        let stays = self.pool.get(place).is_some();
        match event {
            Event::Done { exchange, answer } => self.complete(&exchange, answer),
            Event::Asks { attempt, begun, kept } => self.transact(place, &attempt, begun, kept),
            Event::Unprocessed(exchange) => self.send_again(exchange, "stream_refused"),
            Event::Failed { exchange, failure } => self.fail(exchange, failure),
            Event::Blocked | Event::Later | Event::Ready => {}
        }
        stays
    }

    /// A transaction whose statements a program gives goes on as that says.
    fn transact(&mut self, place: u32, attempt: &Attempt, begun: bool, kept: Option<Box<Kept>>) {
        let kept = kept.unwrap_or_default();
        if let Some(bodies_cut) = &mut self.bodies_cut {
            *bodies_cut += u64::from(kept.cut && !begun);
        }
        let answer = Reply { body: &kept.body, cut: kept.cut, ..Reply::default() };
        let step = self.clients.transact(self.clock.now(), attempt, (!begun).then_some(answer));
        let Some(connection) = self.pool.get(place) else { return };
        match step {
            TransactionStep::Statement(call) => {
                Messages::statement(attempt.kind, &call, |asking| {
                    connection.proceed(Proceeding::Statement(asking));
                });
            }
            TransactionStep::Commit => connection.proceed(Proceeding::Commit),
            TransactionStep::Rollback => connection.proceed(Proceeding::Rollback),
        }
        self.write(place);
    }

    /// A handshake is over: what waited for it goes over the connection as far as there is room,
    /// and over others where there is not.
    fn begin_what_waited(&mut self, place: u32) {
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
}
