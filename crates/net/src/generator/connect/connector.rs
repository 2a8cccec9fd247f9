//! How connections to the target are opened, with the prior knowledge of the server.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use rustls::ClientConfig;
use rustls::pki_types::ServerName;
use thinktime_core::error::Invalid;
use thinktime_core::options::Proxy;
use thinktime_core::random::{Purpose, StreamFamily};
use thinktime_core::workload::Workload;

use crate::generator::credentials::login::login;
use crate::generator::protocols::{Carrier, OpenOptions, Protocol};
use crate::generator::target::peer::Peer;
use crate::generator::target::{Target, shown};
use crate::generator::transport::datagrams::open_datagrams;
use crate::generator::transport::negotiation::Negotiation;
use crate::generator::transport::proxy_connect::Tunnel;
use crate::generator::transport::quic::QuicOptions;
use crate::generator::transport::quic::socket::QuicSocket;
use crate::generator::transport::source::Sources;
use crate::generator::transport::tls::{TlsStream, configuration};
use crate::generator::transport::{Tcp, Transport, open_socket, open_unix};
use crate::protocol::Capture;
use crate::protocol::postgresql::Login;

/// The expected concurrent exchanges of a connection that carries several, if nobody has said.
pub(crate) const EXCHANGES_MAX: usize = crate::protocol::http2::STREAMS_MAX;

/// Opens connections to one target.
pub(crate) struct Connector {
    peer: Peer,
    host: String,
    path: String,
    sources: Sources,
    carrier: Carrier,
    tls: Option<Tls>,
    /// The opener of a tunnel through a proxy, if connections need one.
    tunnel: Option<Arc<[u8]>>,
    proxy_authorization: Option<String>,
    /// The login, if it is a database.
    login: Option<Arc<Login>>,
    /// The possible protocols, the best first.
    protocols: &'static [&'static Protocol],
    /// The index of the protocol that a new connection is expected to speak: the best, or the last
    /// one.
    expected: usize,
    /// How many exchanges the server is expected to allow on a connection.
    pub(crate) streams: usize,
    /// Whether sockets report when bytes arrived.
    pub(crate) timestamps: bool,
    /// The kept parts of responses.
    pub(crate) capture: Capture,
    /// The content of handshakes: header fields, and offered subprotocols.
    fields: Vec<(String, String)>,
    subprotocols: Vec<String>,
    /// The source of connections' random numbers.
    randoms: StreamFamily,
    /// The number of opened connections.
    opened: u64,
}

struct Tls {
    configuration: Arc<ClientConfig>,
    name: ServerName<'static>,
    /// The settings of QUIC, if that carries the bytes.
    quic: Option<QuicOptions>,
}

impl Connector {
    /// # Errors
    /// If the CA file cannot be read, the host can be in no certificate, or a source is no address
    /// of this machine.
    pub(crate) fn new(
        target: &Target,
        peer: Peer,
        workload: &Workload,
    ) -> Result<Connector, Invalid> {
        let scheme = target.scheme;
        let proxied = target.proxy().and_then(|_| scheme.by_proxy());
        let protocols = proxied.unwrap_or(offered(target));
        let tunnel = target.proxy().filter(|_| proxied.is_none()).map(|proxy| {
            let field = authorization(proxy).map(|text| format!("Proxy-Authorization: {text}\r\n"));
            let (to, field) = (&target.authority, field.unwrap_or_default());
            Arc::from(format!("CONNECT {to} HTTP/1.1\r\nHost: {to}\r\n{field}\r\n").as_bytes())
        });
        let tls = tls(target)?;
        let sources = match peer.ip() {
            Some(ip) => Sources::new(&target.sources, ip)?,
            None => Sources::default(),
        };
        Ok(Connector {
            peer,
            host: target.host.clone(),
            path: target.prefix.clone(),
            sources,
            carrier: scheme.carrier,
            tls,
            tunnel,
            proxy_authorization: target.proxy().and_then(authorization),
            login: login(target, workload)?.map(Arc::new),
            protocols,
            expected: 0,
            streams: EXCHANGES_MAX,
            timestamps: false,
            capture: Capture::Nothing,
            // Populations share connections, and therefore their opening settings.
            fields: workload.populations[0].headers.clone(),
            subprotocols: workload.populations[0].subprotocols.clone(),
            randoms: StreamFamily::new(workload.seed, Purpose::WebSocket),
            opened: 0,
        })
    }

