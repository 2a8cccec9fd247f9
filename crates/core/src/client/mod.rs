//! The clients: a whole workload as one state machine without I/O.
//!
//! [`Clients`] says when it next acts ([`Clients::next_wake`]), acts ([`Clients::wake`]), and
//! learns of responses ([`Clients::answer`]). A driver with a virtual clock makes it a simulation's
//! workload, a driver with sockets makes it a load generator. Both get the same sessions, requests
//! and think times, because every draw is a function of (seed, purpose, session, request) alone.

mod action;
mod attempts;
mod breaker;
mod browse;
mod budget;
mod children;
mod course;
mod end;
mod hedges;
mod laws;
mod one_shot;
mod population;
mod programs;
mod prompt_answers;
mod session;
mod session_times;
mod shared_variables;
mod start;
mod state;
mod timers;

pub use action::{AttemptEnd, ClientAction, Refusal};
use browse::Visit;
use hedges::Hedges;
use population::{Population, Populations};
use session::{Slots, TimerKind};
use session_times::SessionTimes;
pub use state::Owner;
use thinktime_file::time::Nanos;
use thinktime_file::workload::Reuse;
use timers::Timers;

use crate::attempt::{Page, SESSIONS, Ticket};
use crate::failure::TIMEOUT;
use crate::limit::Limit;
use crate::program::Reply;
use crate::request::RequestKind;
use crate::share::Share;
use crate::workload::Workload;

/// All clients of a workload.
#[derive(Debug)]
pub struct Clients {
    populations: Populations,
    /// The kinds of request of all of them.
    kinds: Vec<RequestKind>,
    /// When the next session arrives; never, once no further one arrives.
    next: Nanos,
    /// Its population.
    next_from: usize,
    /// Whether sessions of any population arrive by themselves.
    arriving: bool,
    share: Share,
    slots: Slots,
    timers: Timers,
    limit: Limit,
    launched: u64,
    last_launch: Nanos,
    /// No further request begins.
    closed: bool,
    /// Requests begun and not over, waits before a retry included.
    open: u64,
    /// The state of sessions that browse, by slot; empty until one does.
    visits: Vec<Visit>,
    /// Children that request objects of pages, and copies of attempts.
    loading: u64,
    /// The copies of attempts, if requests are hedged.
    hedges: Option<Box<Hedges>>,
    /// Pages that are over and not reported yet.
    pages: Vec<Page>,
}

impl Clients {
    /// The clients of `workload`, at the start of the run: sessions that think are present already,
    /// if [`Workload::beginning`] says so.
    #[must_use]
    pub fn new(workload: &Workload, limit: Limit) -> Clients {
        Clients::of_share(workload, limit, Share::WHOLE)
    }

    /// A share of the clients of `workload`. The common limits are divided: that of requests, that
    /// of requests in flight, and the budget of retries.
    #[must_use]
    pub fn of_share(workload: &Workload, limit: Limit, share: Share) -> Clients {
        let populations = Populations::new(workload, share);
        let arriving = populations.iter().any(Population::arrives);
        let mut machine = Clients {
            populations,
            kinds: workload.requests.clone(),
            next: Nanos::MAX,
            next_from: 0,
            arriving,
            share,
            slots: Slots::default(),
            timers: Timers::new(),
            limit: Limit { requests: share.of_requests(limit.requests), ..limit },
            launched: 0,
            last_launch: Nanos::ZERO,
            closed: false,
            open: 0,
            visits: Vec::new(),
            loading: 0,
            hedges: Hedges::of(&workload.requests),
            pages: Vec::new(),
        };
        machine.look_ahead();
        let tells = |reuse| reuse == Reuse::PerSession;
        let tells = workload.populations.iter().any(|one| tells(one.clients.connections));
        machine.slots.left = tells.then(Vec::new);
        machine.slots.times = SessionTimes::of(&machine.populations, limit);
        machine.begin_sessions(workload);
        machine
    }

