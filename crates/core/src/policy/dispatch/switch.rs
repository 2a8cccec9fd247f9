//! The deciding part of a switch: the servers as it knows them, and its policy.

use std::fmt::Debug;

use thinktime_file::error::Invalid;
use thinktime_file::time::Nanos;

use super::{Dispatch, Dispatcher, Probe, Request, Servers, Setting, View};
use crate::random::Stream;

/// The destination of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placement {
    /// To this server.
    Server(usize),
    /// Nowhere yet: it waits at the switch until a request ends.
    Waits,
    /// Nowhere: no server accepts requests.
    Nowhere,
}

/// Decides the destinations of requests. It learns of all events that it needs, and does nothing by
/// itself.
#[derive(Debug)]
pub struct Switch {
    servers: Servers,
    policy: Box<dyn Dispatcher>,
    random: Stream,
}

impl Switch {
    /// With this policy for idle servers. `random` is the policy's source of draws.
    ///
    /// # Errors
    /// When the policy's arguments do not fit the cluster.
    pub fn new(dispatch: &Dispatch, setting: &Setting, random: Stream) -> Result<Switch, Invalid> {
        let (servers, policy) = (Servers::new(&setting.weights), dispatch.build(setting)?);
        let mut switch = Switch { servers, policy, random };
        for server in 0..setting.weights.len() {
            switch.changed(Nanos::ZERO, server);
        }
        Ok(switch)
    }

    /// The switch's knowledge of the servers.
    #[must_use]
    pub fn servers(&self) -> &Servers {
        &self.servers
    }

    /// The destination of this request. If it is a server, the request is there from now on.
    pub fn place(&mut self, now: Nanos, request: &Request) -> Placement {
        if self.servers.open().is_empty() {
            return Placement::Nowhere;
        }
        let chosen = self.consult(now, |policy, view| policy.choose(request, view));
        let Some(server) = chosen else { return Placement::Waits };
        debug_assert!(self.servers.all()[server].open, "{self:?} chose a closed server");
        self.servers.begin(server);
        self.changed(now, server);
        Placement::Server(server)
    }

    /// A request goes to this server, whatever the policy says: it has failed at another one.
    pub fn send(&mut self, now: Nanos, server: usize) {
        self.servers.begin(server);
        self.changed(now, server);
    }

    /// A request has ended at this server, after this time.
    pub fn ended(&mut self, now: Nanos, server: usize, response: Nanos) {
        self.servers.end(server);
        self.changed(now, server);
        self.consult(now, |policy, view| policy.ended(server, response, view));
    }

    /// From now on the server accepts requests, or does not.
    pub fn set_open(&mut self, now: Nanos, server: usize, open: bool) {
        if self.servers.set_open(server, open) {
            self.changed(now, server);
        }
    }

    /// Whether any server accepts requests.
    #[must_use]
    pub fn any_open(&self) -> bool {
        !self.servers.open().is_empty()
    }

    /// The servers to be probed because a request has come.
    pub fn probes(&mut self, now: Nanos, wanted: &mut Vec<usize>) {
        wanted.clear();
        self.consult(now, |policy, view| policy.probes(view, wanted));
    }

    /// A probed server has answered.
    pub fn probed(&mut self, now: Nanos, server: usize, answer: Probe) {
        self.consult(now, |policy, view| policy.probed(server, answer, view));
    }

    fn changed(&mut self, now: Nanos, server: usize) {
        self.consult(now, |policy, view| policy.changed(server, view));
    }

    fn consult<T>(
        &mut self,
        now: Nanos,
        of: impl FnOnce(&mut dyn Dispatcher, &mut View<'_>) -> T,
    ) -> T {
        let Switch { servers, policy, random } = self;
        of(policy.as_mut(), &mut View { now, servers, random })
    }
}
