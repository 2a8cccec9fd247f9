//! A request's way: to the server that the policy chooses, and its response back.

use std::convert::Infallible;
use std::sync::{Arc, Mutex, MutexGuard};

use bytes::Bytes;
use hyper::body::{Body, Incoming};
use hyper::header::{CONNECTION, CONTENT_TYPE, HeaderValue};
use hyper::{Request, Response, StatusCode, Version};
use tokio::net::TcpStream;

use crate::attempt::{Failed, Way};
use crate::desk::{Desk, Unplaced};
use crate::direct::{Asked, Begun, Scratch, Stage};
use crate::fields::{self, Came};
use crate::link::Link;
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
    pub(crate) scratch: Mutex<Scratch>,
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
    begun: Option<Box<Begun>>,
) -> Result<Response<Download>, Infallible> {
    let Begun { entry, stage } = begun.map_or_else(Begun::default, |begun| *begun);
    let new = || lane.log.is_some().then(|| Entry::new(came.from, &request));
    let mut entry = entry.or_else(new);
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
        Ok(outgoing) => lane.pass(outgoing, &mut entry, stage).await,
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
        stage: Stage,
    ) -> Result<Response<Download>, Refusal> {
        let (method, target) = (outgoing.method(), outgoing.target());
        let (mut ticket, mut asked) = self.placed(stage, method, target).await?;
        let (mut tried, mut fresh) = (Vec::new(), false);
        loop {
            let way = match asked.take() {
                Some(asked) => Way::Asked(asked),
                None if fresh => Way::Fresh,
                None => Way::Kept,
            };
            let failed = match self.attempt(ticket.address(), &mut outgoing, way).await {
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

    /// A request's place, and the connection over which it has gone there, if it has.
    async fn placed(
        self: &Arc<Lane>,
        stage: Stage,
        method: &str,
        target: &str,
    ) -> Result<(Ticket, Option<Asked>), Refusal> {
        let placed = match stage {
            Stage::There(ticket, asked) => return Ok((ticket, asked)),
            Stage::Placed(placed) => placed,
            Stage::New => self.desk.place(method, target),
        };
        let ticket = self.desk.wait_for(placed?).await?;
        self.probe();
        Ok((ticket, None))
    }

    /// A plain response has come to its end, which is all that there was of it.
    pub(crate) fn passed(&self, ticket: &Ticket, server: TcpStream) {
        ticket.answered();
        self.desk.term().counts.policy.answered(true);
        ticket.complete();
        self.links.give_bare(ticket.address(), server);
    }

    pub(crate) fn scratch(&self) -> MutexGuard<'_, Scratch> {
        self.scratch.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// Writes a line of the access log, where there is one.
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
