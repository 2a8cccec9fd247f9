//! Bytes as they are, over TCP.

use thinktime_core::attempt::Attempt;
use thinktime_core::request::{Expect, RequestKind};

use super::{Arrival, Carries, Conversation, Opening, Outgoing, PathUse, Protocol};
use crate::generator::answering::{Answering, Single};
use crate::generator::exchange::{Event, Exchange};
use crate::generator::failure::Failure;
use crate::protocol::Outbox;

pub(super) const PROTOCOL: &Protocol = &Protocol {
    alpn: b"",
    path: PathUse::None,
    carries: Carries::Messages,
    handshakes: false,
    heeds_arrival: false,
    many: false,
    misfit,
    expects,
    open: |opening: &Opening<'_>, _| Box::new(Tcp(Single::new(opening.keeping))),
};

fn misfit(kind: &RequestKind, scripted: bool) -> Option<&'static str> {
    let why = "TCP has no messages: `expect` must say when the answer is complete, as in \
               length(12), delimiter(\"\\n\") or pattern(REGEX)";
    super::misfit_of_messages(kind, scripted, expects, why).or(super::several_messages(kind))
}

/// There are no messages to be expected.
fn expects(wanted: Option<&Expect>) -> Option<&Expect> {
    wanted.filter(|wanted| !matches!(wanted, Expect::Message))
}

/// A connection, with one exchange at a time.
struct Tcp(Single);

impl Conversation for Tcp {
    fn has_room(&self, _out: &Outbox) -> bool {
        self.0.has_room()
    }

    fn is_idle(&self) -> bool {
        self.0.answering.is_none()
    }

    fn is_closing(&self) -> bool {
        self.0.closing
    }

    fn begin(&mut self, exchange: Exchange, what: Outgoing<'_>, out: &mut Outbox) {
        let Outgoing::Message(sending) = what else { return };
        out.buffer().extend_from_slice(sending.bytes);
        let bytes_sent = sending.bytes.len() as u64;
        self.0.begin(Exchange { bytes_sent, ..exchange }, sending);
    }

    fn read(
        &mut self,
        bytes: &[u8],
        ending: bool,
        arrival: Arrival,
        _out: &mut Outbox,
    ) -> Result<Option<Event>, Failure> {
        self.0.closing |= ending;
        let answering = self.0.answering.as_mut().ok_or("unexpected_bytes")?;
        if !answering.stream_part(bytes, || arrival.now())? {
            return Ok(None);
        }
        Ok(self.0.answering.take().map(Answering::over))
    }

    fn give_up(&mut self, attempt: &Attempt, _: bool, _: &mut Outbox) -> Option<(Exchange, bool)> {
        self.0.give_up(attempt)
    }

    fn take_exchange(&mut self) -> Option<Exchange> {
        self.0.take_exchange()
    }
}
