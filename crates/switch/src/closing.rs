//! Servers that are not well get no requests until they are well again.

use std::sync::Arc;

use tokio::time::sleep;

use crate::desk::{Desk, State};
use crate::term::Member;

/// What is known of a server beside its requests.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Health {
    /// Failures since the last response.
    failures: u32,
    /// Health checks since the last one that found it well.
    misses: u32,
    closed: bool,
}

impl Desk {
    /// A server has answered.
    pub(crate) fn answered(&self, member: &Member) {
        let mut state = self.state();
        let Some(server) = member.number() else { return };
        state.health[server].failures = 0;
    }

    /// A server has failed: after some failures one after another it gets no requests for a while,
    /// or until a health check finds it well.
    pub(crate) fn failed(self: &Arc<Desk>, member: &Arc<Member>) {
        let mut state = self.state();
        let Some(server) = member.number() else { return };
        let failures = &mut state.health[server].failures;
        *failures = failures.saturating_add(1);
        let closes = *failures >= self.settings.failures;
        let why = format!("{failures} failures one after another");
        if !closes || !self.set_open(&mut state, server, false, &why) || self.checked {
            return;
        }
        let (desk, member) = (Arc::clone(self), Arc::clone(member));
        tokio::spawn(async move {
            sleep(desk.settings.closed_for).await;
            let mut state = desk.state();
            if let Some(server) = member.number() {
                desk.set_open(&mut state, server, true, "its time is over");
            }
        });
    }

    /// A server was asked how it is, and what it answered. Some bad answers one after another close
    /// it, whatever its requests say; one good answer opens it.
    pub(crate) fn asked(self: &Arc<Desk>, member: &Member, well: bool, answer: &str) {
        let mut state = self.state();
        let Some(server) = member.number() else { return };
        let misses = &mut state.health[server].misses;
        *misses = if well { 0 } else { misses.saturating_add(1) };
        if well || *misses >= self.settings.failures {
            self.set_open(&mut state, server, well, answer);
        }
    }

    /// From now on a server gets requests, or none. Whether that is new.
    fn set_open(self: &Arc<Desk>, state: &mut State, server: usize, open: bool, why: &str) -> bool {
        let health = &mut state.health[server];
        if health.closed != open {
            return false;
        }
        health.closed = !open;
        if open {
            // If failures closed it, another one closes it at once.
            health.failures = health.failures.min(self.settings.failures.saturating_sub(1));
        }
        let now = self.now();
        state.switch.set_open(now, server, open);
        self.let_go_on(now, state);
        let url = &state.term.plan.servers[server].url;
        let gets = if open { "requests again" } else { "no requests" };
        self.news.say(format!("server {server} ({url}) gets {gets}: {why}"));
        if !state.switch.any_open() {
            self.news.say("no server gets requests: all are answered with 503".to_owned());
        }
        true
    }
}
