//! The resources with which one thread forwards.

use std::sync::{Arc, Mutex, MutexGuard};

use tokio::net::TcpStream;

use crate::dispatcher::Dispatcher;
use crate::log::{AccessLog, Entry};
use crate::scratch::Scratch;
use crate::server_pool::ServerPool;
use crate::settings::Settings;
use crate::ticket::Ticket;

/// The resources with which one thread forwards.
#[derive(Debug)]
pub(crate) struct Forwarder {
    pub(crate) settings: Settings,
    pub(crate) dispatcher: Arc<Dispatcher>,
    pub(crate) log: Option<Arc<AccessLog>>,
    pub(crate) pool: ServerPool,
    pub(crate) scratch: Mutex<Scratch>,
}

impl Forwarder {
    /// A simple response is complete.
    pub(crate) fn complete_simple(&self, ticket: &Ticket, server: TcpStream) {
        ticket.note_response();
        self.dispatcher.generation().counts.policy.count_answer(true);
        ticket.complete();
        self.pool.put_socket(ticket.address(), server);
    }

    pub(crate) fn scratch(&self) -> MutexGuard<'_, Scratch> {
        self.scratch.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// Writes a line of the access log, if configured.
    pub(crate) fn note(
        &self,
        entry: Option<&Entry>,
        status: u16,
        bytes: u64,
        server: Option<usize>,
    ) {
        if let (Some(log), Some(entry)) = (&self.log, entry) {
            log.write(entry, status, bytes, server);
        }
    }
}
