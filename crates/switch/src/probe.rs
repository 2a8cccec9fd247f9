//! Servers are asked how much they have to do, for policies that must be told.

use std::future::poll_fn;
use std::sync::Arc;
use std::time::Duration;

use hyper::Response;
use hyper::body::Incoming;
use thinktime_core::policy::dispatch::Probe;
use tokio::time::timeout;

use crate::desk::Desk;
use crate::forward::Lane;
use crate::framing;
use crate::link::Link;
use crate::term::{Member, Term};

/// How long an answer may take: what is older is of no use to any policy.
const WITHIN: Duration = Duration::from_secs(1);
/// After so many probes without any answer it is said.
const IN_VAIN: u64 = 10;
/// The most bytes of an answer.
const BYTES_MAX: usize = 4096;

impl Lane {
    /// Asks the servers of which the policy wants to hear, because a request has come. What they
    /// answer is of use to later requests.
    pub(crate) fn probe(self: &Arc<Lane>) {
        for (term, server) in self.desk.to_be_asked() {
            let Some(asking) = term.members[server].asking() else { continue };
            let lane = Arc::clone(self);
            tokio::spawn(async move {
                let answered = timeout(WITHIN, lane.answer_of(&term, server)).await;
                let told = answered.ok().flatten();
                let in_vain = term.counts.servers[server].probed(told.is_some());
                if in_vain == Some(IN_VAIN) {
                    let url = &term.plan.servers[server].url;
                    lane.desk.news.say(format!(
                        "server {server} ({url}) has answered none of {IN_VAIN} probes: the policy \
                         knows nothing of it"
                    ));
                }
                if let Some(told) = told {
                    lane.desk.probed(&term.members[server], told);
                }
                drop(asking);
            });
        }
    }

    async fn answer_of(&self, term: &Term, server: usize) -> Option<Probe> {
        let server = &term.plan.servers[server];
        let request = term.plan.probe.as_ref()?.to(server).ok()?;
        let mut link = self.links.take(server.address, false).await.ok()?;
        let mut response = link.ask(request).await.ok()?;
        if !response.status().is_success() || !framing::is_clear(response.headers_mut()) {
            return None;
        }
        let bytes = whole(response, &mut link).await?;
        self.links.give(server.address, link);
        Probe::from_json(&bytes)
    }
}

/// The body of a response that comes over a link, unless it is broken or longer than an answer may
/// be.
async fn whole(response: Response<Incoming>, link: &mut Link) -> Option<Vec<u8>> {
    let mut body = response.into_body();
    let mut bytes = Vec::new();
    while let Some(frame) = poll_fn(|context| link.poll_body(&mut body, context)).await {
        if let Ok(data) = frame.ok()?.into_data() {
            bytes.extend_from_slice(&data);
        }
        if bytes.len() > BYTES_MAX {
            return None;
        }
    }
    Some(bytes)
}

impl Desk {
    /// The servers of which the policy wants to hear now.
    fn to_be_asked(&self) -> Vec<(Arc<Term>, usize)> {
        let mut wanted = Vec::new();
        let term = self.term();
        if term.plan.asks() {
            let (now, mut state) = (self.now(), self.state());
            // After a reload the policy is another one, and its servers are.
            if Arc::ptr_eq(&term, &state.term) {
                state.switch.probes(now, &mut wanted);
            }
        }
        wanted.into_iter().map(|server| (Arc::clone(&term), server)).collect()
    }

    /// A server has answered.
    fn probed(&self, member: &Member, told: Probe) {
        let (now, mut state) = (self.now(), self.state());
        let Some(server) = member.number() else { return };
        state.switch.probed(now, server, told);
    }
}
