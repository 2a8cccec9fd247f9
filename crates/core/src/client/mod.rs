//! The clients: a whole workload as one state machine without I/O.
//!
//! [`Clients`] says when it next wants to act ([`Clients::next_wake`]), acts on it
//! ([`Clients::wake`]), and is told of responses ([`Clients::answer`]). A driver with a virtual
//! clock makes it a simulation's workload, a driver with sockets makes it a load generator; both
//! get the same sessions, requests and think times, because every draw is a function of (seed,
//! purpose, session, request) alone.

mod budget;
mod laws;
mod session;
mod state;
mod step;
mod timers;

use budget::Budget;
use laws::Laws;
pub use session::{Attempt, Ticket};
use session::{Slots, Wish};
use std::collections::VecDeque;
pub use step::{Ended, Fate, Limit, Step};
use timers::Timers;

use crate::arrival::Arrivals;
use crate::time::Nanos;
use crate::workload::{ClientLimits, RetryWhen, Sessions, Workload};

/// All clients of a workload.
#[derive(Debug)]
pub struct Clients {
    source: Source,
    laws: Laws,
    slots: Slots,
    timers: Timers,
    limit: Limit,
    limits: ClientLimits,
    budget: Option<Budget>,
    /// Attempts in flight, those included to which another's place was handed on.
    in_flight: u64,
    /// Attempts that wait until others have ended.
    waiting: VecDeque<Ticket>,
    launched: u64,
    last_launch: Nanos,
    /// No further request is begun.
    closed: bool,
    /// Requests begun and not over, waits before a retry included.
    open: u64,
    sessions_begun: u64,
}

/// Where sessions come from.
#[derive(Debug)]
enum Source {
    Arriving { arrivals: Box<Arrivals>, next: Nanos },
    Fixed,
}

impl Clients {
    /// The clients of `workload`, at the start of the run. Closed sessions begin with a think
    /// time, so that they do not all send at once.
    #[must_use]
    pub fn new(workload: &Workload, limit: Limit) -> Clients {
        let laws = Laws::new(workload);
        let (source, clients) = match &workload.sessions {
            Sessions::Closed { clients, .. } => (Source::Fixed, *clients),
            Sessions::Open { arrivals } | Sessions::PartlyOpen { arrivals, .. } => {
                let mut arrivals = Box::new(arrivals.arrivals(workload.seed));
                let next = arrivals.next_arrival();
                (Source::Arriving { arrivals, next }, 0)
            }
        };
        let mut machine = Clients {
            source,
            laws,
            slots: Slots::default(),
            timers: Timers::new(),
            limit,
            limits: workload.clients,
            budget: workload.clients.retry_budget.map(Budget::new),
            in_flight: 0,
            waiting: VecDeque::new(),
            launched: 0,
            last_launch: Nanos::ZERO,
            closed: false,
            open: 0,
            sessions_begun: clients,
        };
        for session in 0..clients {
            let ticket = machine.slots.begin(session, u64::MAX);
            let at = machine.laws.think(session, 0);
            machine.timers.set(at, ticket, Wish::Request);
        }
        machine
    }

    /// When the clients next want to act; [`Nanos::MAX`] when only responses can move them.
    #[inline(always)]
    #[must_use]
    pub fn next_wake(&self) -> Nanos {
        let timer = self.timers.next();
        match &self.source {
            Source::Arriving { next, .. } if !self.closed => timer.min(*next),
            _ => timer,
        }
    }

    /// Whether every request is over and no other will be begun.
    #[must_use]
    pub fn finished(&self) -> bool {
        self.done() || (self.open == 0 && self.next_wake() >= self.limit.until)
    }

    /// As [`Clients::finished`], but may be told only after the next wake-up: costs nothing.
    #[inline]
    #[must_use]
    pub fn done(&self) -> bool {
        self.closed && self.open == 0
    }

    /// The end of the time in which requests were begun: the limit's, or the time of the last
    /// request where their number was limited.
    #[must_use]
    pub fn window_end(&self) -> Nanos {
        if self.launched < self.limit.requests && !self.limit.until.is_never() {
            self.limit.until
        } else {
            self.last_launch
        }
    }

    /// Whether no further request will be begun.
    #[inline]
    #[must_use]
    pub fn closed(&self) -> bool {
        self.closed
    }

    /// Begins no further request: those begun are still waited for.
    pub fn close(&mut self) {
        self.closed = true;
    }

