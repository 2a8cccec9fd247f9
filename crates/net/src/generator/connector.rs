//! How connections to the target are opened, and what is known of the server beforehand.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use rustls::ClientConfig;
use rustls::pki_types::ServerName;
use thinktime_core::error::Invalid;

use super::tls::{TlsStream, configuration};
use super::transport::{Transport, open_socket};
use super::{Reuse, Scheme, Target};
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
    /// Whether heads and bodies of responses are kept.
    pub(super) keep: bool,
}

struct Tls {
    configuration: Arc<ClientConfig>,
    name: ServerName<'static>,
}

impl Connector {
    /// # Errors
    /// When the CA file cannot be read, the host is no name that a certificate can be for, or a
    /// source is no address of this machine.
    pub(super) fn new(target: &Target) -> Result<Connector, Invalid> {
        let (tls, expects_http2) = match &target.scheme {
            Scheme::Http => (None, false),
            Scheme::Http2 => (None, true),
            Scheme::Https(options) => {
                let name = ServerName::try_from(target.host_name().to_owned())
                    .map_err(|error| Invalid::new(format!("`{}`: {error}", target.url)))?;
                let configuration = configuration(options)?;
                (Some(Tls { configuration, name }), options.http2)
            }
        };
        target.connections.check(target.address)?;
        Ok(Connector {
            address: target.address,
            sources: target.connections.sources.clone(),
            next_source: 0,
            once: target.connections.reuse == Reuse::PerRequest,
            tls,
            expects_http2,
            streams: STREAMS_MAX,
            keep: false,
        })
    }

    /// Begins to open a connection; it is open when it first becomes writable.
    pub(super) fn open(&mut self) -> io::Result<Transport> {
        let source = self.sources.get(self.next_source).copied();
        self.next_source = (self.next_source + 1) % self.sources.len().max(1);
        let socket = open_socket(self.address, source)?;
        match &self.tls {
            None => Ok(Transport::Plain(socket)),
            Some(tls) => {
                let stream = TlsStream::new(socket, &tls.configuration, &tls.name)?;
                Ok(Transport::Tls(Box::new(stream)))
            }
        }
    }
}
