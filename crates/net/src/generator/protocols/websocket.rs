//! The generator's side of a WebSocket: one exchange of messages at a time.

use thinktime_core::attempt::Attempt;
use thinktime_core::request::RequestKind;

use super::exchange::{Event, Exchange};
use super::message_exchange::{MessageExchange, OutgoingMessage, SingleExchange};
use super::{Arrival, Conversation, OpenOptions, Outgoing, PathUse, Payload, Protocol};
use super::{WHOLE_MESSAGES, message_mismatch, whole_message};
use crate::generator::transport::failure::Failure;
use crate::poller::Clock;
use crate::protocol::Outbox;
use crate::protocol::websocket::{self, Client, HandshakeRequest};

pub(super) const PROTOCOL: &Protocol = &Protocol {
    // The handshake is a request of HTTP/1.1.
    alpn: b"http/1.1",
    path: PathUse::Whole,
    payload: Payload::Messages,
    handshakes: true,
    uses_arrival_time: false,
    multiplexed: false,
    mismatch,
    expects: whole_message,
    open: WebSocket::open,
};

fn mismatch(kind: &RequestKind, scripted: bool) -> Option<&'static str> {
    message_mismatch(kind, scripted, whole_message, WHOLE_MESSAGES)
}

/// A connection.
struct WebSocket {
    client: Client,
    single: SingleExchange,
    /// The data that waits for the end of the handshake, or for an earlier answer; the last one is
    /// first.
    later: Vec<Unsent>,
    /// The connection's error, once an earlier answer is reported.
    failure: Option<Failure>,
}

/// Messages that are not yet sent.
struct Unsent {
    bytes: Vec<u8>,
    /// Where further messages begin.
    cuts: Vec<usize>,
    binary: bool,
}

/// Sends messages; further ones begin at these places.
fn send(client: &mut Client, bytes: &[u8], cuts: &[usize], binary: bool, out: &mut Vec<u8>) {
    let mut from = 0;
    for &cut in cuts.iter().chain([&bytes.len()]) {
        client.send(&bytes[from..cut], binary, out);
        from = cut;
    }
}

impl Unsent {
    /// Further messages one by one, with the last one first; empty if they need not wait.
    fn later(sending: &OutgoingMessage<'_>) -> Vec<Unsent> {
        let OutgoingMessage { bytes, cuts, binary, each, .. } = *sending;
        let mut end = bytes.len();
        let one = |&cut: &usize| {
            let own = &bytes[cut..std::mem::replace(&mut end, cut)];
            Unsent { bytes: own.to_vec(), cuts: Vec::new(), binary }
        };
        if each { cuts.iter().rev().map(one).collect() } else { Vec::new() }
    }
}

impl WebSocket {
    /// Writes the handshake.
    fn open(opening: &OpenOptions<'_>, out: &mut Outbox) -> Box<dyn Conversation> {
        let path = if opening.path.is_empty() { "/" } else { opening.path };
        let random = opening.random.clone();
        let request = HandshakeRequest {
            host: opening.host,
            target: path,
            fields: opening.fields,
            subprotocols: opening.subprotocols,
        };
        let client = Client::open(&request, random, out.buffer());
        let single = SingleExchange::new(opening.capture);
        Box::new(WebSocket { client, single, later: Vec::new(), failure: None })
    }

    /// Sends the data that need not wait any longer, if any.
    fn go_on(&mut self, out: &mut Outbox) {
        let current = self.single.current.as_mut().filter(|one| one.is_paused());
        if self.client.is_open()
            && let Some(current) = current
            && let Some(next) = self.later.pop()
        {
            current.resume();
            let Unsent { bytes, cuts, binary } = &next;
            current.exchange.write(out, |out| send(&mut self.client, bytes, cuts, *binary, out));
        }
    }
}

impl Conversation for WebSocket {
    fn is_idle(&self) -> bool {
        self.single.current.is_none()
    }

    fn is_closing(&self) -> bool {
        self.single.closing
    }

    fn begin(&mut self, mut exchange: Exchange, what: Outgoing<'_>, out: &mut Outbox) {
        let Outgoing::Message(sending) = what else { return };
        self.later = Unsent::later(sending);
        let OutgoingMessage { bytes, cuts, binary, .. } = match sending.cuts.first() {
            Some(&end) if sending.each => {
                OutgoingMessage { bytes: &sending.bytes[..end], cuts: &[], ..*sending }
            }
            _ => *sending,
        };
        if self.client.is_open() {
            exchange.write(out, |out| send(&mut self.client, bytes, cuts, binary, out));
            return self.single.begin(exchange, sending);
        }
        self.later.push(Unsent { bytes: bytes.to_vec(), cuts: cuts.to_vec(), binary });
        self.single.begin(exchange, sending);
        if let Some(current) = &mut self.single.current {
            current.pause();
        }
    }

    /// Messages that began before the request was sent, or come after its answer, are ignored.
    fn read(
        &mut self,
        bytes: &[u8],
        _ending: bool,
        arrival: Arrival,
        out: &mut Outbox,
    ) -> Result<Option<Event>, Failure> {
        let WebSocket { client, single: SingleExchange { current, .. }, later, .. } = self;
        let mut over = None;
        let result = client.read(bytes, out, |event| match event {
            websocket::Event::Opened | websocket::Event::Closed => {}
            websocket::Event::Begun => {
                if let Some(current) = current.as_mut() {
                    current.message_begins(arrival.now());
                }
            }
            websocket::Event::Part(part) => {
                if let Some(current) = current.as_mut() {
                    current.message_part(part);
                }
            }
            websocket::Event::Complete { bytes } => {
                let Some(own) = current.as_mut() else { return };
                let answered = own.message_ends(bytes);
                if answered && !later.is_empty() {
                    own.pause();
                } else if answered {
                    over = current.take().map(MessageExchange::finish);
                }
            }
        });
        self.go_on(out);
        let closed = self.client.is_closed().then_some("websocket_closed");
        self.failure = result.err().map(websocket::WebSocketError::kind).or(closed);
        self.single.closing = self.failure.is_some();
        if over.is_some() { Ok(over) } else { self.more(arrival.clock) }
    }

    fn more(&mut self, _clock: Clock) -> Result<Option<Event>, Failure> {
        self.failure.map_or(Ok(None), Err)
    }

    fn give_up(
        &mut self,
        attempt: &Attempt,
        _: bool,
        out: &mut Outbox,
    ) -> Option<(Exchange, bool)> {
        self.single.give_up(attempt, out)
    }

    fn take_exchange(&mut self, out: &Outbox) -> Option<Exchange> {
        self.single.take_exchange(out)
    }

    fn close(&mut self, out: &mut Outbox) {
        self.client.close(out.buffer());
    }
}
