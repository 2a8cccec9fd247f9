//! A response under way, and the actions at its events.

use std::sync::Arc;

use crate::forwarder::Forwarder;
use crate::log::Entry;
use crate::server_connection::ServerConnection;
use crate::ticket::Ticket;
use crate::upload::Progress;

/// A response under way, and the actions at its events.
#[derive(Debug)]
pub(crate) struct ResponseRecord {
    pub(crate) forwarder: Arc<Forwarder>,
    pub(crate) upload: Progress,
    /// Bytes of the response's body.
    pub(crate) bytes: u64,
    pub(crate) server: usize,
    pub(crate) status: u16,
    pub(crate) entry: Option<Entry>,
}

impl ResponseRecord {
    /// The response has ended.
    pub(crate) fn complete(&self, ticket: &Ticket, connection: ServerConnection) {
        ticket.complete();
        // A server that answers early gets the rest of the request's body on the same connection.
        if self.upload.is_complete() {
            self.forwarder.pool.put(ticket.address(), connection);
        }
    }

    /// Nothing more of the response will go to the client: the log entry is due.
    pub(crate) fn note(&self) {
        self.forwarder.note(self.entry.as_ref(), self.status, self.bytes, Some(self.server));
    }
}
