//! Unhealthy servers get no requests until they have recovered.

use std::sync::Arc;

use tokio::time::sleep;

use crate::dispatcher::{Dispatcher, State};
use crate::generation::Member;

impl Dispatcher {
    /// A server has answered.
    pub(crate) fn note_response(&self, member: &Member) {
        let mut state = self.state();
        let Some(server) = member.number() else { return };
        state.health[server].failures = 0;
    }

    /// A server has failed: after some consecutive failures it gets no requests for a while, or
    /// until a health check succeeds.
    pub(crate) fn note_failure(self: &Arc<Dispatcher>, member: &Arc<Member>) {
        let mut state = self.state();
        let Some(server) = member.number() else { return };
        let failures = &mut state.health[server].failures;
        *failures = failures.saturating_add(1);
        let closes = *failures >= self.settings.failures;
        let why = format!("{failures} failures in a row");
        if !closes || !self.set_open(&mut state, server, false, &why) || self.checked {
            return;
        }
        let (dispatcher, member) = (Arc::clone(self), Arc::clone(member));
        tokio::spawn(async move {
            sleep(dispatcher.settings.closed_for).await;
            let mut state = dispatcher.state();
            if let Some(server) = member.number() {
                dispatcher.set_open(&mut state, server, true, "its time without requests is over");
            }
        });
    }

    /// The result of a server's health check. Some consecutive failures close it, independent of
    /// its requests; one success opens it.
    pub(crate) fn note_check(self: &Arc<Dispatcher>, member: &Member, well: bool, answer: &str) {
        let mut state = self.state();
        let Some(server) = member.number() else { return };
        let misses = &mut state.health[server].misses;
        *misses = if well { 0 } else { misses.saturating_add(1) };
        if well || *misses >= self.settings.failures {
            self.set_open(&mut state, server, well, answer);
        }
    }

    /// Opens or closes a server for requests; says whether that is a change.
    fn set_open(
        self: &Arc<Dispatcher>,
        state: &mut State,
        server: usize,
        open: bool,
        why: &str,
    ) -> bool {
        let health = &mut state.health[server];
        if health.closed != open {
            return false;
        }
        health.closed = !open;
        if open {
            // If failures closed it, another one closes it again at once.
            health.failures = health.failures.min(self.settings.failures.saturating_sub(1));
        }
        let now = self.now();
        state.switch.set_open(now, server, open);
        self.place_waiting(now, state);
        let url = &state.generation.plan.servers[server].url;
        let gets = if open { "requests again" } else { "no requests" };
        self.transitions.push(format!("server {server} ({url}) gets {gets}: {why}"));
        if !state.switch.any_open() {
            self.transitions.push("no server gets requests: all are answered with 503".to_owned());
        }
        true
    }
}
