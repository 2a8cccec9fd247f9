//! The body of a response on its way to a client.

use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use hyper::body::{Body, Frame, Incoming, SizeHint};

use crate::body::{BodyError, Flow};
use crate::response_record::ResponseRecord;
use crate::server_connection::ServerConnection;
use crate::ticket::Ticket;

/// The body of a response on its way to a client.
#[derive(Debug)]
pub(crate) enum Download {
    /// The switch's own text.
    Own(Option<Bytes>),
    /// A server's body.
    Forwarded(Box<ForwardedBody>),
}

/// A server's body, with the parts that are kept until its end.
#[derive(Debug)]
pub(crate) struct ForwardedBody {
    flow: Flow,
    /// The place at the server, and the connection, until the end.
    held: Option<(Ticket, ServerConnection)>,
    record: ResponseRecord,
}

impl ForwardedBody {
    pub(crate) fn new(
        body: Incoming,
        idle: Duration,
        held: (Ticket, ServerConnection),
        record: ResponseRecord,
    ) -> ForwardedBody {
        let flow = Flow { body, idle, alarm: None };
        ForwardedBody { flow, held: Some(held), record }
    }

    fn poll(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, BodyError>>> {
        let connection = self.held.as_mut().map(|(_, connection)| connection);
        // A body that comes over a connection drives it.
        let poll_body = |body: &mut Incoming, context: &mut Context<'_>| match connection {
            Some(connection) => connection.poll_body(body, context),
            None => Pin::new(body).poll_frame(context),
        };
        let polled = ready!(self.flow.poll(poll_body, context));
        match &polled {
            Some(Ok(frame)) => {
                self.record.bytes += frame.data_ref().map_or(0, |data| data.len() as u64);
                if self.flow.body.is_end_stream() {
                    self.end();
                }
            }
            None => self.end(),
            Some(Err(_)) => {
                if let Some((ticket, _)) = self.held.take() {
                    ticket.note_failure();
                }
            }
        }
        Poll::Ready(polled)
    }

    /// The response has ended correctly: the switch learns it before the client has its end.
    fn end(&mut self) {
        if let Some((ticket, connection)) = self.held.take() {
            self.record.complete(&ticket, connection);
        }
    }
}

impl Drop for ForwardedBody {
    fn drop(&mut self) {
        if self.flow.body.is_end_stream() {
            self.end();
        }
        self.record.note();
    }
}

impl Body for Download {
    type Data = Bytes;
    type Error = BodyError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BodyError>>> {
        match &mut *self {
            Download::Own(text) => Poll::Ready(text.take().map(|text| Ok(Frame::data(text)))),
            Download::Forwarded(body) => body.poll(context),
        }
    }

    fn is_end_stream(&self) -> bool {
        match self {
            Download::Own(text) => text.is_none(),
            Download::Forwarded(body) => body.flow.body.is_end_stream(),
        }
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Download::Own(text) => {
                SizeHint::with_exact(text.as_ref().map_or(0, |text| text.len() as u64))
            }
            Download::Forwarded(body) => body.flow.body.size_hint(),
        }
    }
}
