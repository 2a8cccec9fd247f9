//! Forwards simple requests and responses without hyper: most of what a switch forwards, at half
//! of the user time.
//!
//! A message that turns out not to be simple is handed over to hyper with all of its bytes so far,
//! also if the request is under way to a server: hyper then gets its ticket, its connection and the
//! bytes of its response.

use std::future::poll_fn;
use std::io;
use std::mem::take;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Instant, Sleep, sleep, timeout};

use crate::dispatcher::Assignment;
use crate::fields::Origin;
use crate::forwarder::Forwarder;
use crate::handover::{Handover, PendingConnection, Stage};
use crate::log::Entry;
use crate::scratch::Scratch;
use crate::simple_message::{self, HopFields};
use crate::stop::Stop;
use crate::ticket::Ticket;

/// The outcome of a client's turn.
#[derive(Debug)]
pub(crate) enum Turn {
    /// It has its answer.
    Answered,
    /// It has sent nothing.
    Nothing,
    Gone,
    /// It is for hyper: the client's data, and the progress of its request.
    Handover(Vec<u8>, Option<Box<Handover>>),
}

/// A request that has been sent.
#[derive(Debug)]
struct Sent {
    request: Vec<u8>,
    entry: Option<Entry>,
    ticket: Ticket,
    server: TcpStream,
    since: Instant,
}

/// Its outcome.
enum Outcome {
    Answered,
    Gone,
    /// This many bytes remain to be sent to the client.
    Unsent(Vec<u8>),
    /// It is for hyper, with this many bytes of the response.
    Hyper(Vec<u8>),
}

/// The simple requests of one client.
#[derive(Debug)]
pub(crate) struct FastPath {
    forwarder: Arc<Forwarder>,
    origin: Origin,
    hop_fields: HopFields,
    /// Not reset at each request: when it fires, the elapsed time is compared.
    alarm: Option<Pin<Box<Sleep>>>,
}

impl FastPath {
    pub(crate) fn new(forwarder: &Arc<Forwarder>, origin: Origin) -> FastPath {
        FastPath {
            forwarder: Arc::clone(forwarder),
            origin,
            hop_fields: HopFields::new(&origin),
            alarm: None,
        }
    }

    /// Reads the client's data, and answers it if it is simple.
    pub(crate) async fn turn(&mut self, client: &mut TcpStream, stop: &mut Stop) -> Turn {
        let handover = poll_fn(|context| Poll::Ready(self.begin(client, context))).await;
        let mut sent = match handover {
            Ok(sent) => Some(sent),
            Err(turn) => return turn,
        };
        let ended = poll_fn(|context| self.poll(&mut sent, client, stop, context)).await;
        match (ended, sent) {
            (Outcome::Answered, _) => Turn::Answered,
            (Outcome::Unsent(left), _) => self.send(client, &left).await,
            (Outcome::Hyper(received), Some(Sent { request, entry, ticket, server, since })) => {
                let stage = Stage::AtServer(
                    ticket,
                    Some(PendingConnection { stream: server, received, since }),
                );
                Turn::Handover(request, Some(Box::new(Handover { entry, stage })))
            }
            (Outcome::Gone | Outcome::Hyper(_), _) => Turn::Gone,
        }
    }

