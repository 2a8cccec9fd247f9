//! A request's attempt at one server.

use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::time::Duration;

use hyper::body::Incoming;
use hyper::{Response, StatusCode};
use tokio::time::timeout;

use crate::forwarder::Forwarder;
use crate::framing;
use crate::handover::PendingConnection;
use crate::outgoing::Outgoing;
use crate::refusal::Refusal;
use crate::server_connection::{Sent, ServerConnection};

/// How an attempt at a server failed.
#[derive(Debug)]
pub(crate) enum AttemptError {
    /// The kept connection had been closed: the server may be well.
    Stale,
    /// The client caused it.
    Client(Refusal),
    Server(Refusal),
}

/// The connection for a request.
#[derive(Debug)]
pub(crate) enum Route {
    /// One that is kept, or a new one.
    Pooled,
    Fresh,
    /// The server has gone.
    Pending(PendingConnection),
}

impl Route {
    /// The remaining time of the server, from this whole timeout. A response that has begun is in
    /// time.
    fn time_left(&self, first_byte: Duration) -> Duration {
        match self {
            Route::Pending(pending) if pending.received.is_empty() => {
                first_byte.saturating_sub(pending.since.elapsed())
            }
            _ => first_byte,
        }
    }
}

const TOO_LATE: Refusal = Refusal(504, "the server takes too long");
const UNCLEAR: Refusal = Refusal(502, "the server does not say clearly where its response ends");
const NO_ANSWER: Refusal = Refusal(502, "the server gives no answer of HTTP");

impl Forwarder {
    /// Sends a request to a server, and waits for the head of its response.
    pub(crate) async fn attempt(
        &self,
        server: SocketAddr,
        outgoing: &mut Outgoing,
        route: Route,
    ) -> Result<(Response<Incoming>, ServerConnection), AttemptError> {
        let within = route.time_left(self.settings.first_byte);
        let connection = match route {
            Route::Pending(pending) => ServerConnection::pending(pending).await,
            Route::Pooled => self.pool.take(server, false).await,
            Route::Fresh => self.pool.take(server, true).await,
        };
        let mut connection = connection.map_err(unconnected)?;
        let sent = self.send(&mut connection, outgoing, within).await?;
        let mut error = match sent {
            Ok(response) if response.status() == StatusCode::SWITCHING_PROTOCOLS => {
                return Err(AttemptError::Server(Refusal(502, "the server changes the protocol")));
            }
            Ok(mut response) => {
                if !framing::is_clear(response.headers_mut()) {
                    return Err(AttemptError::Server(UNCLEAR));
                }
                return Ok((response, connection));
            }
            Err(error) => error,
        };
        let unsent = error.take_message();
        let repeatable = outgoing.is_repeatable() && !error.error().is_parse();
        if let Some(message) = unsent {
            outgoing.take_back(message);
            let refused = AttemptError::Server(NO_ANSWER);
            return Err(if connection.used { AttemptError::Stale } else { refused });
        }
        match outgoing.progress.refusal() {
            Some((status, why)) => Err(AttemptError::Client(Refusal(status, why))),
            None if connection.used && repeatable => Err(AttemptError::Stale),
            None => Err(AttemptError::Server(NO_ANSWER)),
        }
    }

    /// Sends a request, and waits for the head of its response as long as data moves, with pauses
    /// of at most `within`.
    async fn send(
        &self,
        connection: &mut ServerConnection,
        outgoing: &mut Outgoing,
        mut within: Duration,
    ) -> Result<Sent, AttemptError> {
        let mut sending = pin!(connection.send_request(outgoing.message()));
        let mut before = 0;
        loop {
            if let Ok(sent) = timeout(within, sending.as_mut()).await {
                return Ok(sent);
            }
            // A long body that still moves is no reason to give up.
            let now = outgoing.progress.bytes();
            if now == before || outgoing.progress.is_complete() {
                return Err(AttemptError::Server(TOO_LATE));
            }
            (before, within) = (now, self.settings.first_byte);
        }
    }
}

fn unconnected(error: io::Error) -> AttemptError {
    AttemptError::Server(match error.kind() {
        io::ErrorKind::TimedOut => Refusal(504, "the server takes no connection in time"),
        _ => Refusal(502, "the server takes no connection"),
    })
}
