//! The schemes of targets' URLs, and their transports.

use super::{Payload, Protocol, SCHEMES, http_proxy, http1};

/// The scheme of a target's URL, and its properties.
pub(crate) struct Scheme {
    pub(crate) name: &'static str,
    pub(crate) carrier: Carrier,
    /// The default port; nothing if one must be given.
    pub(crate) port: Option<u16>,
    pub(crate) protocols: &'static [&'static Protocol],
}

/// The carrier of the bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Carrier {
    Tcp,
    Tls,
    Datagrams,
    /// Streams over datagrams, with TLS inside.
    Quic,
}

impl Carrier {
    /// Whether all its data goes by TLS.
    pub(crate) fn is_secure(self) -> bool {
        matches!(self, Carrier::Tls | Carrier::Quic)
    }

    /// Whether it makes connections that the kernel knows.
    pub(crate) fn connects(self) -> bool {
        matches!(self, Carrier::Tcp | Carrier::Tls)
    }
}

impl Scheme {
    pub(super) const fn new(
        name: &'static str,
        carrier: Carrier,
        port: Option<u16>,
        protocols: &'static [&'static Protocol],
    ) -> Scheme {
        Scheme { name, carrier, port, protocols }
    }

    /// The scheme of this name.
    pub(crate) fn of(name: &str) -> Option<&'static Scheme> {
        SCHEMES.iter().find(|scheme| scheme.name == name)
    }

    /// The protocol that is spoken unless the server chooses another.
    pub(crate) fn first(&self) -> &'static Protocol {
        self.protocols[0]
    }

    /// Whether an HTTP proxy passes it on request by request; else the proxy opens a tunnel.
    pub(crate) fn by_proxy(&self) -> Option<&'static [&'static Protocol]> {
        // A WebSocket begins as HTTP/1.1 does, but a proxy would not pass it on.
        let http1 = self.first().alpn == http1::PROTOCOL.alpn;
        let plain = self.carrier == Carrier::Tcp && self.payload() == Payload::Requests && http1;
        plain.then_some(&[http_proxy::PROTOCOL])
    }

    /// The protocols that TLS offers: all, or the plainest alone.
    pub(crate) fn offered(&self, all: bool) -> &'static [&'static Protocol] {
        if all { self.protocols } else { &self.protocols[self.protocols.len() - 1..] }
    }

    pub(crate) fn payload(&self) -> Payload {
        self.first().payload
    }
}

impl std::fmt::Debug for Scheme {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

impl PartialEq for Scheme {
    fn eq(&self, other: &Scheme) -> bool {
        self.name == other.name
    }
}

impl Eq for Scheme {}
