//! How connections to the target are opened, and what is known of the server beforehand.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use rustls::ClientConfig;
use rustls::pki_types::ServerName;
use thinktime_core::error::Invalid;
use thinktime_core::random::{Purpose, StreamFamily};
use thinktime_core::workload::Reuse;

use super::messenger::Upgrade;
use super::source::Sources;
use super::tls::{TlsStream, configuration};
use super::transport::{Plain, Transport, open_datagrams, open_socket};
use super::{Scheme, Target};
use crate::protocol::Keeping;
use crate::protocol::http2::STREAMS_MAX;

/// Opens connections to one target.
pub(super) struct Connector {
    address: SocketAddr,
    sources: Sources,
    /// Whether a connection carries one request only.
    pub(super) once: bool,
    tls: Option<Tls>,
    /// Whether a new connection is expected to speak HTTP/2: by the URL, or as the last one did.
    pub(super) expects_http2: bool,
    /// How many streams the server is expected to allow on a connection of HTTP/2.
    pub(super) streams: usize,
    /// Whether sockets tell when bytes came.
    pub(super) stamped: bool,
    /// What is kept of responses.
    pub(super) keeping: Keeping,
    /// Whether messages are carried, not HTTP.
    pub(super) for_messages: bool,
    datagrams: bool,
    websockets: Option<WebSockets>,
}

/// What WebSockets are opened with.
struct WebSockets {
    host: String,
    path: String,
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
    pub(super) fn new(target: &Target, reuse: Reuse, seed: u64) -> Result<Connector, Invalid> {
        let (tls, expects_http2) = match target.scheme.tls() {
            None => (None, target.scheme == Scheme::Http2),
            Some(options) => {
                let name = ServerName::try_from(target.host_name().to_owned())
                    .map_err(|error| Invalid::new(format!("`{}`: {error}", target.url)))?;
                let configuration = configuration(options)?;
                (Some(Tls { configuration, name }), options.http2)
            }
        };
        Ok(Connector {
            address: target.address,
            sources: Sources::new(&target.sources, target.address)?,
            once: reuse == Reuse::PerRequest,
            tls,
            expects_http2,
            streams: STREAMS_MAX,
            stamped: false,
            keeping: Keeping::Nothing,
            for_messages: target.scheme.takes_messages(),
            datagrams: target.scheme == Scheme::Udp,
            websockets: WebSockets::to(target, seed),
        })
    }

    /// What the next WebSocket is opened with, if they are spoken.
    pub(super) fn upgrade(&mut self) -> Option<Upgrade> {
        let WebSockets { host, path, randoms, opened } = self.websockets.as_mut()?;
        *opened += 1;
        Some(Upgrade { host: host.clone(), path: path.clone(), random: randoms.stream(*opened) })
    }

    /// Begins to open a connection; it is open when it first becomes writable.
    pub(super) fn open(&mut self) -> io::Result<Transport> {
        let address = self.address;
        if self.datagrams {
            let socket = self.sources.open(|source| open_datagrams(address, source))?;
            return Ok(Transport::Datagrams(socket));
        }
        let socket = self.sources.open(|source| open_socket(address, source))?;
        match &self.tls {
            None => Plain::new(socket, self.stamped).map(Transport::Plain),
            Some(tls) => {
                let stream = TlsStream::new(socket, &tls.configuration, &tls.name)?;
                Ok(Transport::Tls(Box::new(stream)))
            }
        }
    }
}

impl WebSockets {
    fn to(target: &Target, seed: u64) -> Option<WebSockets> {
        let Scheme::WebSocket(_) = target.scheme else { return None };
        let path = if target.prefix.is_empty() { "/" } else { &target.prefix };
        Some(WebSockets {
            host: target.host.clone(),
            path: path.to_owned(),
            randoms: StreamFamily::new(seed, Purpose::WebSocket),
            opened: 0,
        })
    }
}
