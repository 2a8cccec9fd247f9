//! The destinations of one event loop's connections.

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

/// The destinations: one, or several in turn.
#[derive(Clone)]
pub(crate) enum Peer {
    Addresses(Addresses),
    UnixSocket(PathBuf),
}

/// Addresses of one version of IP, at least one.
#[derive(Clone)]
pub(crate) struct Addresses {
    all: Vec<SocketAddr>,
    /// The index of the next one.
    next: usize,
    renewal: Option<Renewal>,
}

/// The longest time for an address to accept a connection, or to answer a handshake of QUIC, before
/// the run.
const REACH_MAX: Duration = Duration::from_secs(5);

impl Peer {
    /// Checks whether the target can be reached, and at which addresses. Also gives their repeated
    /// lookup during the run, if configured. `quic` has the settings of QUIC with the target, if
    /// used.
    ///
    /// # Errors
    /// If none can be reached.
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

    /// The same, beginning with another one of several destinations.
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
    /// Whether there are several.
    pub(crate) fn are_several(&self) -> bool {
        self.all.len() > 1
    }

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

/// The first address that accepts a connection, or answers by QUIC if that is used.
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
            // Nobody reports whether datagrams arrive.
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
