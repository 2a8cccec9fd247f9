//! A request's way: to the server that the policy chooses, and its response back.

use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;

use bytes::Bytes;
use hyper::body::{Body, Incoming};
use hyper::header::{CONNECTION, CONTENT_TYPE, HeaderValue};
use hyper::{Request, Response, StatusCode, Version};
use tokio::time::timeout;

use crate::desk::{Desk, Unplaced};
use crate::fields::{self, Came};
use crate::framing;
use crate::link::{Link, Sent};
use crate::links::Links;
use crate::log::{AccessLog, Entry};
use crate::max_forwards;
use crate::outgoing::Outgoing;
use crate::settings::Settings;
use crate::stream::{Download, Passing, Progress};
use crate::ticket::Ticket;

/// What a thread forwards with.
#[derive(Debug)]
pub(crate) struct Lane {
    pub(crate) settings: Settings,
    pub(crate) desk: Arc<Desk>,
    pub(crate) log: Option<Arc<AccessLog>>,
    pub(crate) links: Links,
}

/// What the switch answers itself: a status, and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Refusal(pub(crate) u16, pub(crate) &'static str);

impl From<Unplaced> for Refusal {
    fn from(why: Unplaced) -> Refusal {
        match why {
            Unplaced::NoServer => Refusal(503, "no server takes requests"),
            Unplaced::Full => Refusal(503, "too many requests wait"),
            Unplaced::Late => Refusal(503, "the request has waited for too long"),
        }
    }
}

/// How an attempt at a server failed.
#[derive(Debug)]
enum Failed {
    /// The kept connection had been closed: the server may be well.
    Stale,
    /// It is the client's doing.
    Client(Refusal),
    Server(Refusal),
}

/// A response on its way, and what is to be done about it.
#[derive(Debug)]
pub(crate) struct Passage {
    lane: Arc<Lane>,
    upload: Progress,
    /// Bytes of the response's body.
    pub(crate) bytes: u64,
    server: usize,
    status: u16,
    entry: Option<Entry>,
}

impl Passage {
    /// The response has come to its end.
    pub(crate) fn complete(&self, ticket: &Ticket, link: Link) {
        ticket.complete();
        // Who answers early gets the rest of the request's body on the same connection.
        if self.upload.is_complete() {
            self.lane.links.give(ticket.address(), link);
        }
    }

    /// Nothing more of the response will go to the client: it is time to say so in the log.
    pub(crate) fn note(&self) {
        self.lane.note(self.entry.as_ref(), self.status, self.bytes, Some(self.server));
    }
}

/// Answers a request, in one way or another.
pub(crate) async fn answer(
    lane: Arc<Lane>,
    came: Came,
    mut request: Request<Incoming>,
) -> Result<Response<Download>, Infallible> {
    let mut entry = lane.log.is_some().then(|| Entry::new(came.from, &request));
    let outgoing = match max_forwards::answer(&mut request) {
        Ok(Some(response)) => {
            let bytes = response.body().size_hint().lower();
            lane.note(entry.as_ref(), response.status().as_u16(), bytes, None);
            return Ok(response);
        }
        Ok(None) => Outgoing::new(request, came, &lane.settings),
        Err(refusal) => Err(refusal),
    };
    let passed = match outgoing {
        Ok(outgoing) => lane.pass(outgoing, &mut entry).await,
        Err(refusal) => Err(refusal),
    };
    lane.desk.term().counts.policy.answered(passed.is_ok());
    Ok(passed.unwrap_or_else(|refusal| {
        let text = refusal.text();
        lane.note(entry.as_ref(), refusal.0, text.len() as u64, None);
        said(refusal, text)
    }))
}

