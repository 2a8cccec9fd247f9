//! Where it is decided which server a request goes to.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, RwLock};

use thinktime_core::error::Invalid;
use thinktime_core::policy::dispatch::{Placement, Request, Switch};
use thinktime_core::time::Nanos;
use tokio::sync::oneshot;
use tokio::time::{Instant, timeout};

use crate::closing::Health;
use crate::counts::Ledger;
use crate::news::News;
use crate::page::Labels;
use crate::plan::Plan;
use crate::settings::Settings;
use crate::term::{Member, Term};
use crate::ticket::Ticket;

/// The policy at work, with what it does not do itself: requests that wait, servers that fail.
#[derive(Debug)]
pub(crate) struct Desk {
    start: Instant,
    state: Mutex<State>,
    /// That of the state, for those who need no more of it.
    term: RwLock<Arc<Term>>,
    ledger: Mutex<Ledger>,
    connections: AtomicU64,
    pub(crate) news: News,
    pub(crate) settings: Settings,
    /// Whether servers are asked how they are.
    pub(crate) checked: bool,
}

#[derive(Debug)]
pub(crate) struct State {
    pub(crate) term: Arc<Term>,
    pub(crate) switch: Switch,
    /// Requests that the policy lets wait, the first first.
    pub(crate) waiting: VecDeque<Waiter>,
    /// By server.
    pub(crate) health: Vec<Health>,
}

#[derive(Debug)]
pub(crate) struct Waiter {
    pub(crate) request: Request,
    pub(crate) method: String,
    pub(crate) target: String,
    tell: oneshot::Sender<Result<Ticket, Unplaced>>,
}

/// What the policy says of a request.
#[derive(Debug)]
pub(crate) enum Placed {
    There(Ticket),
    /// It waits until it is told.
    Waits(oneshot::Receiver<Result<Ticket, Unplaced>>),
}

/// What the switch knows now.
#[derive(Clone, Debug)]
pub(crate) struct Known {
    /// By server.
    pub(crate) in_progress: Vec<u32>,
    pub(crate) open: Vec<bool>,
    /// Requests that wait at the switch.
    pub(crate) waiting: usize,
    /// Connections of clients.
    pub(crate) connections: u64,
    pub(crate) term: Arc<Term>,
}

/// A client's connection, until it is dropped.
#[derive(Debug)]
pub(crate) struct Connected(Arc<Desk>);

