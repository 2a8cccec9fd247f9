//! How far a request has gone when it goes on by hyper.

use tokio::net::TcpStream;
use tokio::time::Instant;

use crate::dispatcher::{Assignment, PlacementError};
use crate::log::Entry;
use crate::ticket::Ticket;

/// A request that goes on by hyper.
#[derive(Debug, Default)]
pub(crate) struct Handover {
    pub(crate) entry: Option<Entry>,
    pub(crate) stage: Stage,
}

/// How far a request has gone.
#[derive(Debug, Default)]
pub(crate) enum Stage {
    #[default]
    New,
    /// The policy has been asked.
    Assignment(Result<Assignment, PlacementError>),
    /// It has a place, and perhaps it has been sent.
    AtServer(Ticket, Option<PendingConnection>),
}

/// A connection to a server over which a request has been sent.
#[derive(Debug)]
pub(crate) struct PendingConnection {
    pub(crate) stream: TcpStream,
    /// The bytes of the response so far.
    pub(crate) received: Vec<u8>,
    pub(crate) since: Instant,
}
