//! Chooses the server of a request.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, RwLock};

use thinktime_core::error::Invalid;
use thinktime_core::policy::dispatch::{Placement, Request, Switch};
use thinktime_core::time::Nanos;
use tokio::sync::oneshot;
use tokio::time::{Instant, timeout};

use crate::counters::Totals;
use crate::generation::{Generation, Member};
use crate::labels::Labels;
use crate::plan::Plan;
use crate::settings::Settings;
use crate::ticket::Ticket;
use crate::transitions::Transitions;

/// The policy at work, with the rest that it does not do itself: waiting requests, failing servers.
#[derive(Debug)]
pub(crate) struct Dispatcher {
    start: Instant,
    state: Mutex<State>,
    /// The generation of the state, for readers that need nothing else of it.
    generation: RwLock<Arc<Generation>>,
    totals: Mutex<Totals>,
    connections: AtomicU64,
    pub(crate) transitions: Transitions,
    pub(crate) settings: Settings,
    /// Whether servers have health checks.
    pub(crate) checked: bool,
}

#[derive(Debug)]
pub(crate) struct State {
    pub(crate) generation: Arc<Generation>,
    pub(crate) switch: Switch,
    /// Requests that the policy lets wait, in order.
    pub(crate) waiting: VecDeque<Waiter>,
    /// By server.
    pub(crate) health: Vec<Health>,
}

/// The state of a server beside its requests.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Health {
    /// Failures since the last response.
    pub(crate) failures: u32,
    /// Health checks since the last success.
    pub(crate) misses: u32,
    pub(crate) closed: bool,
}

#[derive(Debug)]
pub(crate) struct Waiter {
    pub(crate) request: Request,
    pub(crate) method: String,
    pub(crate) target: String,
    sender: oneshot::Sender<Result<Ticket, PlacementError>>,
}

/// The server that the policy assigns to a request, or the wait for one.
#[derive(Debug)]
pub(crate) enum Assignment {
    Server(Ticket),
    /// It waits for its ticket.
    Waits(oneshot::Receiver<Result<Ticket, PlacementError>>),
}

/// The state of servers and waiting requests at one moment.
#[derive(Clone, Debug)]
pub(crate) struct Snapshot {
    /// By server.
    pub(crate) in_progress: Vec<u32>,
    pub(crate) open: Vec<bool>,
    /// Requests that wait at the switch.
    pub(crate) waiting: usize,
    /// Connections of clients.
    pub(crate) connections: u64,
    pub(crate) generation: Arc<Generation>,
}

/// A client's connection, until it is dropped.
#[derive(Debug)]
pub(crate) struct OpenConnection(Arc<Dispatcher>);

