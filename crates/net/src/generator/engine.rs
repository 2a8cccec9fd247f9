//! The event loop.

use std::io;

use thinktime_core::client::{Attempt, Clients, Fate, Step};
use thinktime_core::random::{Purpose, StreamFamily};
use thinktime_core::record::{
    Collector, Ended, LATE, Row, RowSink, TIMEOUT, UNANSWERED, UNSENT, Window,
};
use thinktime_core::system::DrawnDemands;
use thinktime_core::time::Nanos;
use thinktime_core::workload::{Method, Workload};

use super::connection::{Exchange, Failure, failure};
use super::pool::Pool;
use super::{Done, Plan, Progress, Target};
use crate::poller::{Clock, Poller, Readiness};
use crate::protocol::http1::{RequestHead, Response, write_request};
use crate::server::{DEMAND_HEADER, demand_value};

pub(super) struct Engine<'a, S> {
    workload: &'a Workload,
    target: &'a Target,
    plan: &'a Plan,
    sink: &'a mut S,
    clock: Clock,
    poller: Poller,
    clients: Clients,
    collector: Collector,
    pool: Pool,
    demands: Option<DrawnDemands>,
    targets: StreamFamily,
    buffer: Vec<u8>,
    path: String,
    failures: u64,
}

/// Wishes acted on before sockets are looked at again: a generator that cannot keep up with its
/// schedule still reads responses and can be stopped.
const WISHES_PER_TURN: u32 = 64;
/// The time between two reports of progress.
const LOOK: Nanos = Nanos(100_000_000);
/// The interval of the timeline.
const SECOND: Nanos = Nanos(1_000_000_000);

