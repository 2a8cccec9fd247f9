//! How connections to the target are opened, and what is known of the server beforehand.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use rustls::ClientConfig;
use rustls::pki_types::ServerName;
use socket2::{Domain, Protocol, Socket, Type};
use thinktime_core::error::Invalid;
use thinktime_core::random::{Purpose, StreamFamily};
use thinktime_core::workload::Reuse;

use super::messenger::Upgrade;
use super::tls::{TlsStream, configuration};
use super::transport::{Plain, Transport, open_datagrams, open_socket};
use super::{Scheme, Target};
use crate::protocol::Keeping;
use crate::protocol::http2::STREAMS_MAX;

/// Opens connections to one target.
pub(super) struct Connector {
    address: SocketAddr,
    sources: Vec<IpAddr>,
    /// The place of the source that comes next.
    next_source: usize,
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
        check_sources(&target.sources, target.address)?;
        Ok(Connector {
            address: target.address,
            sources: target.sources.clone(),
            next_source: 0,
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
        let source = self.sources.get(self.next_source).copied();
        self.next_source = (self.next_source + 1) % self.sources.len().max(1);
        if self.datagrams {
            return open_datagrams(self.address, source).map(Transport::Datagrams);
        }
        let socket = open_socket(self.address, source)?;
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

/// # Errors
/// When a source is no address of this machine, or of another kind than the target's.
fn check_sources(sources: &[IpAddr], target: SocketAddr) -> Result<(), Invalid> {
    for source in sources {
        if source.is_ipv4() != target.is_ipv4() {
            let why = format!("the source address {source} is not of the kind of {target}");
            return Err(Invalid::new(why));
        }
        let address = SocketAddr::new(*source, 0);
        Socket::new(Domain::for_address(address), Type::STREAM, Some(Protocol::TCP))
            .and_then(|socket| socket.bind(&address.into()))
            .map_err(|error| Invalid::new(format!("the source address {source}: {error}")))?;
    }
    Ok(())
}
