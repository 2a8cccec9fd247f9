//! The generator's side of a connection that carries messages or plain bytes, one exchange at a
//! time: WebSocket, TCP or UDP.

use thinktime_core::client::Attempt;
use thinktime_core::random::Stream;
use thinktime_core::time::Nanos;

use super::answering::{Answering, Sending};
use super::connection::Event;
use super::exchange::{Answer, Exchange};
use super::failure::{CLOSED, Failure};
use super::reading::Reading;
use super::transport::{Input, Transport};
use crate::protocol::Keeping;
use crate::protocol::websocket::{self, Client};

/// What a WebSocket is opened with.
pub(super) struct Upgrade {
    pub(super) host: String,
    pub(super) path: String,
    pub(super) random: Stream,
}

/// A connection that carries messages or plain bytes.
pub(super) struct Messenger {
    /// The framing of messages, unless datagrams are messages or there are none.
    websocket: Option<Client>,
    keeping: Keeping,
    /// What it carries; nothing while idle.
    answering: Option<Answering>,
    /// A message that waits for the end of the handshake, and whether it is binary.
    unsent: Option<(Vec<u8>, bool)>,
    /// Whether it can carry no other exchange.
    closing: bool,
    /// Whether the socket is known to be empty.
    drained: bool,
    /// What broke the connection, once an answer that came before is told.
    failure: Option<Failure>,
}

impl Messenger {
    /// A connection of TCP or UDP or, with `upgrade`, of WebSocket, whose handshake is appended.
    pub(super) fn open(upgrade: Option<Upgrade>, keeping: Keeping, out: &mut Vec<u8>) -> Messenger {
        let open = |it: Upgrade| Client::open(&it.host, &it.path, it.random, out);
        Messenger {
            websocket: upgrade.map(open),
            keeping,
            answering: None,
            unsent: None,
            closing: false,
            drained: false,
            failure: None,
        }
    }

    pub(super) fn has_room(&self) -> bool {
        self.answering.is_none() && !self.closing
    }

    pub(super) fn is_finished(&self, served: bool) -> bool {
        self.answering.is_none() && (self.closing || served)
    }

    pub(super) fn begin(&mut self, exchange: Exchange, sending: &Sending<'_>, out: &mut Vec<u8>) {
        let bytes_sent = match &mut self.websocket {
            None => {
                out.extend_from_slice(sending.bytes);
                sending.bytes.len() as u64
            }
            Some(client) if client.is_open() => client.send(sending.bytes, sending.binary, out),
            Some(_) => {
                self.unsent = Some((sending.bytes.to_vec(), sending.binary));
                0
            }
        };
        let exchange = Exchange { bytes_sent, ..exchange };
        self.answering = Some(Answering::new(exchange, sending.expect, self.keeping));
    }

    /// Reads until the answer is complete, the socket would block, or the turn is over. What is to
    /// be sent in reply is appended to `out`; `now` is asked when a first byte has come.
    pub(super) fn read(
        &mut self,
        transport: &mut Transport,
        out: &mut Vec<u8>,
        reading: &mut Reading,
        now: impl Fn() -> Nanos,
    ) -> Result<Event, Failure> {
        loop {
            if let Some(failure) = self.failure {
                return Err(failure);
            }
            if std::mem::take(&mut self.drained) {
                return Ok(Event::Blocked);
            }
            let count = match reading.next(transport)? {
                Some(Input::Bytes(count)) => count,
                Some(Input::End) => return Err(CLOSED),
                Some(Input::Blocked) => return Ok(Event::Blocked),
                None => return Ok(Event::Later),
            };
            self.drained = reading.has_emptied(transport, count);
            let bytes = &reading.buffer[..count];
            let over = if self.websocket.is_some() {
                self.websocket(bytes, out, &now)
            } else if transport.carries_datagrams() {
                self.datagram(bytes, &now)
            } else {
                self.closing |= reading.ending;
                self.stream(bytes, &now)?
            };
            if let Some((exchange, answer)) = over {
                return Ok(Event::Done { exchange, answer, more: true });
            }
        }
    }

    /// Takes bytes of a stream in, and gives the answer if it is complete.
    fn stream(
        &mut self,
        bytes: &[u8],
        now: impl Fn() -> Nanos,
    ) -> Result<Option<(Exchange, Answer)>, Failure> {
        let answering = self.answering.as_mut().ok_or("unexpected_bytes")?;
        if !answering.stream_part(bytes, now())? {
            return Ok(None);
        }
        Ok(self.answering.take().map(|answering| {
            let size = answering.bytes();
            answering.over(size)
        }))
    }

    /// Takes a datagram in. One that nobody waits for is passed over.
    fn datagram(&mut self, bytes: &[u8], now: impl Fn() -> Nanos) -> Option<(Exchange, Answer)> {
        let answering = self.answering.as_mut()?;
        answering.message_begins(now());
        answering.message_part(bytes);
        let answering = self.answering.take_if(|answering| answering.message_ends())?;
        Some(answering.over(bytes.len() as u64))
    }

    /// Takes bytes of a WebSocket in, and gives the answer if it is among them. Messages that began
    /// before the request was sent, or come after its answer, are passed over.
    fn websocket(
        &mut self,
        bytes: &[u8],
        out: &mut Vec<u8>,
        now: impl Fn() -> Nanos,
    ) -> Option<(Exchange, Answer)> {
        let Messenger { websocket: Some(client), answering, unsent, .. } = self else {
            return None;
        };
        let (mut over, mut opened) = (None, false);
        let result = client.read(bytes, out, |event| match event {
            websocket::Event::Opened => opened = true,
            websocket::Event::Closed => {}
            websocket::Event::Begun => {
                if let (Some(answering), None) = (answering.as_mut(), unsent.as_ref()) {
                    answering.message_begins(now());
                }
            }
            websocket::Event::Part(part) => {
                if let Some(answering) = answering.as_mut() {
                    answering.message_part(part);
                }
            }
            websocket::Event::Complete { bytes } => {
                if let Some(own) = answering.take_if(|answering| answering.message_ends()) {
                    over = Some(own.over(bytes));
                }
            }
        });
        if opened
            && client.is_open()
            && let (Some(answering), Some((message, binary))) = (answering, unsent.take())
        {
            answering.exchange.bytes_sent = client.send(&message, binary, out);
        }
        let closed = client.is_closed().then_some("websocket_closed");
        self.failure = result.err().map(websocket::WebSocketError::kind).or(closed);
        self.closing = self.failure.is_some();
        over
    }

    pub(super) fn take_exchange(&mut self) -> Option<Exchange> {
        self.answering.take().map(|answering| answering.exchange)
    }

    /// Forgets an attempt. Its answer may still come, so the connection is of no use any more.
    pub(super) fn give_up(&mut self, attempt: &Attempt) -> Option<Exchange> {
        let of_it = |answering: &mut Answering| answering.exchange.attempt == *attempt;
        let answering = self.answering.take_if(of_it)?;
        self.closing = true;
        Some(answering.exchange)
    }

    /// Appends what is said before the connection is closed.
    pub(super) fn say_goodbye(&mut self, out: &mut Vec<u8>) {
        if let Some(client) = &mut self.websocket {
            client.close(out);
        }
    }
}
