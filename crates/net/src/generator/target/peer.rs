//! Where the connections of one event loop go.

use std::io;
use std::net::{IpAddr, SocketAddr, TcpStream};
use std::path::PathBuf;
use std::time::Duration;

use super::endpoint::{Endpoint, Host};
use super::lookup::{Lookup, Renewal};
use super::{Target, shown};
use crate::generator::plan::RunError;
use crate::generator::transport::failure::would_block;
use crate::generator::transport::open_unix;
use crate::generator::transport::quic::QuicOptions;
use crate::generator::transport::quic::reachability::answers;

/// Where connections go: to one place, or to several in turn.
#[derive(Clone)]
pub(crate) enum Peer {
    Addresses(Addresses),
    UnixSocket(PathBuf),
}

/// Addresses of one version of IP, at least one.
#[derive(Clone)]
pub(crate) struct Addresses {
    all: Vec<SocketAddr>,
    /// The place of the one that comes next.
    next: usize,
    renewal: Option<Renewal>,
}

/// How long an address has to take a connection, or to answer a handshake of QUIC, before the run.
const REACH_MAX: Duration = Duration::from_secs(5);

impl Peer {
    /// Finds out whether the target can be reached, and at which addresses. What looks them up
    /// again during the run is given besides, if that is wanted. `quic` is how QUIC is spoken with
    /// the target, if it is.
    ///
    /// # Errors
    /// When none can be reached.
    pub(crate) fn of(
        target: &Target,
        quic: Option<&QuicOptions>,
    ) -> Result<(Peer, Option<Lookup>), RunError> {
        let by = match (&target.place, target.proxy()) {
            (Endpoint::UnixSocket(path), _) => format!(" by the Unix socket {}", path.display()),
            (_, Some(proxy)) => format!(" by the proxy {proxy}"),
            _ => String::new(),
        };
        let url = format!("{}{by}", shown(&target.url));
        let unreachable = |error| RunError::Unreachable { url: url.clone(), error };
        let host = match &target.place {
            Endpoint::Host(host) => host,
            Endpoint::UnixSocket(path) => {
                return match open_unix(path) {
                    Err(error) if !would_block(&error) => Err(unreachable(error)),
                    _ => Ok((Peer::UnixSocket(path.clone()), None)),
                };
            }
        };
        let reached = first_reachable(target, &host.addresses, quic).map_err(unreachable)?;
        let alike = |other: &SocketAddr| other.is_ipv4() == reached.is_ipv4();
        let all = host.addresses.iter().copied().filter(alike).collect();
        let lookup = host.lookup.map(|interval| start_lookup(host, interval, reached));
        let lookup = lookup.transpose()?;
        let renewal = lookup.as_ref().map(Lookup::renewal);
        Ok((Peer::Addresses(Addresses { all, next: 0, renewal }), lookup))
    }

    /// The same, beginning with another one of several places.
    pub(crate) fn starting_at(mut self, number: usize) -> Peer {
        if let Peer::Addresses(addresses) = &mut self {
            addresses.next = number;
        }
        self
    }

    /// One address, if there are any.
    pub(crate) fn ip(&self) -> Option<IpAddr> {
        match self {
            Peer::Addresses(addresses) => addresses.all.first().map(SocketAddr::ip),
            Peer::UnixSocket(_) => None,
        }
    }
}

impl Addresses {
    /// The address that comes next.
    pub(crate) fn take_next(&mut self) -> SocketAddr {
        if let Some(all) = self.renewal.as_mut().and_then(Renewal::changes) {
            self.all = all;
        }
        let place = self.next % self.all.len();
        self.next = place + 1;
        self.all[place]
    }
}

/// The first address that takes a connection, or answers where connections are those of QUIC.
fn first_reachable(
    target: &Target,
    addresses: &[SocketAddr],
    quic: Option<&QuicOptions>,
) -> io::Result<SocketAddr> {
    let mut first = None;
    for address in addresses {
        let tried = match quic {
            Some(options) => answers(*address, options, REACH_MAX),
            None if target.scheme.carrier.connects() => {
                TcpStream::connect_timeout(address, REACH_MAX).map(drop)
            }
            // Of datagrams nobody says whether they arrive.
            None => Ok(()),
        };
        match tried {
            Ok(()) => return Ok(*address),
            Err(error) => first = first.or(Some(error)),
        }
    }
    Err(first.unwrap_or_else(|| io::ErrorKind::AddrNotAvailable.into()))
}

fn start_lookup(host: &Host, interval: Duration, reached: SocketAddr) -> io::Result<Lookup> {
    let version = if reached.is_ipv4() { 4 } else { 6 };
    let host = Host { ip_version: Some(version), ..host.clone() };
    Lookup::start(interval, move || host.look_up())
}
