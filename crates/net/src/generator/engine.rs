//! The event loop.

use std::io;
use std::rc::Rc;

use thinktime_core::attempt::Attempt;
use thinktime_core::client::{ClientAction, Clients};
use thinktime_core::failure::UNSENT;
use thinktime_core::file::Reuse;
use thinktime_core::record::{Objectives, Row};
use thinktime_core::request::Call;
use thinktime_core::share::Share;
use thinktime_core::time::Nanos;
use thinktime_core::workload::Workload;

use super::bodies::Bodies;
use super::connector::Connector;
use super::credentials::Credentials;
use super::exchange::Exchange;
use super::failure::failure;
use super::ledger::Ledger;
use super::limits::Limits;
use super::messages::Messages;
use super::plan::{Done, Plan, RunProgress};
use super::pool::Pool;
use super::protocols::Outgoing;
use super::reading::Reading;
use super::requests::{Requests, Sender};
use super::shared::Link;
use super::target::Target;
use super::values::Values;
use crate::poller::{Clock, Poller, Readiness};
use crate::protocol::Keeping;
use crate::protocol::http1::RequestHead;

pub(super) struct Engine<'a, L> {
    pub(super) plan: &'a Plan,
    pub(super) ledger: L,
    pub(super) clock: Clock,
    pub(super) poller: Poller,
    pub(super) connector: Connector,
    pub(super) clients: Clients,
    pub(super) pool: Pool,
    pub(super) requests: Requests<'a>,
    /// The values of sessions, where requests have to do with any.
    pub(super) values: Option<Values<'a>>,
    /// How failures' bodies began.
    pub(super) bodies: Bodies<'a>,
    pub(super) messages: Messages<'a>,
    pub(super) reading: Reading,
    /// Connections with more to read, which wait for their turn.
    pub(super) unread: Vec<u32>,
    pub(super) failures: u64,
    /// Where clients look into bodies: those of which they saw a part only.
    pub(super) bodies_cut: Option<u64>,
    pub(super) limits: Limits,
    /// Whether responses may lie in their sockets for a while.
    patient: bool,
    /// When it last woke from a sleep.
    rested: Nanos,
    /// When it next tells how often checks have held; never where nobody asks.
    pub(super) next_checks: Nanos,
    /// The server of what scripts share, if there is one.
    pub(super) link: Option<Box<Link>>,
}

/// Wishes acted on before sockets are looked at again: a generator that cannot keep up with its
/// schedule still reads responses and can be stopped.
const WISHES_PER_TURN: u32 = 64;
/// Responses that nobody waits for lie in their sockets no longer than this.
const UNREAD_MAX: Nanos = Nanos(1_000_000);
/// The time between two reports of progress.
const LOOK: Nanos = Nanos(100_000_000);