impl Drop for Connected {
    fn drop(&mut self) {
        self.0.connections.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Why a request goes nowhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unplaced {
    /// No server takes requests.
    NoServer,
    /// Too many wait at the switch.
    Full,
    /// It has waited for too long.
    Late,
}

impl Desk {
    pub(crate) fn new(plan: Plan, settings: Settings, checked: bool) -> Result<Desk, Invalid> {
        let switch = plan.switch()?;
        let mut ledger = Ledger::default();
        let counts = ledger.counts(&Labels::new(&plan));
        let members = (0..plan.servers.len()).map(|number| Arc::new(Member::new(number))).collect();
        let health = vec![Health::default(); plan.servers.len()];
        let term = Arc::new(Term { plan, counts, members });
        let state = State { term: Arc::clone(&term), switch, waiting: VecDeque::new(), health };
        Ok(Desk {
            start: Instant::now(),
            state: Mutex::new(state),
            term: RwLock::new(term),
            ledger: Mutex::new(ledger),
            connections: AtomicU64::new(0),
            news: News::default(),
            settings,
            checked,
        })
    }

    pub(crate) fn now(&self) -> Nanos {
        Nanos(self.start.elapsed().as_nanos() as u64)
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// What holds now.
    pub(crate) fn term(&self) -> Arc<Term> {
        Arc::clone(&self.term.read().unwrap_or_else(|poisoned| poisoned.into_inner()))
    }

    pub(crate) fn set_term(&self, term: Arc<Term>) {
        *self.term.write().unwrap_or_else(|poisoned| poisoned.into_inner()) = term;
    }

    /// All that is counted.
    pub(crate) fn ledger(&self) -> MutexGuard<'_, Ledger> {
        self.ledger.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// A client is there.
    pub(crate) fn connected(self: &Arc<Desk>) -> Connected {
        self.connections.fetch_add(1, Ordering::Relaxed);
        Connected(Arc::clone(self))
    }

    /// What is known of the servers and of requests that wait.
    pub(crate) fn known(&self) -> Known {
        let state = self.state();
        let servers = state.switch.servers().all();
        Known {
            term: Arc::clone(&state.term),
            in_progress: servers.iter().map(|server| server.in_progress).collect(),
            open: servers.iter().map(|server| server.open).collect(),
            connections: self.connections.load(Ordering::Relaxed),
            waiting: state.waiting.iter().filter(|waiter| !waiter.tell.is_closed()).count(),
        }
    }

    /// A place for a request, or for its wait.
    pub(crate) fn place(self: &Arc<Desk>, method: &str, target: &str) -> Result<Placed, Unplaced> {
        let term = self.term();
        let mut request = term.plan.request(method, target);
        let (now, mut state) = (self.now(), self.state());
        if !Arc::ptr_eq(&term, &state.term) {
            request = state.term.plan.request(method, target);
        }
        match state.switch.place(now, &request) {
            Placement::Server(server) => {
                Ok(Placed::There(Ticket::new(self, &state.term, server, now)))
            }
            Placement::Nowhere => Err(Unplaced::NoServer),
            Placement::Waits => {
                let (tell, told) = oneshot::channel();
                let (method, target) = (method.to_owned(), target.to_owned());
                let waiter = Waiter { request, method, target, tell };
                state.wait(waiter, self.settings.waiting_max)?;
                Ok(Placed::Waits(told))
            }
        }
    }

    /// Waits for a place, where that is to be done.
    pub(crate) async fn wait_for(&self, placed: Placed) -> Result<Ticket, Unplaced> {
        match placed {
            Placed::There(ticket) => Ok(ticket),
            Placed::Waits(told) => match timeout(self.settings.wait, told).await {
                Ok(Ok(placed)) => placed,
                _ => Err(Unplaced::Late),
            },
        }
    }

    /// A place at another server than those that were tried: the one with the fewest requests.
    pub(crate) fn place_elsewhere(self: &Arc<Desk>, tried: &[Arc<Member>]) -> Option<Ticket> {
        let (now, mut state) = (self.now(), self.state());
        let servers = state.switch.servers();
        let open = servers.open().iter().map(|server| *server as usize);
        let load = |server: &usize| {
            let known = &servers.all()[*server];
            f64::from(known.in_progress) / known.weight
        };
        let other = open
            .filter(|server| !tried.iter().any(|one| one.number() == Some(*server)))
            .min_by(|a, b| load(a).total_cmp(&load(b)).then(a.cmp(b)))?;
        state.switch.send(now, other);
        Some(Ticket::new(self, &state.term, other, now))
    }

    /// The switch sees that a request has ended: those that wait may go on.
    pub(crate) fn ended(self: &Arc<Desk>, member: &Member, response: Nanos) {
        let (now, mut state) = (self.now(), self.state());
        let Some(server) = member.number() else { return };
        state.switch.ended(now, server, response);
        self.let_go_on(now, &mut state);
    }

    /// Places those that wait, as far as the policy has places.
    pub(crate) fn let_go_on(self: &Arc<Desk>, now: Nanos, state: &mut State) {
        while let Some(next) = state.waiting.front() {
            if next.tell.is_closed() {
                state.waiting.pop_front();
                continue;
            }
            let placed = match state.switch.place(now, &next.request) {
                Placement::Waits => return,
                Placement::Nowhere => Err(Unplaced::NoServer),
                Placement::Server(server) => Ok(Ticket::new(self, &state.term, server, now)),
            };
            let Some(next) = state.waiting.pop_front() else { return };
            if let Err(Ok(ticket)) = next.tell.send(placed) {
                // Its client left just now. The ticket must not ask for the lock that is held.
                state.switch.ended(now, ticket.server, Nanos::ZERO);
                ticket.discard();
            }
        }
    }
}

impl State {
    /// Lets a request wait, if there is room.
    fn wait(&mut self, waiter: Waiter, most: usize) -> Result<(), Unplaced> {
        if self.waiting.len() >= most {
            self.waiting.retain(|waiter| !waiter.tell.is_closed());
        }
        if self.waiting.len() >= most {
            return Err(Unplaced::Full);
        }
        self.waiting.push_back(waiter);
        Ok(())
    }
}