    /// Acts on the earliest wish, which is due at [`Clients::next_wake`]. One call is one step:
    /// call again while `next_wake` is due.
    #[inline(always)]
    pub fn wake(&mut self) -> Step {
        let timer = self.timers.next();
        if let Source::Arriving { arrivals, next } = &mut self.source
            && !self.closed
            && *next <= timer
        {
            let now = *next;
            if now >= self.limit.until {
                self.closed = true;
                return Step::Idle;
            }
            *next = arrivals.next_arrival();
            let last = next.is_never() && self.limit.until.is_never() && self.laws.one_request();
            let session = self.sessions_begun;
            self.sessions_begun += 1;
            let ticket = self.slots.begin(session, self.laws.session_length(session));
            let step = self.begin_request(now, ticket);
            self.closed |= last;
            return step;
        }
        match self.timers.take() {
            Some((at, ticket, wish)) => self.act(at, ticket, wish),
            None => Step::Idle,
        }
    }

    #[inline(always)]
    fn act(&mut self, now: Nanos, ticket: Ticket, wish: Wish) -> Step {
        match wish {
            Wish::Request if now >= self.limit.until => {
                self.closed = true;
                Step::Idle
            }
            Wish::Request => self.begin_request(now, ticket),
            Wish::Retry => self.send_or_wait(now, ticket),
            Wish::Granted => Step::Send(self.send(now, ticket)),
            Wish::Timeout => match self.slots.in_flight(ticket) {
                None => Step::Idle, // answered in time
                Some(attempt) => {
                    self.landed(now);
                    Step::TimedOut(attempt, self.after(now, attempt, true))
                }
            },
        }
    }

    #[inline(always)]
    fn begin_request(&mut self, now: Nanos, ticket: Ticket) -> Step {
        if self.closed {
            return Step::Idle;
        }
        if self.limit.counts(now) {
            if self.launched >= self.limit.requests {
                self.closed = true;
                return Step::Idle;
            }
            self.launched += 1;
            self.closed = self.launched == self.limit.requests;
        }
        self.last_launch = now;
        self.open += 1;
        let slot = self.slots.get(ticket);
        let kind = self.laws.choose(slot.session, slot.index);
        self.slots.get_mut(ticket).begin_request(kind, now);
        if let Some(budget) = &mut self.budget {
            budget.earn();
        }
        self.send_or_wait(now, ticket)
    }

    /// Sends an attempt, or lets it wait while as many are in flight as may be.
    #[inline(always)]
    fn send_or_wait(&mut self, now: Nanos, ticket: Ticket) -> Step {
        if self.in_flight < self.limits.concurrency {
            self.in_flight += 1;
            return Step::Send(self.send(now, ticket));
        }
        if (self.waiting.len() as u64) < self.limits.waiting {
            self.waiting.push_back(ticket);
            return Step::Idle;
        }
        let attempt = self.slots.send(now, ticket);
        Step::Refused(attempt, self.after(now, attempt, true))
    }

    #[inline(always)]
    fn send(&mut self, now: Nanos, ticket: Ticket) -> Attempt {
        let attempt = self.slots.send(now, ticket);
        let kind = &self.laws.kinds[attempt.kind as usize];
        let timeout = kind.timeout;
        if !timeout.is_never() && kind.retry.when == RetryWhen::Timeout {
            self.timers.set(now + timeout, attempt.ticket, Wish::Timeout);
        }
        attempt
    }

    /// Tells of the end of an attempt: a response (`failed` when it was an error), or an error
    /// on the way. Gives the attempt back with what becomes of its request, or nothing when the
    /// client had given it up already.
    #[inline(always)]
    pub fn answer(&mut self, now: Nanos, ticket: Ticket, failed: bool) -> Option<Ended> {
        let attempt = self.slots.in_flight(ticket)?;
        self.landed(now);
        let kind = &self.laws.kinds[attempt.kind as usize];
        let tardy = !failed
            && kind.retry.when == RetryWhen::Late
            && now.since(attempt.scheduled) > kind.timeout;
        let fate = self.after(now, attempt, failed || tardy);
        Some(Ended { attempt, fate, late: tardy && fate == Fate::Retried })
    }

    /// An attempt is no longer in flight: one that waits gets its place.
    #[inline(always)]
    fn landed(&mut self, now: Nanos) {
        match self.waiting.pop_front() {
            Some(next) => self.timers.set(now, next, Wish::Granted),
            None => self.in_flight -= 1,
        }
    }

    #[inline(always)]
    fn after(&mut self, now: Nanos, attempt: Attempt, failed: bool) -> Fate {
        let ticket = self.slots.end_attempt(attempt.ticket);
        let retry = &self.laws.kinds[attempt.kind as usize].retry;
        let budget = &mut self.budget;
        if failed && attempt.attempt < retry.attempts && budget.as_mut().is_none_or(Budget::spend) {
            let wait = self.laws.backoff(&attempt);
            self.timers.set(now + wait, ticket, Wish::Retry);
            return Fate::Retried;
        }
        self.open -= 1;
        if self.slots.end_request(ticket) {
            let think = self.laws.think(attempt.session, attempt.index + 1);
            self.timers.set(now + think, ticket, Wish::Request);
        }
        Fate::Over
    }
}

#[cfg(test)]
mod tests;
