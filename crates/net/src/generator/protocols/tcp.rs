//! Bytes as they are, over TCP.

use thinktime_core::attempt::Attempt;
use thinktime_core::request::{Expect, RequestKind};

use super::exchange::{Event, Exchange};
use super::message_exchange::{MessageExchange, SingleExchange};
use super::{Arrival, Conversation, OpenOptions, Outgoing, PathUse, Payload, Protocol};
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
    expects,
    open: |opening: &OpenOptions<'_>, _| Box::new(Tcp(SingleExchange::new(opening.capture))),
};

fn mismatch(kind: &RequestKind, scripted: bool) -> Option<&'static str> {
    let why = "TCP has no messages: `expect` must say when the answer is complete, as in \
               length(12), delimiter(\"\\n\") or pattern(REGEX)";
    super::message_mismatch(kind, scripted, expects, why).or(super::single_message_mismatch(kind))
}

/// No messages can be expected.
fn expects(wanted: Option<&Expect>) -> Option<&Expect> {
    wanted.filter(|wanted| !matches!(wanted, Expect::Message))
}

/// A connection, with one exchange at a time.
struct Tcp(SingleExchange);

impl Conversation for Tcp {
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

    fn read(
        &mut self,
        bytes: &[u8],
        ending: bool,
        arrival: Arrival,
        out: &mut Outbox,
    ) -> Result<Option<Event>, Failure> {
        // A server that answers before the message is sent may still wait for its rest.
        self.0.closing |= ending || !out.unsent().is_empty();
        let current = self.0.current.as_mut().ok_or("unexpected_bytes")?;
        if !current.stream_part(bytes, || arrival.now())? {
            return Ok(None);
        }
        current.exchange.cut_short(out.unsent().len() as u64);
        Ok(self.0.current.take().map(MessageExchange::finish))
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
