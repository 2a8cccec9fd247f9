//! The progress of a request when hyper takes over.

use tokio::net::TcpStream;
use tokio::time::Instant;

use crate::dispatcher::{Assignment, PlacementError};
use crate::log::Entry;
use crate::ticket::Ticket;

/// A request that hyper takes over.
#[derive(Debug, Default)]
pub(crate) struct Handover {
    pub(crate) entry: Option<Entry>,
    pub(crate) stage: Stage,
}

/// The progress of a request.
#[derive(Debug, Default)]
pub(crate) enum Stage {
    #[default]
    New,
    /// The policy has been asked.
    Assignment(Result<Assignment, PlacementError>),
    /// It has a place, and may have been sent.
    AtServer(Ticket, Option<PendingConnection>),
}

/// A connection to a server that carries a sent request.
#[derive(Debug)]
pub(crate) struct PendingConnection {
    pub(crate) stream: TcpStream,
    /// The bytes of the response so far.
    pub(crate) received: Vec<u8>,
    pub(crate) since: Instant,
}
