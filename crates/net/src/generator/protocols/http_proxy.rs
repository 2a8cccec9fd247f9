//! HTTP/1.1 through a proxy: requests name the whole URL, and identify the client.

use thinktime_core::attempt::Attempt;

use super::exchange::{Event, Exchange};
use super::{Arrival, Conversation, OpenOptions, Outgoing, Protocol, http1};
use crate::generator::transport::failure::Failure;
use crate::protocol::Outbox;
use crate::protocol::http1::RequestHead;

pub(super) const PROTOCOL: &Protocol = &Protocol { open: Proxied::open, ..*http1::PROTOCOL };

/// A connection to the proxy.
struct Proxied {
    inner: Box<dyn Conversation>,
    authorization: Option<String>,
}

impl Proxied {
    fn open(opening: &OpenOptions<'_>, out: &mut Outbox) -> Box<dyn Conversation> {
        let authorization = opening.proxy_authorization.map(str::to_owned);
        Box::new(Proxied { inner: (http1::PROTOCOL.open)(opening, out), authorization })
    }
}

impl Conversation for Proxied {
    fn is_idle(&self) -> bool {
        self.inner.is_idle()
    }

    fn is_closing(&self) -> bool {
        self.inner.is_closing()
    }

    fn begin(&mut self, exchange: Exchange, what: Outgoing<'_>, out: &mut Outbox) {
        let Some(request) = what.request() else { return };
        let target = format!("http://{}{}", request.host, request.target);
        let authorization = self.authorization.as_deref().map(|text| ("Proxy-Authorization", text));
        let headers: Vec<_> = request.headers.iter().copied().chain(authorization).collect();
        let whole = RequestHead { target: &target, headers: &headers, ..*request };
        let events = what.events();
        let what = events.map_or(Outgoing::Request(&whole), |it| Outgoing::Events(&whole, it));
        self.inner.begin(exchange, what, out);
    }

    fn read(
        &mut self,
        bytes: &[u8],
        ending: bool,
        arrival: Arrival,
        out: &mut Outbox,
    ) -> Result<Option<Event>, Failure> {
        self.inner.read(bytes, ending, arrival, out)
    }

    fn end_of_stream(&mut self, out: &Outbox) -> Result<Event, Failure> {
        self.inner.end_of_stream(out)
    }

    fn give_up(
        &mut self,
        attempt: &Attempt,
        proven: bool,
        out: &mut Outbox,
    ) -> Option<(Exchange, bool)> {
        self.inner.give_up(attempt, proven, out)
    }

    fn take_exchange(&mut self, out: &Outbox) -> Option<Exchange> {
        self.inner.take_exchange(out)
    }
}