impl<'a, S: RowSink> Engine<'a, S> {
    pub(super) fn new(
        workload: &'a Workload,
        target: &'a Target,
        plan: &'a Plan,
        sink: &'a mut S,
    ) -> io::Result<Engine<'a, S>> {
        let demands = plan.demands.as_ref();
        Ok(Engine {
            workload,
            target,
            plan,
            sink,
            clock: Clock::start(),
            poller: Poller::new()?,
            clients: Clients::new(workload, plan.limit),
            collector: Collector::new(workload.requests.len(), plan.limit, true, SECOND),
            pool: Pool::default(),
            demands: demands.map(|system| {
                let program = system.program_for(workload);
                DrawnDemands::new(&program, workload.seed, Purpose::Demand)
            }),
            targets: StreamFamily::new(workload.seed, Purpose::Target),
            buffer: vec![0; 1 << 16],
            path: String::new(),
            failures: 0,
        })
    }

    /// Runs to the end. The clock starts here, not when the engine was made.
    pub(super) fn run(mut self, watch: &mut dyn FnMut(Progress) -> bool) -> io::Result<Done> {
        self.clock = Clock::start();
        let mut ready: Vec<Readiness> = Vec::new();
        let mut next_look = LOOK;
        let mut interrupted = false;
        while !self.clients.finished() {
            self.send_what_is_due();
            let now = self.clock.now();
            if now >= next_look {
                next_look = now + LOOK;
                interrupted = !watch(self.progress(now));
            }
            if interrupted || self.drained(now) {
                break;
            }
            let until = self.clients.next_wake().min(next_look);
            self.poller.wait(until.since(self.clock.now()), &mut ready)?;
            for readiness in &ready {
                self.handle(readiness);
            }
        }
        Ok(self.finish(interrupted))
    }

    fn progress(&self, now: Nanos) -> Progress {
        Progress {
            requests: self.collector.requests(),
            time_s: now.as_secs_f64(),
            in_flight: self.clients.open_requests(),
            failures: self.failures,
        }
    }

    /// Whether the time to wait for the last responses is over.
    fn drained(&self, now: Nanos) -> bool {
        let begun = self.clients.closed() || now >= self.plan.limit.until;
        begun && now >= self.clients.window_end() + self.plan.drain
    }

    fn send_what_is_due(&mut self) {
        for _ in 0..WISHES_PER_TURN {
            if self.clients.next_wake() > self.clock.now() {
                return;
            }
            match self.clients.wake() {
                Step::Send(attempt) => self.send(attempt, None),
                Step::TimedOut(attempt, fate) => self.give_up(attempt, fate),
                Step::Refused(attempt, fate) => {
                    let now = self.clock.now();
                    self.record(&Row { error: Some(UNSENT), ..Row::ended(attempt, fate, now) });
                }
                Step::Idle => {}
            }
            if self.clients.finished() {
                return;
            }
        }
    }

    /// Sends an attempt: on a kept connection if there is one, else on a new one. `before` is the
    /// exchange of which it is a repetition.
    fn send(&mut self, attempt: Attempt, before: Option<Exchange>) {
        let exchange = before.unwrap_or(Exchange {
            attempt,
            sent: self.clock.now(),
            first_byte: Nanos::MAX,
            bytes_sent: 0,
            resent: false,
        });
        let kept = if before.is_none() { self.pool.take_idle() } else { None };
        let place = match kept.map_or_else(|| self.pool.open(self.target.address, &self.poller), Ok)
        {
            Ok(place) => place,
            Err(error) => return self.fail(exchange, failure(&error)),
        };
        self.begin(place, exchange);
        self.write(place);
    }

    fn begin(&mut self, place: u32, exchange: Exchange) {
        self.pool.carries(place, exchange.attempt.ticket);
        let attempt = &exchange.attempt;
        let kind = &self.workload.requests[attempt.kind as usize];
        self.path.clear();
        self.path.push_str(&self.target.prefix);
        let mut stream = self.targets.substream(attempt.session, attempt.index.into());
        kind.target.write(&mut self.path, &mut stream);
        let demand = self.demands.as_mut().map(|demands| demand_value(demands, attempt, kind));
        let headers = demand.as_deref().map(|text| (DEMAND_HEADER, text));
        let request = RequestHead {
            method: kind.method.word(),
            host: &self.target.host,
            target: &self.path,
            headers: headers.as_slice(),
            body: kind.body.as_bytes(),
        };
        if let Some(connection) = self.pool.get(place) {
            let head_only = kind.method == Method::Head;
            connection.begin(exchange, head_only, |out| write_request(out, &request));
        }
    }

    fn write(&mut self, place: u32) {
        if let Some(connection) = self.pool.get(place)
            && let Err(failure) = connection.flush()
        {
            self.broken(place, failure);
        }
    }

    fn handle(&mut self, readiness: &Readiness) {
        let place = readiness.token as u32;
        if readiness.writable {
            self.write(place);
        }
        if !readiness.readable {
            return;
        }
        let Some(connection) = self.pool.get(place) else { return };
        let clock = self.clock;
        match connection.read(&mut self.buffer, readiness.ending, || clock.now()) {
            Ok(None) => {}
            Ok(Some(response)) => {
                let keep_alive = response.keep_alive && !readiness.ending;
                self.complete(place, &Response { keep_alive, ..response });
            }
            Err(failure) => self.broken(place, failure),
        }
    }

    fn complete(&mut self, place: u32, response: &Response) {
        let now = self.clock.now();
        let Some(connection) = self.pool.get(place) else { return };
        let Some(exchange) = connection.exchange.take() else { return };
        connection.reused = true;
        if response.keep_alive {
            self.pool.keep(place);
        } else {
            self.pool.drop(place);
        }
        let error = (response.status >= 400).then_some("status");
        let ticket = exchange.attempt.ticket;
        let Some(ended) = self.clients.answer(now, ticket, error.is_some()) else { return };
        let row = Row {
            status: response.status,
            bytes_received: response.bytes,
            error: if ended.late { Some(LATE) } else { error },
            ..exchange.row(ended.fate, now)
        };
        self.record(&row);
    }

    /// A connection broke: its attempt, if it carries one, has failed, or goes out once more if
    /// the server had merely closed a kept connection at that moment.
    fn broken(&mut self, place: u32, failure: Failure) {
        let Some(connection) = self.pool.get(place) else { return };
        let untouched = connection.untouched() && connection.reused;
        let exchange = connection.exchange.take();
        self.pool.drop(place);
        let Some(exchange) = exchange else {
            return;
        };
        let kind = &self.workload.requests[exchange.attempt.kind as usize];
        if untouched && !exchange.resent && kind.method != Method::Post {
            let again = Exchange { resent: true, ..exchange };
            return self.send(again.attempt, Some(again));
        }
        self.fail(exchange, failure);
    }

    fn fail(&mut self, exchange: Exchange, failure: Failure) {
        let now = self.clock.now();
        let ticket = exchange.attempt.ticket;
        let Some(ended) = self.clients.answer(now, ticket, true) else { return };
        let row = Row { error: Some(failure), ..exchange.row(ended.fate, now) };
        self.record(&row);
    }

    /// The client gave the attempt up: its connection is closed, as a real client would do.
    fn give_up(&mut self, attempt: Attempt, fate: Fate) {
        let now = self.clock.now();
        let mut row = Row { error: Some(TIMEOUT), ..Row::ended(attempt, fate, now) };
        let place = self.pool.place_of(attempt.ticket);
        if let Some(connection) = self.pool.get(place)
            && let Some(exchange) = connection.exchange.take_if(|it| it.attempt == attempt)
        {
            row = Row { error: Some(TIMEOUT), ..exchange.row(fate, now) };
            self.pool.drop(place);
        }
        self.record(&row);
    }

    fn record(&mut self, row: &Row) {
        self.failures += u64::from(row.error.is_some());
        let closed = self.clients.closed();
        self.collector.add(row, if closed { Ended::AfterWindow } else { Ended::InWindow });
        self.sink.row(row);
    }

    fn finish(mut self, interrupted: bool) -> Done {
        let now = self.clock.now();
        let in_flight = self.clients.open_requests();
        let whole = self.clients.window_end();
        let end = if interrupted { whole.min(now) } else { whole };
        // What was never answered has failed; unless the run was cut short, which is not the
        // server's doing.
        if !interrupted {
            let waiting: Vec<Attempt> = self.clients.waiting().collect();
            for attempt in waiting {
                let row = Row { error: Some(UNANSWERED), ..Row::ended(attempt, Fate::Over, now) };
                self.record(&row);
            }
        }
        Done {
            collector: self.collector,
            window: Window { begin: self.plan.limit.warmup.min(end), end },
            sessions: self.clients.sessions_begun(),
            interrupted,
            in_flight,
        }
    }
}
