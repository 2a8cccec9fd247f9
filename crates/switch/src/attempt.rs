//! A request's attempt at one server.

use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::time::Duration;

use hyper::body::Incoming;
use hyper::{Response, StatusCode};
use tokio::time::timeout;

use crate::direct::Asked;
use crate::forward::{Lane, Refusal};
use crate::framing;
use crate::link::{Link, Sent};
use crate::outgoing::Outgoing;

/// How an attempt at a server failed.
#[derive(Debug)]
pub(crate) enum Failed {
    /// The kept connection had been closed: the server may be well.
    Stale,
    /// It is the client's doing.
    Client(Refusal),
    Server(Refusal),
}

/// By which connection a request goes.
#[derive(Debug)]
pub(crate) enum Way {
    /// One that is kept, or a new one.
    Kept,
    Fresh,
    /// It has gone.
    Asked(Asked),
}

impl Way {
    /// How long the server may take from now on, of so long in all. A response that has begun is
    /// in time.
    fn time_left(&self, first_byte: Duration) -> Duration {
        match self {
            Way::Asked(asked) if asked.came.is_empty() => {
                first_byte.saturating_sub(asked.since.elapsed())
            }
            _ => first_byte,
        }
    }
}

const TOO_LATE: Refusal = Refusal(504, "the server takes too long");
const UNCLEAR: Refusal = Refusal(502, "the server does not say clearly where its response ends");
const NO_ANSWER: Refusal = Refusal(502, "the server gives no answer of HTTP");

impl Lane {
    /// Sends a request to a server, and waits for the head of its response.
    pub(crate) async fn attempt(
        &self,
        server: SocketAddr,
        outgoing: &mut Outgoing,
        way: Way,
    ) -> Result<(Response<Incoming>, Link), Failed> {
        let within = way.time_left(self.settings.first_byte);
        let link = match way {
            Way::Asked(asked) => Link::asked(asked).await,
            Way::Kept => self.links.take(server, false).await,
            Way::Fresh => self.links.take(server, true).await,
        };
        let mut link = link.map_err(unconnected)?;
        let sent = self.send(&mut link, outgoing, within).await?;
        let mut error = match sent {
            Ok(response) if response.status() == StatusCode::SWITCHING_PROTOCOLS => {
                return Err(Failed::Server(Refusal(502, "the server changes the protocol")));
            }
            Ok(mut response) => {
                let clear = framing::is_clear(response.headers_mut());
                return if clear { Ok((response, link)) } else { Err(Failed::Server(UNCLEAR)) };
            }
            Err(error) => error,
        };
        let unsent = error.take_message();
        let repeatable = outgoing.is_repeatable() && !error.error().is_parse();
        if let Some(message) = unsent {
            outgoing.take_back(message);
            return Err(if link.used { Failed::Stale } else { Failed::Server(NO_ANSWER) });
        }
        match outgoing.progress.refusal() {
            Some((status, why)) => Err(Failed::Client(Refusal(status, why))),
            None if link.used && repeatable => Err(Failed::Stale),
            None => Err(Failed::Server(NO_ANSWER)),
        }
    }

    /// Sends a request, and waits for the head of its response as long as anything moves, which it
    /// must have done `within` a time.
    async fn send(
        &self,
        link: &mut Link,
        outgoing: &mut Outgoing,
        mut within: Duration,
    ) -> Result<Sent, Failed> {
        let mut sending = pin!(link.ask(outgoing.message()));
        let mut before = 0;
        loop {
            if let Ok(sent) = timeout(within, sending.as_mut()).await {
                return Ok(sent);
            }
            // A long body is no reason to give up as long as it moves.
            let now = outgoing.progress.bytes();
            if now == before || outgoing.progress.is_complete() {
                return Err(Failed::Server(TOO_LATE));
            }
            (before, within) = (now, self.settings.first_byte);
        }
    }
}

fn unconnected(error: io::Error) -> Failed {
    Failed::Server(match error.kind() {
        io::ErrorKind::TimedOut => Refusal(504, "the server takes no connection in time"),
        _ => Refusal(502, "the server takes no connection"),
    })
}
