//! The event loop.

pub(crate) mod completion;
pub(crate) mod failure_bodies;
pub(crate) mod redact;
pub(crate) mod shared_variables;
pub(crate) mod streamed;
pub(crate) mod turns;
pub(crate) mod usage;

use std::io;
use std::rc::Rc;

use thinktime_core::attempt::Attempt;
use thinktime_core::client::{ClientAction, Clients};
use thinktime_core::failure::TIMEOUT;
use thinktime_core::file::Reuse;
use thinktime_core::record::{Objectives, Row};
use thinktime_core::request::Call;
use thinktime_core::share::Share;
use thinktime_core::time::Nanos;
use thinktime_core::workload::Workload;

use crate::generator::connect::connector::Connector;
use crate::generator::connect::pool::Pool;
use crate::generator::credentials::Credentials;
use crate::generator::plan::{LoopOutcome, Plan, RunProgress};
use crate::generator::protocols::exchange::Exchange;
use crate::generator::record::recorder::Recorder;
use crate::generator::requests::Requests;
use crate::generator::requests::messages::Messages;
use crate::generator::requests::values::Values;
use crate::generator::shared::Link;
use crate::generator::target::Target;
use crate::generator::transport::failure::failure;
use crate::generator::transport::reader::Reader;
use crate::poller::{Clock, Poller, Readiness};
use crate::protocol::Capture;
use failure_bodies::FailureBodies;
use streamed::StreamedResponses;
use usage::ResourceUsage;

pub(crate) struct Engine<'a, L> {
    pub(crate) plan: &'a Plan,
    pub(crate) recorder: L,
    pub(crate) clock: Clock,
    pub(crate) poller: Poller,
    pub(crate) connector: Connector,
    pub(crate) clients: Clients,
    pub(crate) pool: Pool,
    pub(crate) requests: Requests<'a>,
    /// The values of sessions, if requests use any.
    pub(crate) values: Option<Values<'a>>,
    /// The beginnings of failures' bodies.
    pub(crate) failure_bodies: FailureBodies<'a>,
    pub(crate) messages: Messages<'a>,
    /// Streamed responses, if there are any.
    pub(crate) streams: Option<StreamedResponses>,
    pub(crate) reader: Reader,
    /// Connections with more to read, which wait for their turn.
    pub(crate) unread: Vec<u32>,
    pub(crate) failures: u64,
    /// If clients read bodies: those that they saw only in part.
    pub(crate) bodies_cut: Option<u64>,
    pub(crate) usage: ResourceUsage,
    /// Whether responses may stay in their sockets for a while.
    defers_reads: bool,
    /// The time of its last wake-up.
    last_sleep: Nanos,
    /// The time of its next report on checks; never if nobody asks.
    pub(crate) next_checks: Nanos,
    /// The server of shared variables, if any.
    pub(crate) link: Option<Box<Link>>,
}

/// Wishes handled between two looks at sockets: a generator that falls behind its schedule still
/// reads responses and can be stopped.
const WISHES_PER_TURN: u32 = 64;
/// The longest stay of unneeded responses in their sockets.
const UNREAD_MAX: Nanos = Nanos(1_000_000);
/// The time between two reports of progress.
const LOOK: Nanos = Nanos(100_000_000);

