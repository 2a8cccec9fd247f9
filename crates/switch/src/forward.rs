//! The way of a request to the policy's server, and of its response back.

use std::convert::Infallible;
use std::sync::Arc;

use bytes::Bytes;
use hyper::body::{Body, Incoming};
use hyper::header::{CONNECTION, CONTENT_TYPE, HeaderValue};
use hyper::{Request, Response, StatusCode, Version};

use crate::attempt::{AttemptError, Route};
use crate::download::{Download, ForwardedBody};
use crate::fields::{self, Origin};
use crate::forwarder::Forwarder;
use crate::handover::{Handover, PendingConnection, Stage};
use crate::log::Entry;
use crate::max_forwards;
use crate::outgoing::Outgoing;
use crate::refusal::Refusal;
use crate::response_record::ResponseRecord;
use crate::server_connection::ServerConnection;
use crate::ticket::Ticket;
use crate::upload::Progress;

/// Answers a request, in one way or another.
pub(crate) async fn answer(
    forwarder: Arc<Forwarder>,
    origin: Origin,
    mut request: Request<Incoming>,
    handover: Option<Box<Handover>>,
) -> Result<Response<Download>, Infallible> {
    let Handover { entry, stage } = handover.map_or_else(Handover::default, |handover| *handover);
    let client = || fields::client(request.headers(), &origin);
    let new = || forwarder.log.is_some().then(|| Entry::new(client(), &request));
    let mut entry = entry.or_else(new);
    let outgoing = match max_forwards::answer(&mut request) {
        Ok(Some(response)) => {
            let bytes = response.body().size_hint().lower();
            forwarder.note(entry.as_ref(), response.status().as_u16(), bytes, None);
            return Ok(response);
        }
        Ok(None) => Outgoing::new(request, origin, &forwarder.settings),
        Err(refusal) => Err(refusal),
    };
    let response = match outgoing {
        Ok(outgoing) => forwarder.forward(outgoing, &mut entry, stage).await,
        Err(refusal) => Err(refusal),
    };
    forwarder.dispatcher.generation().counts.policy.count_answer(response.is_ok());
    Ok(response.unwrap_or_else(|refusal| {
        let text = refusal.text();
        forwarder.note(entry.as_ref(), refusal.0, text.len() as u64, None);
        own_response(refusal, text)
    }))
}

impl Forwarder {
    /// Forwards a request. Its log entry travels with the response.
    async fn forward(
        self: &Arc<Forwarder>,
        mut outgoing: Outgoing,
        entry: &mut Option<Entry>,
        stage: Stage,
    ) -> Result<Response<Download>, Refusal> {
        let (method, target) = (outgoing.method(), outgoing.target());
        let (mut ticket, mut pending) = self.place(stage, method, target).await?;
        let (mut tried, mut fresh) = (Vec::new(), false);
        loop {
            let route = match pending.take() {
                Some(pending) => Route::Pending(pending),
                None if fresh => Route::Fresh,
                None => Route::Pooled,
            };
            let failed = match self.attempt(ticket.address(), &mut outgoing, route).await {
                Ok((response, connection)) => {
                    ticket.note_response();
                    let (at, upload) = ((ticket, connection), outgoing.progress);
                    return Ok(self.client_response(response, at, upload, entry.take()));
                }
                Err(failed) => failed,
            };
            let refusal = match failed {
                AttemptError::Stale => {
                    fresh = true;
                    continue;
                }
                AttemptError::Client(refusal) => return Err(refusal),
                AttemptError::Server(refusal) => refusal,
            };
            ticket.note_failure();
            tried.push(Arc::clone(ticket.member()));
            if tried.len() > self.settings.retries as usize || !outgoing.may_be_sent() {
                return Err(refusal);
            }
            ticket = self.dispatcher.place_at_other(&tried).ok_or(refusal)?;
            fresh = false;
        }
    }

    /// A request's place, and the connection that carried it there, if any.
    async fn place(
        self: &Arc<Forwarder>,
        stage: Stage,
        method: &str,
        target: &str,
    ) -> Result<(Ticket, Option<PendingConnection>), Refusal> {
        let assignment = match stage {
            Stage::AtServer(ticket, pending) => return Ok((ticket, pending)),
            Stage::Assignment(assignment) => assignment,
            Stage::New => self.dispatcher.place(method, target),
        };
        let ticket = self.dispatcher.wait_for(assignment?).await?;
        self.probe();
        Ok((ticket, None))
    }

    /// Turns a server's response into the client's.
    fn client_response(
        self: &Arc<Forwarder>,
        response: Response<Incoming>,
        (ticket, mut connection): (Ticket, ServerConnection),
        upload: Progress,
        entry: Option<Entry>,
    ) -> Response<Download> {
        if !upload.is_complete() {
            connection.detach();
        }
        let (mut head, body) = response.into_parts();
        fields::to_client(&mut head.headers);
        // The version is that of the hop, independent of the server's (RFC 9110, section 2.5).
        head.version = Version::HTTP_11;
        let (server, status) = (ticket.server, head.status.as_u16());
        let record =
            ResponseRecord { forwarder: Arc::clone(self), upload, bytes: 0, server, status, entry };
        let body = ForwardedBody::new(body, self.settings.idle, (ticket, connection), record);
        Response::from_parts(head, Download::Forwarded(Box::new(body)))
    }
}

/// A response of the switch's own.
fn own_response(Refusal(status, _): Refusal, text: String) -> Response<Download> {
    let mut response = Response::new(Download::Own(Some(Bytes::from(text))));
    *response.status_mut() = StatusCode::from_u16(status).unwrap_or(StatusCode::BAD_GATEWAY);
    let plain = HeaderValue::from_static("text/plain; charset=utf-8");
    response.headers_mut().insert(CONTENT_TYPE, plain);
    if status == StatusCode::BAD_REQUEST {
        // Further data from there cannot be trusted.
        response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    }
    response
}
