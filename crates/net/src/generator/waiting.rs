//! What waits for the end of a TLS handshake, in which the server chooses the protocol.

use std::collections::VecDeque;

use thinktime_core::client::Attempt;

use super::connector::Connector;
use super::exchange::Exchange;
use super::messenger::Upgrade;
use crate::protocol::Keeping;

/// What waits for the end of the handshake.
pub(super) struct Waiting {
    pub(super) exchanges: VecDeque<Exchange>,
    /// How many may wait.
    room: usize,
    /// How many streams the server is expected to allow, should it choose HTTP/2.
    pub(super) streams: usize,
    /// What is kept of responses.
    pub(super) keeping: Keeping,
    /// The WebSocket that is to be opened then, if it is one.
    pub(super) upgrade: Option<Upgrade>,
}

impl Waiting {
    pub(super) fn new(connector: &mut Connector) -> Waiting {
        let many = connector.expects_http2 && !connector.once;
        Waiting {
            exchanges: VecDeque::new(),
            room: if many { connector.streams } else { 1 },
            streams: connector.streams,
            keeping: connector.keeping,
            upgrade: connector.upgrade(),
        }
    }

    pub(super) fn has_room(&self) -> bool {
        self.exchanges.len() < self.room
    }

    /// Gives an attempt up: its exchange, and whether the connection is to be closed.
    pub(super) fn give_up(&mut self, attempt: &Attempt) -> Option<(Exchange, bool)> {
        let at = self.exchanges.iter().position(|exchange| exchange.attempt == *attempt)?;
        let exchange = self.exchanges.remove(at)?;
        Some((exchange, self.exchanges.is_empty()))
    }
}
