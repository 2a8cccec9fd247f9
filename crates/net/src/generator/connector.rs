//! How connections to the target are opened, and what is known of the server beforehand.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use rustls::ClientConfig;
use rustls::pki_types::ServerName;
use thinktime_core::error::Invalid;
use thinktime_core::random::{Purpose, StreamFamily};

use super::protocols::{Carrier, Opening, Protocol};
use super::source::Sources;
use super::target::Target;
use super::tls::{TlsStream, configuration};
use super::transport::{Plain, Transport, open_datagrams, open_socket};
use crate::protocol::Keeping;

/// The exchanges that a connection is expected to carry at the same time, if it carries many, where
/// nobody has said.
pub(super) const EXCHANGES_MAX: usize = crate::protocol::http2::STREAMS_MAX;

/// Opens connections to one target.
pub(super) struct Connector {
    address: SocketAddr,
    host: String,
    path: String,
    sources: Sources,
    carrier: Carrier,
    tls: Option<Tls>,
    /// The protocols that may be spoken, the best first.
    protocols: &'static [&'static Protocol],
    /// The place of the one that a new connection is expected to speak: the best, or as the last
    /// one did.
    expected: usize,
    /// How many exchanges the server is expected to allow on a connection.
    pub(super) streams: usize,
    /// Whether sockets tell when bytes came.
    pub(super) stamped: bool,
    /// What is kept of responses.
    pub(super) keeping: Keeping,
    /// Where what connections draw comes from.
    randoms: StreamFamily,
    /// How many were opened.
    opened: u64,
}

struct Tls {
    configuration: Arc<ClientConfig>,
    name: ServerName<'static>,
}

impl Connector {
    /// # Errors
    /// When the CA file cannot be read, the host is no name that a certificate can be for, or a
    /// source is no address of this machine.
    pub(super) fn new(target: &Target, seed: u64) -> Result<Connector, Invalid> {
        let scheme = target.scheme;
        let all = target.tls().is_none_or(|options| options.http2);
        let protocols = scheme.offered(all);
        let tls = match target.tls() {
            None => None,
            Some(options) => {
                let name = ServerName::try_from(target.host_name().to_owned())
                    .map_err(|error| Invalid::new(format!("`{}`: {error}", target.url)))?;
                let offered = protocols.iter().map(|protocol| protocol.alpn.to_vec()).collect();
                Some(Tls { configuration: configuration(options, offered)?, name })
            }
        };
        Ok(Connector {
            address: target.address,
            host: target.host.clone(),
            path: target.prefix.clone(),
            sources: Sources::new(&target.sources, target.address)?,
            carrier: scheme.carrier,
            tls,
            protocols,
            expected: 0,
            streams: EXCHANGES_MAX,
            stamped: false,
            keeping: Keeping::Nothing,
            randoms: StreamFamily::new(seed, Purpose::WebSocket),
            opened: 0,
        })
    }

    /// What a new connection is expected to speak.
    pub(super) fn expected(&self) -> &'static Protocol {
        self.protocols[self.expected]
    }

    /// How many exchanges may wait for the server to choose it, on a connection that carries only
    /// one of them, or more.
    pub(super) fn expected_room(&self, once: bool) -> usize {
        if self.expected().many && !once { self.streams } else { 1 }
    }

    /// The protocol of this name, which the server has chosen and is expected to choose again; the
    /// plainest if it chose none.
    pub(super) fn chosen(&mut self, name: Option<&[u8]>) -> &'static Protocol {
        let of_name = |protocol: &&Protocol| Some(protocol.alpn) == name;
        self.expected = self.protocols.iter().position(of_name).unwrap_or(self.protocols.len() - 1);
        self.expected()
    }

    /// What the connection of this number is opened with.
    pub(super) fn opening(&self, number: u64) -> Opening<'_> {
        Opening {
            secure: self.tls.is_some(),
            host: &self.host,
            path: &self.path,
            keeping: self.keeping,
            streams: self.streams,
            random: self.randoms.stream(number),
        }
    }

    /// Begins to open a connection; it is open when it first becomes writable. Its number is given
    /// with it.
    pub(super) fn open(&mut self) -> io::Result<(Transport, u64)> {
        let address = self.address;
        let transport = if self.carrier == Carrier::Datagrams {
            let socket = self.sources.open(|source| open_datagrams(address, source))?;
            Transport::Datagrams(socket)
        } else {
            let socket = self.sources.open(|source| open_socket(address, source))?;
            match &self.tls {
                None => Plain::new(socket, self.stamped).map(Transport::Plain)?,
                Some(tls) => {
                    let stream = TlsStream::new(socket, &tls.configuration, &tls.name)?;
                    Transport::Tls(Box::new(stream))
                }
            }
        };
        self.opened += 1;
        Ok((transport, self.opened))
    }
}