    /// Reads a request, places it, and sends it.
    fn begin(&self, client: &mut TcpStream, context: &mut Context<'_>) -> Result<Sent, Turn> {
        let forwarder = &self.forwarder;
        let mut scratch = forwarder.scratch();
        let Scratch { received, out, .. } = &mut *scratch;
        let bytes = match read(client, received, context) {
            Poll::Ready(Ok([]) | Err(_)) => return Err(Turn::Gone),
            Poll::Ready(Ok(bytes)) => bytes,
            Poll::Pending => return Err(Turn::Nothing),
        };
        out.clear();
        let Some(message) = simple_message::request(bytes, &self.hop_fields, out) else {
            return Err(Turn::Handover(bytes.to_vec(), None));
        };
        let entry = forwarder
            .log
            .is_some()
            .then(|| Entry::of(self.origin.from, message.line, message.referer, message.agent));
        let request = bytes.to_vec();
        let ticket = match forwarder.dispatcher.place("GET", message.target) {
            Ok(Assignment::Server(ticket)) => ticket,
            assignment => {
                let stage = Stage::Assignment(assignment);
                return Err(Turn::Handover(request, Some(Box::new(Handover { entry, stage }))));
            }
        };
        forwarder.probe();
        if let Some(mut server) = forwarder.pool.take_socket(ticket.address()) {
            let written = Pin::new(&mut server).poll_write(context, out);
            if matches!(written, Poll::Ready(Ok(length)) if length == out.len()) {
                return Ok(Sent { request, entry, ticket, server, since: Instant::now() });
            }
            // The connection is closed, or accepted only a part of the request, which is no
            // request.
        }
        let stage = Stage::AtServer(ticket, None);
        Err(Turn::Handover(request, Some(Box::new(Handover { entry, stage }))))
    }

    /// Waits for the response, and passes it on.
    fn poll(
        &mut self,
        sent: &mut Option<Sent>,
        client: &mut TcpStream,
        stop: &mut Stop,
        context: &mut Context<'_>,
    ) -> Poll<Outcome> {
        let Some(request) = sent else { return Poll::Ready(Outcome::Gone) };
        let mut scratch = self.forwarder.scratch();
        let Scratch { received, out, date } = &mut *scratch;
        let polled = read(&mut request.server, received, context).map(Result::unwrap_or_default);
        let Poll::Ready(bytes) = polled else {
            drop(scratch);
            let late = self.is_late(request.since, context);
            // hyper handles clients that send more now or leave, and the end of the switch.
            let hyper = late || client.poll_read_ready(context).is_ready() || stop.is_set(context);
            return if hyper { Poll::Ready(Outcome::Hyper(Vec::new())) } else { Poll::Pending };
        };
        out.clear();
        let Some(message) = simple_message::response(bytes, date, out) else {
            return Poll::Ready(Outcome::Hyper(bytes.to_vec()));
        };
        let Some(Sent { entry, ticket, server, .. }) = take(sent) else {
            return Poll::Ready(Outcome::Gone);
        };
        let number = ticket.server;
        self.forwarder.complete_simple(&ticket, server);
        // The policy learns it before the client.
        drop(ticket);
        let written = Pin::new(client).poll_write(context, out);
        self.forwarder.note(entry.as_ref(), message.status, message.length as u64, Some(number));
        Poll::Ready(match written {
            Poll::Ready(Ok(length)) if length == out.len() => Outcome::Answered,
            Poll::Ready(Ok(length)) => Outcome::Unsent(out[length..].to_vec()),
            Poll::Ready(Err(_)) => Outcome::Gone,
            Poll::Pending => Outcome::Unsent(out.to_vec()),
        })
    }

    /// Whether the server is late; checks again when it may be.
    fn is_late(&mut self, since: Instant, context: &mut Context<'_>) -> bool {
        let most = self.forwarder.settings.first_byte;
        let alarm = self.alarm.get_or_insert_with(|| Box::pin(sleep(most)));
        while alarm.as_mut().poll(context).is_ready() {
            if since.elapsed() >= most {
                return true;
            }
            alarm.as_mut().reset(since + most);
        }
        false
    }

    /// Sends the rest of a response to a client that does not read all of it at once.
    async fn send(&self, client: &mut TcpStream, mut left: &[u8]) -> Turn {
        while !left.is_empty() {
            match timeout(self.forwarder.settings.idle, client.write(left)).await {
                Ok(Ok(length)) if length > 0 => left = &left[length..],
                _ => return Turn::Gone,
            }
        }
        Turn::Answered
    }
}

/// The readable bytes, as long as they fill less than the room.
fn read<'a>(
    stream: &mut TcpStream,
    room: &'a mut [u8],
    context: &mut Context<'_>,
) -> Poll<io::Result<&'a [u8]>> {
    let mut buffer = ReadBuf::new(room);
    let polled = Pin::new(stream).poll_read(context, &mut buffer);
    let length = buffer.filled().len();
    let received = &room[..length];
    polled.map_ok(|()| received)
}
