//! A request's place at a server.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use thinktime_core::time::Nanos;
use tokio::runtime::Handle;
use tokio::time::sleep;

use crate::counts::OfServer;
use crate::desk::Desk;
use crate::term::{Member, Term};

/// A request's place at a server, until it is dropped.
#[derive(Debug)]
pub(crate) struct Ticket {
    desk: Arc<Desk>,
    /// Under which it was placed.
    term: Arc<Term>,
    pub(crate) server: usize,
    since: Nanos,
    void: bool,
}

impl Ticket {
    pub(crate) fn new(desk: &Arc<Desk>, term: &Arc<Term>, server: usize, since: Nanos) -> Ticket {
        Ticket { desk: Arc::clone(desk), term: Arc::clone(term), server, since, void: false }
    }

    /// Drops it without a word to the desk.
    pub(crate) fn discard(mut self) {
        self.void = true;
    }

    pub(crate) fn member(&self) -> &Arc<Member> {
        &self.term.members[self.server]
    }

    fn counts(&self) -> &OfServer {
        &self.term.counts.servers[self.server]
    }

    /// Where the server listens.
    pub(crate) fn address(&self) -> SocketAddr {
        self.term.plan.servers[self.server].address
    }

    /// The server has answered.
    pub(crate) fn answered(&self) {
        self.counts().forwarded();
        self.desk.answered(self.member());
    }

    /// The server has failed.
    pub(crate) fn failed(&self) {
        self.counts().failed();
        self.desk.failed(self.member());
    }

    /// The response has come to its end.
    pub(crate) fn complete(&self) {
        let took = Duration::from_nanos(self.desk.now().since(self.since).0);
        self.counts().complete(took);
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        if self.void {
            return;
        }
        let (desk, member) = (Arc::clone(&self.desk), Arc::clone(self.member()));
        let (response, later) = (desk.now().since(self.since), self.term.seen_after());
        match Handle::try_current() {
            Ok(runtime) if !later.is_zero() => {
                runtime.spawn(async move {
                    sleep(later).await;
                    desk.ended(&member, response);
                });
            }
            _ => desk.ended(&member, response),
        }
    }
}