impl<'a, L: Ledger> Engine<'a, L> {
    pub(super) fn new(
        workload: &'a Workload,
        target: &'a Target,
        plan: &'a Plan,
        mut connector: Connector,
        credentials: Option<Credentials>,
        share: Share,
        ledger: L,
    ) -> io::Result<Engine<'a, L>> {
        let clients = Clients::of_share(workload, plan.limit, share);
        let requests = Requests::new(workload, target, plan, credentials);
        let (reads, values) = (clients.reads_responses(), Values::of(workload));
        let kept = values.as_ref().map_or(Keeping::Nothing, Values::keeping);
        connector.keeping =
            if reads || plan.show_errors { Keeping::All } else { requests.keeping().max(kept) };
        let follows = requests.redirects.followed();
        connector.stamped = clients.act_without_responses() && !follows && target.tells_arrival();
        Ok(Engine {
            limits: Limits::new(connector.ip()),
            plan,
            ledger,
            clock: Clock::start(),
            poller: Poller::new()?,
            patient: connector.stamped,
            connector,
            clients,
            pool: Pool::default(),
            requests,
            values,
            bodies: Bodies::of(plan),
            messages: Messages::new(workload, target),
            reading: Reading::new(),
            unread: Vec::new(),
            failures: 0,
            bodies_cut: (reads || kept == Keeping::All).then_some(0),
            rested: Nanos::ZERO,
            next_checks: Objectives::first_look_at_checks(workload, plan.stop_on_slo),
            link: None,
        })
    }

    /// Runs to the end, by a clock that has just been started.
    pub(super) fn run(
        mut self,
        clock: Clock,
        watch: &mut dyn FnMut(RunProgress) -> bool,
    ) -> io::Result<(Done, L)> {
        self.clock = clock;
        self.limits.restart(Nanos::ZERO);
        let mut ready: Vec<Readiness> = Vec::new();
        let mut next_look = LOOK;
        let mut interrupted = false;
        while !self.is_over() {
            self.send_what_is_due();
            self.share();
            let now = self.clock.now();
            if now >= next_look {
                next_look = now + LOOK;
                self.limits.connections = self.limits.connections.max(self.pool.open_now());
                self.tell_checks(now);
                self.ledger.complete_up_to(now);
                interrupted = !watch(self.progress(now));
            }
            if interrupted || self.drained(now) {
                break;
            }
            let until = match self.unread.is_empty() && !self.has_more_shared() {
                true => self.clients.next_wake().min(next_look),
                false => now,
            };
            self.rest(until, &mut ready)?;
            self.read_on();
            for readiness in &ready {
                self.handle(readiness);
            }
            self.share();
            while let Some((slot, session)) = self.clients.left() {
                self.pool.leave(slot, session);
            }
        }
        Ok(self.finish(interrupted))
    }

    /// Waits until this time for sockets; or sleeps until then without listening, where nothing
    /// hangs on a response and the kernel tells when it came.
    fn rest(&mut self, until: Nanos, ready: &mut Vec<Readiness>) -> io::Result<()> {
        let now = self.clock.now();
        let rest = until.since(now);
        if !self.patient || rest > UNREAD_MAX {
            return self.poller.wait(rest, ready);
        }
        let rest = until.max(self.rested + self.plan.lateness).since(now);
        if rest > Nanos::ZERO {
            self.poller.sleep(rest);
        }
        self.rested = self.clock.now();
        // What is due goes first; timers may be for attempts whose response is there already.
        for _ in 0..WISHES_PER_TURN {
            if !self.clients.arrival_is_next() || self.clients.next_wake() > self.clock.now() {
                break;
            }
            self.send_next();
        }
        self.poller.wait(Nanos::ZERO, ready)
    }

    fn progress(&self, now: Nanos) -> RunProgress {
        RunProgress {
            requests: self.ledger.requests(),
            time_s: now.as_secs_f64(),
            in_flight: self.clients.open_requests(),
            failures: self.failures,
            sessions: self.clients.sessions_begun(),
            begun: self.clients.requests_begun(),
        }
    }

    /// Whether the time to wait for the last responses is over.
    fn drained(&self, now: Nanos) -> bool {
        let begun = self.clients.closed() || now >= self.plan.limit.until;
        begun && now >= self.clients.window_end() + self.plan.drain
    }

    fn send_what_is_due(&mut self) {
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
            ClientAction::TimedOut(attempt, fate) => self.give_up(attempt, fate),
            ClientAction::Refused(attempt, fate) => {
                let now = self.clock.now();
                self.record(&Row { error: Some(UNSENT), ..Row::ended(attempt, fate, now) });
            }
            ClientAction::Idle => {}
        }
    }

    /// Sends an exchange: over a connection with room for it if there is one, else over a new one.
    pub(super) fn send(&mut self, exchange: Exchange) {
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
        // What went out before goes over a connection that the server cannot have given up yet.
        let reuse = self.requests.connections(&exchange.attempt);
        let kept = match reuse {
            Reuse::PerSession => self.pool.take_own(&exchange.attempt, exchange.resent),
            Reuse::KeepAlive => self.pool.take_with_room(exchange.resent),
            Reuse::PerRequest => None,
        };
        let place = match kept {
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

    /// The request of an attempt, where it is not just what the workload says of its kind.
    pub(super) fn call(&self, attempt: &Attempt) -> Option<Rc<Call>> {
        let made = self.values.as_ref().and_then(|values| values.call(attempt));
        made.or_else(|| self.clients.call(attempt))
    }

    pub(super) fn begin(&mut self, place: u32, exchange: Exchange) {
        self.pool.carries(place, exchange.attempt.ticket);
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
                let write = |request: &RequestHead<'_>| {
                    let whole = Outgoing::Request(request);
                    let what = messages.map_or(whole, |wanted| Outgoing::Stream(request, wanted));
                    connection.begin(exchange, what)
                };
                let sender = self
                    .requests
                    .browses()
                    .then(|| Sender { owner: self.clients.owner(&attempt), now: self.clock.now() });
                self.requests.make(&attempt, call.as_deref(), sender, write);
            }
        }
        self.pool.list_or_close(place);
    }

    pub(super) fn write(&mut self, place: u32) {
        if let Some(connection) = self.pool.get(place)
            && let Err(failure) = connection.flush()
        {
            self.broken(place, failure);
        }
    }
}
