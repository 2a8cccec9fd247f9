//! Datagrams: one for each request, and one for its answer.

use thinktime_core::attempt::Attempt;
use thinktime_core::file::RetryWhen;
use thinktime_core::request::RequestKind;

use super::exchange::{Event, Exchange};
use super::message_exchange::{MessageExchange, SingleExchange};
use super::{Arrival, Conversation, OpenOptions, Outgoing, PathUse, Payload, Protocol};
use super::{WHOLE_MESSAGES, message_mismatch, single_message_mismatch, whole_message};
use crate::generator::transport::failure::Failure;
use crate::protocol::Outbox;

pub(super) const PROTOCOL: &Protocol = &Protocol {
    alpn: b"",
    path: PathUse::None,
    payload: Payload::Messages,
    handshakes: false,
    uses_arrival_time: false,
    multiplexed: false,
    mismatch,
    expects: whole_message,
    open: |opening: &OpenOptions<'_>, _| Box::new(Udp(SingleExchange::new(opening.capture))),
};

fn mismatch(kind: &RequestKind, scripted: bool) -> Option<&'static str> {
    let of_messages = message_mismatch(kind, scripted, whole_message, WHOLE_MESSAGES);
    let of_messages = of_messages.or(single_message_mismatch(kind));
    if of_messages.is_some() {
        return of_messages;
    }
    if kind.timeout.is_never() || kind.retry.when == RetryWhen::Late {
        let why = "a datagram may be lost: give the request a `timeout`, and not when = \"late\"";
        return Some(why);
    }
    (kind.message.is_empty() && !scripted).then_some("an empty datagram cannot be sent")
}

/// A socket, with one exchange at a time.
struct Udp(SingleExchange);

impl Conversation for Udp {
    fn is_idle(&self) -> bool {
        self.0.current.is_none()
    }

    fn is_closing(&self) -> bool {
        self.0.closing
    }

    fn begin(&mut self, mut exchange: Exchange, what: Outgoing<'_>, out: &mut Outbox) {
        let Outgoing::Message(message) = what else { return };
        exchange.write(out, |out| out.extend_from_slice(message.bytes));
        self.0.begin(exchange, message);
    }

    /// A datagram that nobody waits for is ignored.
    fn read(
        &mut self,
        bytes: &[u8],
        _ending: bool,
        arrival: Arrival,
        _out: &mut Outbox,
    ) -> Result<Option<Event>, Failure> {
        let Some(current) = self.0.current.as_mut() else { return Ok(None) };
        current.message_begins(arrival.now());
        current.message_part(bytes);
        let size = bytes.len() as u64;
        Ok(self
            .0
            .current
            .take_if(|current| current.message_ends(size))
            .map(MessageExchange::finish))
    }

    fn give_up(
        &mut self,
        attempt: &Attempt,
        _: bool,
        out: &mut Outbox,
    ) -> Option<(Exchange, bool)> {
        self.0.give_up(attempt, out)
    }

    fn take_exchange(&mut self, out: &Outbox) -> Option<Exchange> {
        self.0.take_exchange(out)
    }
}
