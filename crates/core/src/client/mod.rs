//! The clients: a whole workload as one state machine without I/O.
//!
//! [`Clients`] says when it next wants to act ([`Clients::next_wake`]), acts on it
//! ([`Clients::wake`]), and is told of responses ([`Clients::answer`]). A driver with a virtual
//! clock makes it a simulation's workload, a driver with sockets makes it a load generator; both
//! get the same sessions, requests and think times, because every draw is a function of (seed,
//! purpose, session, request) alone.

mod action;
mod attempts;
mod budget;
mod family;
mod fleeting;
mod laws;
mod programs;
mod session;
mod share;
mod start;
mod state;
mod timers;
mod told;

pub use action::{ClientAction, Ended, Fate, Limit};
use budget::Budget;
use laws::Laws;
pub use session::{Attempt, Ticket};
use session::{Slots, Wish};
pub use share::Share;
pub use state::Owner;
use std::collections::VecDeque;
use timers::Timers;

use crate::arrival::Arrivals;
use crate::program::{Programs, Reply};
use crate::record::TIMEOUT;
use crate::time::Nanos;
use crate::workload::{ClientLimits, OnError, Reuse, Sessions, Workload};

/// All clients of a workload.
#[derive(Debug)]
pub struct Clients {
    source: Source,
    /// When the next session arrives; never, once no further one does.
    next: Nanos,
    share: Share,
    laws: Laws,
    slots: Slots,
    timers: Timers,
    limit: Limit,
    limits: ClientLimits,
    budget: Option<Budget>,
    programs: Option<Box<dyn Programs>>,
    /// Whether a session ends when a request of it has failed for good.
    ends_on_error: bool,
    /// Turns of programs since one asked for a request.
    idle_turns: u64,
    /// Sessions of programs that ended since one asked for a request.
    idle_sessions: u64,
    /// Requests that programs want and that are not begun yet.
    wanted: u64,
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
    Arriving(Box<Arrivals>),
    Fixed,
}

impl Clients {
    /// The clients of `workload`, at the start of the run: sessions that think are there already,
    /// where [`Workload::beginning`] says so.
    #[must_use]
    pub fn new(workload: &Workload, limit: Limit) -> Clients {
        Clients::of_share(workload, limit, Share::WHOLE)
    }

    /// A share of the clients of `workload`. What belongs to all of them together, which is the
    /// limit of requests, that of requests in flight and the budget of retries, is divided.
    #[must_use]
    pub fn of_share(workload: &Workload, limit: Limit, share: Share) -> Clients {
        let laws = Laws::new(workload);
        let (source, next) = match &workload.sessions {
            Sessions::Closed { .. } => (Source::Fixed, Nanos::MAX),
            Sessions::Open { arrivals } | Sessions::PartlyOpen { arrivals, .. } => {
                let mut arrivals = Box::new(arrivals.arrivals(workload.seed));
                let next = share.first(|| arrivals.next_arrival());
                (Source::Arriving(arrivals), next)
            }
        };
        let mut machine = Clients {
            source,
            next,
            share,
            laws,
            slots: Slots::default(),
            timers: Timers::new(),
            limit: Limit { requests: share.of_number(limit.requests), ..limit },
            limits: share.of_limits(workload.clients),
            budget: share.of_limits(workload.clients).retry_budget.map(Budget::new),
            programs: programs(workload),
            ends_on_error: workload.browsing.on_error == OnError::End,
            idle_turns: 0,
            idle_sessions: 0,
            wanted: 0,
            in_flight: 0,
            waiting: VecDeque::new(),
            launched: 0,
            last_launch: Nanos::ZERO,
            closed: false,
            open: 0,
            sessions_begun: 0,
        };
        let tells = workload.clients.connections == Reuse::PerSession;
        machine.slots.left = tells.then(Vec::new);
        machine.begin_sessions(workload);
        machine
    }

    /// When the clients next want to act; [`Nanos::MAX`] when only responses can move them.
    #[inline(always)]
    #[must_use]
    pub fn next_wake(&self) -> Nanos {
        let timer = self.timers.next();
        if self.closed { timer } else { timer.min(self.next) }
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
        self.next = Nanos::MAX;
    }