    /// Finds the earliest arrival; at the same instant, that of the first population.
    #[inline(always)]
    fn look_ahead(&mut self) {
        if let Some(only) = self.populations.only() {
            self.next = only.next;
            return;
        }
        let times = self.populations.iter().map(|one| one.next).zip(0..);
        (self.next, self.next_from) = times.min().unwrap_or((Nanos::MAX, 0));
    }

    /// When the clients next act; [`Nanos::MAX`] when only responses can move them.
    #[inline(always)]
    #[must_use]
    pub fn next_wake(&self) -> Nanos {
        let timer = self.timers.next();
        if self.closed { timer } else { timer.min(self.next) }
    }

    /// Begins no further request; those begun are still waited for.
    pub fn close(&mut self) {
        self.closed = true;
        self.next = Nanos::MAX;
    }

    /// Carries out the earliest action, which is due at [`Clients::next_wake`]. One call is one
    /// step: call again while `next_wake` is due.
    #[inline(always)]
    pub fn wake(&mut self) -> ClientAction {
        if self.arriving && !self.closed && self.next <= self.timers.next() {
            return self.wake_session();
        }
        match self.timers.take() {
            Some((at, ticket, timer)) => self.act(at, ticket, timer),
            None => ClientAction::Idle,
        }
    }

    /// The session that is due arrives.
    #[inline(always)]
    fn wake_session(&mut self) -> ClientAction {
        let Some((now, session, last)) = self.next_session() else { return ClientAction::Idle };
        let population = &self.populations[(session / SESSIONS) as usize];
        if population.ended {
            return ClientAction::Idle;
        }
        if population.programs.is_some() {
            let ticket = self.slots.begin_arrived(now, session, u64::MAX, population.place);
            self.begin_program(now, ticket);
            return ClientAction::Idle;
        }
        let length = population.laws.session_length(session);
        let ticket = self.slots.begin_arrived(now, session, length, population.place);
        if population.course.is_some() {
            self.begin_course(now, ticket);
        }
        let step = self.begin_request(now, ticket);
        self.closed |= last;
        step
    }

    /// The session that arrives at [`Clients::next`], unless that is after the end: the time, the
    /// session's number, and whether no other session or request will follow.
    #[inline(always)]
    fn next_session(&mut self) -> Option<(Nanos, u64, bool)> {
        let now = self.next;
        if now >= self.limit.until {
            self.closed = true;
            return None;
        }
        let alone = self.populations.only().is_some();
        let population = &mut self.populations[self.next_from];
        let session = population.begin_session(self.share);
        let one_request = alone && population.laws.one_request;
        self.look_ahead();
        let last = self.next.is_never() && self.limit.until.is_never() && one_request;
        Some((now, session, last))
    }

    #[inline(always)]
    fn act(&mut self, now: Nanos, ticket: Ticket, timer: TimerKind) -> ClientAction {
        match timer {
            TimerKind::Request | TimerKind::Begin | TimerKind::Resume
                if now >= self.limit.until =>
            {
                self.closed = true;
                ClientAction::Idle
            }
            TimerKind::Begin => {
                self.begin_program(now, ticket);
                ClientAction::Idle
            }
            TimerKind::Resume => {
                self.resume_program(now, ticket);
                ClientAction::Idle
            }
            TimerKind::Request => self.begin_request(now, ticket),
            TimerKind::Retry => self.send_or_wait(now, ticket),
            TimerKind::Granted => self.send_granted(now, ticket),
            TimerKind::Copy => self.send_copy(now, ticket),
            TimerKind::Timeout => match self.slots.in_flight(ticket) {
                None => ClientAction::Idle, // answered in time
                Some(attempt) => {
                    let reply = Reply::of(Some(TIMEOUT));
                    self.landed(now, ticket, true, reply);
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
        let population = &mut self.populations[usize::from(slot.population)];
        if let Some(budget) = &mut population.budget {
            budget.earn();
        }
        let kind = match (&population.programs, &population.course) {
            (None, None) => population.laws.choose(slot.session, slot.index),
            (None, Some(_)) => slot.kind(),
            (Some(_), _) => {
                let kind = slot.kind();
                self.begin_wanted(ticket);
                kind
            }
        };
        self.slots.get_mut(ticket).begin_request(kind, now);
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

#[cfg(test)]
mod tests;
