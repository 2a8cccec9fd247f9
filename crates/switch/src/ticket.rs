//! A request's place at a server.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use thinktime_core::time::Nanos;
use tokio::runtime::Handle;
use tokio::time::sleep;

use crate::counters::ServerCounters;
use crate::dispatcher::Dispatcher;
use crate::generation::{Generation, Member};

/// A request's place at a server, until it is dropped.
#[derive(Debug)]
pub(crate) struct Ticket {
    dispatcher: Arc<Dispatcher>,
    /// The generation in which it was placed.
    generation: Arc<Generation>,
    pub(crate) server: usize,
    since: Nanos,
    void: bool,
}

impl Ticket {
    pub(crate) fn new(
        dispatcher: &Arc<Dispatcher>,
        generation: &Arc<Generation>,
        server: usize,
        since: Nanos,
    ) -> Ticket {
        Ticket {
            dispatcher: Arc::clone(dispatcher),
            generation: Arc::clone(generation),
            server,
            since,
            void: false,
        }
    }

    /// Drops it without telling the dispatcher.
    pub(crate) fn discard(mut self) {
        self.void = true;
    }

    pub(crate) fn member(&self) -> &Arc<Member> {
        &self.generation.members[self.server]
    }

    fn counts(&self) -> &ServerCounters {
        &self.generation.counts.servers[self.server]
    }

    /// The address of the server.
    pub(crate) fn address(&self) -> SocketAddr {
        self.generation.plan.servers[self.server].address
    }

    /// The server has answered.
    pub(crate) fn note_response(&self) {
        self.counts().count_forward();
        self.dispatcher.note_response(self.member());
    }

    /// The server has failed.
    pub(crate) fn note_failure(&self) {
        self.counts().count_failure();
        self.dispatcher.note_failure(self.member());
    }

    /// The response has ended.
    pub(crate) fn complete(&self) {
        let took = Duration::from_nanos(self.dispatcher.now().since(self.since).0);
        self.counts().count_response(took);
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        if self.void {
            return;
        }
        let (dispatcher, member) = (Arc::clone(&self.dispatcher), Arc::clone(self.member()));
        let (response, later) = (dispatcher.now().since(self.since), self.generation.seen_after());
        match Handle::try_current() {
            Ok(runtime) if !later.is_zero() => {
                runtime.spawn(async move {
                    sleep(later).await;
                    dispatcher.end_request(&member, response);
                });
            }
            _ => dispatcher.end_request(&member, response),
        }
    }
}
