//! Probes of the load of servers, for policies that need it.

use std::future::poll_fn;
use std::sync::Arc;
use std::time::Duration;

use hyper::Response;
use hyper::body::Incoming;
use thinktime_core::policy::dispatch::Probe;
use tokio::time::timeout;

use crate::check_request::check_request;
use crate::dispatcher::Dispatcher;
use crate::forwarder::Forwarder;
use crate::framing;
use crate::generation::{Generation, Member};
use crate::server_connection::ServerConnection;

/// The longest wait for an answer: older ones are useless for any policy.
const WITHIN: Duration = Duration::from_secs(1);
/// The number of probes without any answer that is reported.
const IN_VAIN: u64 = 10;
/// The most bytes of an answer.
const BYTES_MAX: usize = 4096;

impl Forwarder {
    /// Probes the servers that the policy asks for, at the arrival of a request. The answers serve
    /// later requests.
    pub(crate) fn probe(self: &Arc<Forwarder>) {
        for (generation, server) in self.dispatcher.servers_to_probe() {
            let Some(slot) = generation.members[server].probe_slot() else { continue };
            let forwarder = Arc::clone(self);
            tokio::spawn(async move {
                let answered = timeout(WITHIN, forwarder.answer_of(&generation, server)).await;
                let answer = answered.ok().flatten();
                let in_vain = generation.counts.servers[server].count_probe(answer.is_some());
                if in_vain == Some(IN_VAIN) {
                    let url = &generation.plan.servers[server].url;
                    forwarder.dispatcher.transitions.push(format!(
                        "server {server} ({url}) has answered none of {IN_VAIN} probes: the policy \
                         knows nothing of it"
                    ));
                }
                if let Some(answer) = answer {
                    forwarder.dispatcher.note_probe(&generation.members[server], answer);
                }
                drop(slot);
            });
        }
    }

    async fn answer_of(&self, generation: &Generation, server: usize) -> Option<Probe> {
        let server = &generation.plan.servers[server];
        let request = check_request(generation.plan.probe.as_ref()?, server).ok()?;
        let mut connection = self.pool.take(server.address, false).await.ok()?;
        let mut response = connection.send_request(request).await.ok()?;
        if !response.status().is_success() || !framing::is_clear(response.headers_mut()) {
            return None;
        }
        let bytes = collect(response, &mut connection).await?;
        self.pool.put(server.address, connection);
        Probe::from_json(&bytes)
    }
}

/// The body of a response over a connection, unless it is broken or too long.
async fn collect(
    response: Response<Incoming>,
    connection: &mut ServerConnection,
) -> Option<Vec<u8>> {
    let mut body = response.into_body();
    let mut bytes = Vec::new();
    while let Some(frame) = poll_fn(|context| connection.poll_body(&mut body, context)).await {
        if let Ok(data) = frame.ok()?.into_data() {
            bytes.extend_from_slice(&data);
        }
        if bytes.len() > BYTES_MAX {
            return None;
        }
    }
    Some(bytes)
}

impl Dispatcher {
    /// The servers whose load the policy needs now.
    fn servers_to_probe(&self) -> Vec<(Arc<Generation>, usize)> {
        let mut wanted = Vec::new();
        let generation = self.generation();
        if generation.plan.needs_probes() {
            let (now, mut state) = (self.now(), self.state());
            // After a reload the policy and its servers are other ones.
            if Arc::ptr_eq(&generation, &state.generation) {
                state.switch.probes(now, &mut wanted);
            }
        }
        wanted.into_iter().map(|server| (Arc::clone(&generation), server)).collect()
    }

    /// A server has answered.
    fn note_probe(&self, member: &Member, answer: Probe) {
        let (now, mut state) = (self.now(), self.state());
        let Some(server) = member.number() else { return };
        state.switch.probed(now, server, answer);
    }
}