impl<'a, L: Recorder> Engine<'a, L> {
    pub(crate) fn new(
        workload: &'a Workload,
        target: &'a Target,
        plan: &'a Plan,
        mut connector: Connector,
        credentials: Option<Credentials>,
        share: Share,
        recorder: L,
    ) -> io::Result<Engine<'a, L>> {
        let clients = Clients::of_share(workload, plan.limit, share);
        let requests = Requests::new(workload, target, plan, credentials);
        let (reads, values) = (clients.reads_responses(), Values::of(workload));
        let of_values = values.as_ref().map_or(Capture::Nothing, Values::capture);
        let least = if reads || plan.show_errors { Capture::All } else { of_values };
        connector.capture = requests.capture().max(least);
        connector.timestamps = is_unneeded_at_once(&clients, &requests, target);
        Ok(Engine {
            usage: ResourceUsage::new(connector.ip()),
            plan,
            recorder,
            clock: Clock::start(),
            poller: Poller::new()?,
            streams: StreamedResponses::of(workload, plan.limit),
            defers_reads: connector.timestamps,
            connector,
            clients,
            pool: Pool::default(),
            requests,
            values,
            failure_bodies: FailureBodies::of(plan),
            messages: Messages::new(workload, target),
            reader: Reader::new(),
            unread: Vec::new(),
            failures: 0,
            bodies_cut: (reads || of_values == Capture::All).then_some(0),
            last_sleep: Nanos::ZERO,
            next_checks: Objectives::first_look_at_checks(workload, plan.stop_on_slo),
            link: None,
        })
    }

    /// Runs to the end, by a clock that has just been started.
    pub(crate) fn run(
        mut self,
        clock: Clock,
        watch: &mut dyn FnMut(RunProgress) -> bool,
    ) -> io::Result<(LoopOutcome, L)> {
        self.clock = clock;
        self.usage.restart();
        let mut ready: Vec<Readiness> = Vec::new();
        let (mut next_look, mut interrupted) = (LOOK, false);
        while !self.is_over() {
            self.send_what_is_due();
            self.share();
            let now = self.clock.now();
            if now >= next_look {
                next_look = now + LOOK;
                self.usage.connections = self.usage.connections.max(self.pool.open_now());
                self.report_checks(now);
                let progress = self.progress(now);
                self.recorder.complete_up_to(now, progress);
                interrupted = !watch(progress);
                self.clients.end_at(self.recorder.end_of_requests(now).unwrap_or(Nanos::MAX));
            }
            if interrupted || self.drained(now) {
                break;
            }
            let until = match self.unread.is_empty() && !self.has_more_shared() {
                true => self.clients.next_wake().min(next_look).min(self.next_silence()),
                false => now,
            };
            self.sleep(until, &mut ready)?;
            self.read_on();
            for readiness in &ready {
                self.handle(readiness);
            }
            self.share();
            self.end_cancelled();
            self.close_of_left();
        }
        Ok(self.finish(interrupted))
    }

    /// Closes the connections of sessions that have left.
    fn close_of_left(&mut self) {
        while let Some((slot, session)) = self.clients.left() {
            self.pool.close_of_session(slot, session);
        }
    }

    /// Waits until this time for sockets. It sleeps without listening if no decision depends on a
    /// response and the kernel reports arrival times.
    fn sleep(&mut self, until: Nanos, ready: &mut Vec<Readiness>) -> io::Result<()> {
        let now = self.clock.now();
        let rest = until.since(now);
        if !self.defers_reads || self.streams.is_some() || rest > UNREAD_MAX {
            return self.poller.wait(rest, ready);
        }
        let rest = until.max(self.last_sleep + self.plan.lateness).since(now);
        if rest > Nanos::ZERO {
            self.poller.sleep(rest);
        }
        self.last_sleep = self.clock.now();
        // Due work comes first; timers may be for attempts whose response is already there.
        for _ in 0..WISHES_PER_TURN {
            if !self.clients.arrival_is_next() || self.clients.next_wake() > self.clock.now() {
                break;
            }
            self.send_next();
        }
        self.poller.wait(Nanos::ZERO, ready)
    }

    pub(crate) fn progress(&self, now: Nanos) -> RunProgress {
        RunProgress {
            requests: self.recorder.requests(),
            time_s: now.as_secs_f64(),
            in_flight: self.clients.open_requests(),
            failures: self.failures,
            sessions: self.clients.sessions_begun(),
            begun: self.clients.requests_begun(),
        }
    }

    /// Whether the time to wait for the last responses has ended.
    fn drained(&self, now: Nanos) -> bool {
        let begun = self.clients.closed() || now >= self.clients.until();
        begun && now >= self.clients.window_end() + self.plan.drain
    }

    fn send_what_is_due(&mut self) {
        self.end_silent_streams();
        for _ in 0..WISHES_PER_TURN {
            if self.clients.next_wake() > self.clock.now() || self.clients.finished() {
                return;
            }
            self.send_next();
        }
    }

    /// Acts on the clients' next wish.
    fn send_next(&mut self) {
        match self.clients.wake() {
            ClientAction::Send(attempt) => self.send(Exchange::new(attempt, self.clock.now())),
            ClientAction::TimedOut(attempt, fate) => self.give_up(attempt, fate, TIMEOUT),
            ClientAction::Refused(attempt, fate, why) => {
                let now = self.clock.now();
                self.record(&Row { error: Some(why.word()), ..Row::ended(attempt, fate, now) });
            }
            ClientAction::Idle => {}
        }
    }

    /// Sends an exchange: over a connection with room for it if there is one, else over a new one.
    pub(crate) fn send(&mut self, exchange: Exchange) {
        if let Some(values) = &mut self.values {
            let owner = self.clients.owner(&exchange.attempt);
            let own = self.clients.call(&exchange.attempt);
            if let Err(failure) = values.prepare(&exchange.attempt, owner, own.as_deref()) {
                return self.fail(exchange, failure);
            }
        }
        if !self.messages.fit(&exchange.attempt, self.call(&exchange.attempt).as_deref()) {
            return self.fail(exchange, "unfit_request");
        }
        // Data sent before goes over a connection that the server cannot have given up yet.
        let reuse = self.requests.connections(&exchange.attempt);
        let slot = match reuse {
            Reuse::PerSession => self.pool.take_own(&exchange.attempt, exchange.resent > 0),
            Reuse::KeepAlive => self.pool.take_with_room(exchange.resent > 0),
            Reuse::PerRequest => None,
        };
        let place = match slot {
            Some(place) => place,
            None => {
                match self.pool.open(&mut self.connector, &self.poller, reuse == Reuse::PerRequest)
                {
                    Ok(place) => place,
                    Err(error) => return self.fail(exchange, failure(&error)),
                }
            }
        };
        if reuse == Reuse::PerSession
            && let Some(connection) = self.pool.get(place)
        {
            let attempt = &exchange.attempt;
            connection.owner = Some((attempt.ticket.slot(), attempt.session));
        }
        self.begin(place, exchange);
        self.write(place);
    }

    /// The request of an attempt, if it differs from the workload's request of its kind.
    pub(crate) fn call(&self, attempt: &Attempt) -> Option<Rc<Call>> {
        let made = self.values.as_ref().and_then(|values| values.call(attempt));
        made.or_else(|| self.clients.call(attempt))
    }
}

/// Whether no decision depends on a response, of which the kernel reports the arrival.
fn is_unneeded_at_once(clients: &Clients, requests: &Requests<'_>, target: &Target) -> bool {
    let alone = clients.act_without_responses() && !requests.redirects.are_followed();
    alone && target.uses_arrival_time()
}