impl Lane {
    /// Passes a request on. Its entry of the log goes along with the response.
    async fn pass(
        self: &Arc<Lane>,
        mut outgoing: Outgoing,
        entry: &mut Option<Entry>,
    ) -> Result<Response<Download>, Refusal> {
        let mut ticket = self.desk.place(outgoing.method(), outgoing.target()).await?;
        self.probe();
        let (mut tried, mut fresh) = (Vec::new(), false);
        loop {
            let failed = match self.attempt(ticket.address(), &mut outgoing, fresh).await {
                Ok((response, link)) => {
                    ticket.answered();
                    let upload = outgoing.progress;
                    return Ok(self.bring_back(response, (ticket, link), upload, entry.take()));
                }
                Err(failed) => failed,
            };
            let refusal = match failed {
                Failed::Stale => {
                    fresh = true;
                    continue;
                }
                Failed::Client(refusal) => return Err(refusal),
                Failed::Server(refusal) => refusal,
            };
            ticket.failed();
            tried.push(Arc::clone(ticket.member()));
            if tried.len() > self.settings.retries as usize || !outgoing.may_go() {
                return Err(refusal);
            }
            ticket = self.desk.place_elsewhere(&tried).ok_or(refusal)?;
            fresh = false;
        }
    }

    /// Sends a request to a server, and waits for the head of its response.
    async fn attempt(
        &self,
        server: SocketAddr,
        outgoing: &mut Outgoing,
        fresh: bool,
    ) -> Result<(Response<Incoming>, Link), Failed> {
        let mut link = self.links.take(server, fresh).await.map_err(unconnected)?;
        let sent = self.send(&mut link, outgoing).await?;
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

    /// Sends a request, and waits for the head of its response as long as anything moves.
    async fn send(&self, link: &mut Link, outgoing: &mut Outgoing) -> Result<Sent, Failed> {
        let mut sending = pin!(link.ask(outgoing.message()));
        let mut before = 0;
        loop {
            if let Ok(sent) = timeout(self.settings.first_byte, sending.as_mut()).await {
                return Ok(sent);
            }
            // A long body is no reason to give up as long as it moves.
            let now = outgoing.progress.bytes();
            if now == before || outgoing.progress.is_complete() {
                return Err(Failed::Server(Refusal(504, "the server takes too long")));
            }
            before = now;
        }
    }

    /// Writes a line of the access log, where there is one.
    fn note(&self, entry: Option<&Entry>, status: u16, bytes: u64, server: Option<usize>) {
        if let (Some(log), Some(entry)) = (&self.log, entry) {
            log.write(entry, status, bytes, server);
        }
    }

    /// Makes a server's response the client's.
    fn bring_back(
        self: &Arc<Lane>,
        response: Response<Incoming>,
        (ticket, mut link): (Ticket, Link),
        upload: Progress,
        entry: Option<Entry>,
    ) -> Response<Download> {
        if !upload.is_complete() {
            link.let_go();
        }
        let (mut head, body) = response.into_parts();
        fields::to_client(&mut head.headers);
        // The version is that of the hop, whatever the server's was (RFC 9110, section 2.5).
        head.version = Version::HTTP_11;
        let (server, status) = (ticket.server, head.status.as_u16());
        let passage = Passage { lane: Arc::clone(self), upload, bytes: 0, server, status, entry };
        let passing = Passing::new(body, self.settings.idle, (ticket, link), passage);
        Response::from_parts(head, Download::Passed(Box::new(passing)))
    }
}

const UNCLEAR: Refusal = Refusal(502, "the server does not say clearly where its response ends");
const NO_ANSWER: Refusal = Refusal(502, "the server gives no answer of HTTP");

fn unconnected(error: io::Error) -> Failed {
    Failed::Server(match error.kind() {
        io::ErrorKind::TimedOut => Refusal(504, "the server takes no connection in time"),
        _ => Refusal(502, "the server takes no connection"),
    })
}

impl Refusal {
    /// What the client is told.
    fn text(self) -> String {
        let Refusal(status, why) = self;
        format!("{status}: {why}\n")
    }
}

/// A response of the switch's own.
fn said(Refusal(status, _): Refusal, text: String) -> Response<Download> {
    let mut response = Response::new(Download::Said(Some(Bytes::from(text))));
    *response.status_mut() = StatusCode::from_u16(status).unwrap_or(StatusCode::BAD_GATEWAY);
    let plain = HeaderValue::from_static("text/plain; charset=utf-8");
    response.headers_mut().insert(CONTENT_TYPE, plain);
    if status == StatusCode::BAD_REQUEST {
        // What else comes from there is not to be trusted.
        response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    }
    response
}
