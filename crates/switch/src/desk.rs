//! Where it is decided which server a request goes to.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use thinktime_core::error::Invalid;
use thinktime_core::policy::dispatch::{Placement, Request, Switch};
use thinktime_core::time::Nanos;
use tokio::runtime::Handle;
use tokio::sync::oneshot;
use tokio::time::{Instant, sleep, timeout};

use crate::closing::Health;
use crate::plan::Plan;
use crate::settings::Settings;

/// The policy at work, with what it does not do itself: requests that wait, servers that fail.
#[derive(Debug)]
pub(crate) struct Desk {
    start: Instant,
    state: Mutex<State>,
    seen_after: Duration,
    pub(crate) settings: Settings,
    /// Whether servers are asked how they are.
    pub(crate) checked: bool,
}

#[derive(Debug)]
pub(crate) struct State {
    pub(crate) switch: Switch,
    /// Requests that the policy lets wait, the first first.
    waiting: VecDeque<Waiter>,
    /// By server.
    pub(crate) health: Vec<Health>,
}

#[derive(Debug)]
struct Waiter {
    request: Request,
    tell: oneshot::Sender<Result<Ticket, Unplaced>>,
}

/// What the switch knows now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Known {
    /// By server.
    pub(crate) in_progress: Vec<u32>,
    pub(crate) open: Vec<bool>,
    /// Requests that wait at the switch.
    pub(crate) waiting: usize,
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

/// A request's place at a server, until it is dropped.
#[derive(Debug)]
pub(crate) struct Ticket {
    desk: Arc<Desk>,
    pub(crate) server: usize,
    since: Nanos,
    void: bool,
}

impl Ticket {
    /// How long ago the request was placed.
    pub(crate) fn age(&self) -> Duration {
        Duration::from_nanos(self.desk.now().since(self.since).0)
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        if self.void {
            return;
        }
        let desk = Arc::clone(&self.desk);
        let (server, response) = (self.server, desk.now().since(self.since));
        match Handle::try_current() {
            Ok(runtime) if !desk.seen_after.is_zero() => {
                runtime.spawn(async move {
                    sleep(desk.seen_after).await;
                    desk.ended(server, response);
                });
            }
            _ => desk.ended(server, response),
        }
    }
}

impl Desk {
    pub(crate) fn new(plan: &Plan, settings: Settings, checked: bool) -> Result<Desk, Invalid> {
        let switch = plan.switch()?;
        let health = vec![Health::default(); plan.servers.len()];
        let seen_after = Duration::from_nanos(plan.cluster.seen_after.0);
        let state = Mutex::new(State { switch, waiting: VecDeque::new(), health });
        Ok(Desk { start: Instant::now(), state, seen_after, settings, checked })
    }

    pub(crate) fn now(&self) -> Nanos {
        Nanos(self.start.elapsed().as_nanos() as u64)
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// What is known of the servers and of requests that wait.
    pub(crate) fn known(&self) -> Known {
        let state = self.state();
        let servers = state.switch.servers().all();
        Known {
            in_progress: servers.iter().map(|server| server.in_progress).collect(),
            open: servers.iter().map(|server| server.open).collect(),
            waiting: state.waiting.iter().filter(|waiter| !waiter.tell.is_closed()).count(),
        }
    }

    /// A place for a request, which may have to wait for it.
    pub(crate) async fn place(self: &Arc<Desk>, request: &Request) -> Result<Ticket, Unplaced> {
        let told = {
            let (now, mut state) = (self.now(), self.state());
            match state.switch.place(now, request) {
                Placement::Server(server) => return Ok(self.ticket(server, now)),
                Placement::Nowhere => return Err(Unplaced::NoServer),
                Placement::Waits => state.wait(request, self.settings.waiting_max)?,
            }
        };
        match timeout(self.settings.wait, told).await {
            Ok(Ok(placed)) => placed,
            _ => Err(Unplaced::Late),
        }
    }

    /// A place at another server than those that were tried: the one with the fewest requests.
    pub(crate) fn place_elsewhere(self: &Arc<Desk>, tried: &[usize]) -> Option<Ticket> {
        let (now, mut state) = (self.now(), self.state());
        let servers = state.switch.servers();
        let open = servers.open().iter().map(|server| *server as usize);
        let load = |server: &usize| {
            let known = &servers.all()[*server];
            f64::from(known.in_progress) / known.weight
        };
        let other = open
            .filter(|server| !tried.contains(server))
            .min_by(|a, b| load(a).total_cmp(&load(b)).then(a.cmp(b)))?;
        state.switch.send(now, other);
        Some(self.ticket(other, now))
    }

    fn ticket(self: &Arc<Desk>, server: usize, since: Nanos) -> Ticket {
        Ticket { desk: Arc::clone(self), server, since, void: false }
    }

    /// The switch sees that a request has ended: those that wait may go on.
    fn ended(self: &Arc<Desk>, server: usize, response: Nanos) {
        let (now, mut state) = (self.now(), self.state());
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
                Placement::Server(server) => Ok(self.ticket(server, now)),
            };
            let Some(next) = state.waiting.pop_front() else { return };
            if let Err(Ok(mut ticket)) = next.tell.send(placed) {
                // Its client left just now. The ticket must not ask for the lock that is held.
                ticket.void = true;
                state.switch.ended(now, ticket.server, Nanos::ZERO);
            }
        }
    }
}

impl State {
    /// Lets a request wait, if there is room.
    fn wait(
        &mut self,
        request: &Request,
        most: usize,
    ) -> Result<oneshot::Receiver<Result<Ticket, Unplaced>>, Unplaced> {
        if self.waiting.len() >= most {
            self.waiting.retain(|waiter| !waiter.tell.is_closed());
        }
        if self.waiting.len() >= most {
            return Err(Unplaced::Full);
        }
        let (tell, told) = oneshot::channel();
        self.waiting.push_back(Waiter { request: *request, tell });
        Ok(told)
    }
}
