//! Datagrams: one for each request, and one for its answer.

use thinktime_core::attempt::Attempt;
use thinktime_core::file::RetryWhen;
use thinktime_core::request::RequestKind;

use super::{
    Arrival, Carries, Conversation, Opening, Outgoing, PathUse, Protocol, WHOLE_MESSAGES,
    misfit_of_messages, several_messages, whole_message,
};
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
    expects: whole_message,
    open: |opening: &Opening<'_>, _| Box::new(Udp(Single::new(opening.keeping))),
};

fn misfit(kind: &RequestKind, scripted: bool) -> Option<&'static str> {
    let of_messages = misfit_of_messages(kind, scripted, whole_message, WHOLE_MESSAGES);
    let of_messages = of_messages.or(several_messages(kind));
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
struct Udp(Single);

impl Conversation for Udp {
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

    /// A datagram that nobody waits for is passed over.
    fn read(
        &mut self,
        bytes: &[u8],
        _ending: bool,
        arrival: Arrival,
        _out: &mut Outbox,
    ) -> Result<Option<Event>, Failure> {
        let Some(answering) = self.0.answering.as_mut() else { return Ok(None) };
        answering.message_begins(arrival.now());
        answering.message_part(bytes);
        let size = bytes.len() as u64;
        Ok(self.0.answering.take_if(|answering| answering.message_ends(size)).map(Answering::over))
    }

    fn give_up(&mut self, attempt: &Attempt, _: bool, _: &mut Outbox) -> Option<(Exchange, bool)> {
        self.0.give_up(attempt)
    }

    fn take_exchange(&mut self) -> Option<Exchange> {
        self.0.take_exchange()
    }
}