    /// Whether connections can be secured with the target's options, and a login is possible; and
    /// the settings of QUIC, if used.
    ///
    /// # Errors
    /// If a file or a secret cannot be read, or the host can be in no certificate.
    pub(crate) fn check(
        target: &Target,
        workload: &Workload,
    ) -> Result<Option<QuicOptions>, Invalid> {
        login(target, workload)?;
        Ok(tls(target)?.and_then(|tls| tls.quic))
    }

    /// An address of the target, if it has any.
    pub(crate) fn ip(&self) -> Option<IpAddr> {
        self.peer.ip()
    }

    /// The expected protocol of a new connection.
    pub(crate) fn expected(&self) -> &'static Protocol {
        self.protocols[self.expected]
    }

    /// How many exchanges may wait until the server chooses the protocol, on a connection that
    /// carries only one of them, or more.
    pub(crate) fn expected_room(&self, once: bool) -> usize {
        if self.expected().multiplexed && !once { self.streams } else { 1 }
    }

    /// The protocol of this name, which the server has chosen and probably chooses again; the
    /// plainest if it chose none.
    pub(crate) fn chosen(&mut self, name: Option<&[u8]>) -> &'static Protocol {
        let of_name = |protocol: &&Protocol| Some(protocol.alpn) == name;
        self.expected = self.protocols.iter().position(of_name).unwrap_or(self.protocols.len() - 1);
        self.expected()
    }

    /// The opening settings of the connection of this number.
    pub(crate) fn opening(&self, number: u64) -> OpenOptions<'_> {
        OpenOptions {
            secure: self.tls.is_some(),
            host: &self.host,
            path: &self.path,
            fields: &self.fields,
            subprotocols: &self.subprotocols,
            proxy_authorization: self.proxy_authorization.as_deref(),
            quic: self.tls.as_ref().and_then(|tls| tls.quic.as_ref()),
            login: self.login.as_ref(),
            capture: self.capture,
            streams: self.streams,
            random: self.randoms.stream(number),
        }
    }

    /// The request that must be granted first on a new connection, if any.
    pub(crate) fn negotiation(&self) -> Option<Box<Negotiation>> {
        let tunnel = self.tunnel.clone().map(|request| Negotiation::Tunnel(Tunnel::new(request)));
        let secured = self.login.is_some() && self.tls.is_some();
        tunnel.or(secured.then_some(Negotiation::Encryption(0))).map(Box::new)
    }

    /// Begins to open a connection, and gives its number, and its address if the target has
    /// several; it is open once it first becomes writable.
    pub(crate) fn open(&mut self) -> io::Result<(Transport, u64, Option<SocketAddr>)> {
        let mut one_of_several = None;
        let socket = match &mut self.peer {
            Peer::UnixSocket(path) => open_unix(path)?,
            Peer::Addresses(addresses) => {
                let address = addresses.take_next();
                one_of_several = addresses.are_several().then_some(address);
                if !self.carrier.connects() {
                    let socket = self.sources.open(|source| open_datagrams(address, source))?;
                    let transport = match self.carrier {
                        Carrier::Quic => Transport::Quic(Box::new(QuicSocket::new(socket)?)),
                        _ => Transport::Datagrams(socket),
                    };
                    self.opened += 1;
                    return Ok((transport, self.opened, one_of_several));
                }
                self.sources.open(|source| open_socket(address, source))?
            }
        };
        let transport = match &self.tls {
            None => Tcp::new(socket, self.timestamps).map(Transport::Tcp)?,
            Some(tls) => {
                let stream = TlsStream::new(socket, &tls.configuration, &tls.name)?;
                Transport::Tls(Box::new(stream))
            }
        };
        self.opened += 1;
        Ok((transport, self.opened, one_of_several))
    }
}

/// The possible protocols with a target, the best first.
fn offered(target: &Target) -> &'static [&'static Protocol] {
    target.scheme.offered(target.tls().is_none_or(|options| options.http2))
}

/// How its connections are secured.
fn tls(target: &Target) -> Result<Option<Tls>, Invalid> {
    let Some(options) = target.tls() else { return Ok(None) };
    let name = ServerName::try_from(target.host_name().to_owned())
        .map_err(|error| Invalid::new(format!("`{}`: {error}", shown(&target.url))))?;
    let names = offered(target).iter().map(|protocol| protocol.alpn.to_vec()).collect();
    let configuration = configuration(options, names)?;
    let by_quic = target.scheme.carrier == Carrier::Quic;
    let quic = by_quic.then(|| QuicOptions::new(&configuration, target.host_name())).transpose()?;
    Ok(Some(Tls { configuration, name, quic }))
}

/// The client's identification for a proxy, if any.
fn authorization(proxy: &Proxy) -> Option<String> {
    proxy.credentials.as_ref().map(|text| format!("Basic {}", STANDARD.encode(text)))
}