    /// Acts on the earliest wish, which is due at [`Clients::next_wake`]. One call is one step:
    /// call again while `next_wake` is due.
    #[inline(always)]
    pub fn wake(&mut self) -> ClientAction {
        let arriving = matches!(self.source, Source::Arriving(_)) && !self.closed;
        if arriving && self.next <= self.timers.next() {
            let Some((now, session, last)) = self.next_session() else {
                return ClientAction::Idle;
            };
            if self.programs.is_some() {
                let ticket = self.slots.begin(session, u64::MAX);
                self.begin_program(now, ticket);
                return ClientAction::Idle;
            }
            let ticket = self.slots.begin(session, self.laws.session_length(session));
            let step = self.begin_request(now, ticket);
            self.closed |= last;
            return step;
        }
        match self.timers.take() {
            Some((at, ticket, wish)) => self.act(at, ticket, wish),
            None => ClientAction::Idle,
        }
    }

    /// The session that arrives at [`Clients::next`], unless that is after the end: the time, the
    /// session's number, and whether no other session or request will follow.
    #[inline(always)]
    fn next_session(&mut self) -> Option<(Nanos, u64, bool)> {
        let Source::Arriving(arrivals) = &mut self.source else { return None };
        let now = self.next;
        if now >= self.limit.until {
            self.closed = true;
            return None;
        }
        self.next = self.share.next(|| arrivals.next_arrival());
        let last = self.next.is_never() && self.limit.until.is_never() && self.laws.one_request();
        let session = self.share.session(self.sessions_begun);
        self.sessions_begun += 1;
        Some((now, session, last))
    }

    #[inline(always)]
    fn act(&mut self, now: Nanos, ticket: Ticket, wish: Wish) -> ClientAction {
        match wish {
            Wish::Request | Wish::Begin | Wish::Resume if now >= self.limit.until => {
                self.closed = true;
                ClientAction::Idle
            }
            Wish::Begin => {
                self.begin_program(now, ticket);
                ClientAction::Idle
            }
            Wish::Resume => {
                self.resume_program(now, ticket);
                ClientAction::Idle
            }
            Wish::Request => self.begin_request(now, ticket),
            Wish::Retry => self.send_or_wait(now, ticket),
            Wish::Granted => ClientAction::Send(self.send(now, ticket)),
            Wish::Timeout => match self.slots.in_flight(ticket) {
                None => ClientAction::Idle, // answered in time
                Some(attempt) => {
                    self.landed(now);
                    let reply = Reply::of(Some(TIMEOUT));
                    ClientAction::TimedOut(attempt, self.after(now, attempt, true, reply))
                }
            },
        }
    }

    #[inline(always)]
    fn begin_request(&mut self, now: Nanos, ticket: Ticket) -> ClientAction {
        if !self.launch(now) {
            return ClientAction::Idle;
        }
        self.open += 1;
        let slot = self.slots.get(ticket);
        let kind = match self.programs {
            None => self.laws.choose(slot.session, slot.index),
            Some(_) => {
                let kind = slot.kind();
                self.slots.number_request(ticket);
                self.begin_wanted();
                kind
            }
        };
        self.slots.get_mut(ticket).begin_request(kind, now);
        if let Some(budget) = &mut self.budget {
            budget.earn();
        }
        self.send_or_wait(now, ticket)
    }

    /// Counts a request that begins now; says whether it may.
    #[inline(always)]
    fn launch(&mut self, now: Nanos) -> bool {
        if self.closed {
            return false;
        }
        if self.limit.counts(now) {
            if self.launched >= self.limit.requests {
                self.closed = true;
                return false;
            }
            self.launched += 1;
            self.closed = self.launched == self.limit.requests;
        }
        self.last_launch = now;
        true
    }
}

fn programs(workload: &Workload) -> Option<Box<dyn Programs>> {
    let source = workload.programs.as_ref()?;
    Some(source.programs(workload.seed, &workload.data))
}

#[cfg(test)]
mod tests;
