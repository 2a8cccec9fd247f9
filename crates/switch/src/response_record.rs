//! A response on its way, and what is to be done about it.

use std::sync::Arc;

use crate::forwarder::Forwarder;
use crate::log::Entry;
use crate::server_connection::ServerConnection;
use crate::ticket::Ticket;
use crate::upload::Progress;

/// A response on its way, and what is to be done about it.
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
    /// The response has come to its end.
    pub(crate) fn complete(&self, ticket: &Ticket, connection: ServerConnection) {
        ticket.complete();
        // Who answers early gets the rest of the request's body on the same connection.
        if self.upload.is_complete() {
            self.forwarder.pool.put(ticket.address(), connection);
        }
    }

    /// Nothing more of the response will go to the client: it is time to say so in the log.
    pub(crate) fn note(&self) {
        self.forwarder.note(self.entry.as_ref(), self.status, self.bytes, Some(self.server));
    }
}