impl Drop for OpenConnection {
    fn drop(&mut self) {
        self.0.connections.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Why a request gets no server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PlacementError {
    /// No server accepts requests.
    NoServer,
    /// Too many wait at the switch.
    Full,
    /// It has waited for too long.
    Late,
}

impl Dispatcher {
    pub(crate) fn new(
        plan: Plan,
        settings: Settings,
        checked: bool,
    ) -> Result<Dispatcher, Invalid> {
        let switch = plan.switch()?;
        let mut totals = Totals::default();
        let counts = totals.counts(&Labels::new(&plan));
        let members = (0..plan.servers.len()).map(|number| Arc::new(Member::new(number))).collect();
        let health = vec![Health::default(); plan.servers.len()];
        let generation = Arc::new(Generation { plan, counts, members });
        let state =
            State { generation: Arc::clone(&generation), switch, waiting: VecDeque::new(), health };
        Ok(Dispatcher {
            start: Instant::now(),
            state: Mutex::new(state),
            generation: RwLock::new(generation),
            totals: Mutex::new(totals),
            connections: AtomicU64::new(0),
            transitions: Transitions::default(),
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

    /// The current generation.
    pub(crate) fn generation(&self) -> Arc<Generation> {
        Arc::clone(&self.generation.read().unwrap_or_else(|poisoned| poisoned.into_inner()))
    }

    pub(crate) fn set_generation(&self, generation: Arc<Generation>) {
        *self.generation.write().unwrap_or_else(|poisoned| poisoned.into_inner()) = generation;
    }

    /// All counters.
    pub(crate) fn totals(&self) -> MutexGuard<'_, Totals> {
        self.totals.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// A client has connected.
    pub(crate) fn open_connection(self: &Arc<Dispatcher>) -> OpenConnection {
        self.connections.fetch_add(1, Ordering::Relaxed);
        OpenConnection(Arc::clone(self))
    }

    /// The state of the servers and of waiting requests.
    pub(crate) fn snapshot(&self) -> Snapshot {
        let state = self.state();
        let servers = state.switch.servers().all();
        Snapshot {
            generation: Arc::clone(&state.generation),
            in_progress: servers.iter().map(|server| server.in_progress).collect(),
            open: servers.iter().map(|server| server.open).collect(),
            connections: self.connections.load(Ordering::Relaxed),
            waiting: state.waiting.iter().filter(|waiter| !waiter.sender.is_closed()).count(),
        }
    }

    /// A place for a request, or for its wait.
    pub(crate) fn place(
        self: &Arc<Dispatcher>,
        method: &str,
        target: &str,
    ) -> Result<Assignment, PlacementError> {
        let generation = self.generation();
        let mut request = generation.plan.request(method, target);
        let (now, mut state) = (self.now(), self.state());
        if !Arc::ptr_eq(&generation, &state.generation) {
            request = state.generation.plan.request(method, target);
        }
        match state.switch.place(now, &request) {
            Placement::Server(server) => {
                Ok(Assignment::Server(Ticket::new(self, &state.generation, server, now)))
            }
            Placement::Nowhere => Err(PlacementError::NoServer),
            Placement::Waits => {
                let (sender, receiver) = oneshot::channel();
                let (method, target) = (method.to_owned(), target.to_owned());
                let waiter = Waiter { request, method, target, sender };
                state.wait(waiter, self.settings.waiting_max)?;
                Ok(Assignment::Waits(receiver))
            }
        }
    }

    /// Waits for a place, if necessary.
    pub(crate) async fn wait_for(&self, assignment: Assignment) -> Result<Ticket, PlacementError> {
        match assignment {
            Assignment::Server(ticket) => Ok(ticket),
            Assignment::Waits(receiver) => match timeout(self.settings.wait, receiver).await {
                Ok(Ok(assignment)) => assignment,
                _ => Err(PlacementError::Late),
            },
        }
    }

    /// A place at a server not yet tried: the one with the fewest requests.
    pub(crate) fn place_at_other(self: &Arc<Dispatcher>, tried: &[Arc<Member>]) -> Option<Ticket> {
        let (now, mut state) = (self.now(), self.state());
        let servers = state.switch.servers();
        let open = servers.open().iter().map(|server| *server as usize);
        let load = |server: &usize| {
            let entry = &servers.all()[*server];
            f64::from(entry.in_progress) / entry.weight
        };
        let other = open
            .filter(|server| !tried.iter().any(|one| one.number() == Some(*server)))
            .min_by(|a, b| load(a).total_cmp(&load(b)).then(a.cmp(b)))?;
        state.switch.send(now, other);
        Some(Ticket::new(self, &state.generation, other, now))
    }

    /// The switch sees that a request has ended: waiting ones may continue.
    pub(crate) fn end_request(self: &Arc<Dispatcher>, member: &Member, response: Nanos) {
        let (now, mut state) = (self.now(), self.state());
        let Some(server) = member.number() else { return };
        state.switch.ended(now, server, response);
        self.place_waiting(now, &mut state);
    }

    /// Places waiting requests, as far as the policy has places.
    pub(crate) fn place_waiting(self: &Arc<Dispatcher>, now: Nanos, state: &mut State) {
        while let Some(next) = state.waiting.front() {
            if next.sender.is_closed() {
                state.waiting.pop_front();
                continue;
            }
            let assignment = match state.switch.place(now, &next.request) {
                Placement::Waits => return,
                Placement::Nowhere => Err(PlacementError::NoServer),
                Placement::Server(server) => Ok(Ticket::new(self, &state.generation, server, now)),
            };
            let Some(next) = state.waiting.pop_front() else { return };
            if let Err(Ok(ticket)) = next.sender.send(assignment) {
                // Its client left just now. The ticket must not take the lock that is held.
                state.switch.ended(now, ticket.server, Nanos::ZERO);
                ticket.discard();
            }
        }
    }
}

impl State {
    /// Lets a request wait, if there is room.
    fn wait(&mut self, waiter: Waiter, most: usize) -> Result<(), PlacementError> {
        if self.waiting.len() >= most {
            self.waiting.retain(|waiter| !waiter.sender.is_closed());
        }
        if self.waiting.len() >= most {
            return Err(PlacementError::Full);
        }
        self.waiting.push_back(waiter);
        Ok(())
    }
}
