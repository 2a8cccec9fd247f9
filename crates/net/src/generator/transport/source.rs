//! The sources of connections: addresses of this machine, and ranges of their ports.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::str::FromStr;

use socket2::{Domain, Protocol, Socket, Type};
use thinktime_core::error::Invalid;

/// A source address of connections.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SourceAddress {
    /// The address.
    pub address: IpAddr,
    /// The first and the last of its ports; the kernel chooses if none are given.
    pub ports: Option<(u16, u16)>,
}

impl FromStr for SourceAddress {
    type Err = Invalid;

    /// From `ADDRESS` or `ADDRESS:FIRST-LAST`; an address of version 6 with ports is in brackets.
    fn from_str(text: &str) -> Result<SourceAddress, Invalid> {
        if let Ok(address) = text.parse() {
            return Ok(SourceAddress { address, ports: None });
        }
        let parsed = || {
            let (address, ports) = text.rsplit_once(':')?;
            let address = address.trim_start_matches('[').trim_end_matches(']').parse().ok()?;
            let (first, last) = ports.split_once('-')?;
            let ports: (u16, u16) = (first.parse().ok()?, last.parse().ok()?);
            (1 <= ports.0 && ports.0 <= ports.1)
                .then_some(SourceAddress { address, ports: Some(ports) })
        };
        parsed().ok_or_else(|| {
            Invalid::new(format!(
                "`{text}` is no source: give an address of this machine, as in 127.0.0.2, or one \
                 with a range of ports, as in 127.0.0.2:20000-60000"
            ))
        })
    }
}

/// The sources of one event loop, taken in turn.
#[derive(Default)]
pub(crate) struct Sources {
    all: Vec<SourceAddress>,
    /// The index of the next one.
    next: usize,
    /// By source, the next port.
    ports: Vec<u16>,
}

impl Sources {
    /// # Errors
    /// If a source is no address of this machine, or of another kind than the target's.
    pub(crate) fn new(all: &[SourceAddress], target: IpAddr) -> Result<Sources, Invalid> {
        for SourceAddress { address, .. } in all {
            if address.is_ipv4() != target.is_ipv4() {
                let why = format!("the source address {address} is not of the kind of {target}");
                return Err(Invalid::new(why));
            }
            let local = SocketAddr::new(*address, 0);
            Socket::new(Domain::for_address(local), Type::STREAM, Some(Protocol::TCP))
                .and_then(|socket| socket.bind(&local.into()))
                .map_err(|error| Invalid::new(format!("the source address {address}: {error}")))?;
        }
        let ports = all.iter().map(|one| one.ports.map_or(0, |ports| ports.0)).collect();
        Ok(Sources { all: all.to_vec(), next: 0, ports })
    }

    /// Opens something from the next source; with a range of ports, from the next free one of them.
    pub(crate) fn open<T>(
        &mut self,
        open: impl Fn(Option<SocketAddr>) -> io::Result<T>,
    ) -> io::Result<T> {
        let Some(source) = self.all.get(self.next) else { return open(None) };
        let place = self.next;
        self.next = (self.next + 1) % self.all.len();
        let Some((first, last)) = source.ports else {
            return open(Some(SocketAddr::new(source.address, 0)));
        };
        let mut result = Err(io::Error::from(io::ErrorKind::AddrNotAvailable));
        for _ in first..=last {
            let port = self.ports[place];
            self.ports[place] = if port == last { first } else { port + 1 };
            result = open(Some(SocketAddr::new(source.address, port)));
            if !result.as_ref().is_err_and(is_taken) {
                break;
            }
        }
        result
    }
}

fn is_taken(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::AddrInUse | io::ErrorKind::AddrNotAvailable)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_are_read() {
        let source = |text: &str| text.parse::<SourceAddress>().unwrap();
        let plain = source("127.0.0.2");
        assert_eq!((plain.address.to_string().as_str(), plain.ports), ("127.0.0.2", None));
        assert_eq!(source("::1").ports, None);
        assert_eq!(source("127.0.0.2:20000-30000").ports, Some((20000, 30000)));
        let one = SourceAddress { address: "::1".parse().unwrap(), ports: Some((5, 5)) };
        assert_eq!(source("[::1]:5-5"), one);
        for wrong in
            ["", "here", "127.0.0.1:80", "127.0.0.1:9-8", "127.0.0.1:0-9", "1.2.3.4:1-99999"]
        {
            assert!(
                wrong.parse::<SourceAddress>().unwrap_err().to_string().contains("range of ports")
            );
        }
    }

    #[test]
    fn ports_are_taken_in_turn_and_those_in_use_left_out() {
        let all = ["127.0.0.1:100-102".parse().unwrap(), "127.0.0.2".parse().unwrap()];
        let mut sources = Sources::new(&all, "127.0.0.1".parse().unwrap()).unwrap();
        let mut open = || {
            sources.open(|source| match source.map(|source| source.port()) {
                Some(101) => Err(io::Error::from(io::ErrorKind::AddrInUse)),
                port => Ok(port),
            })
        };
        let ports: Vec<_> = (0..6).map(|_| open().unwrap().unwrap()).collect();
        assert_eq!(ports, [100, 0, 102, 0, 100, 0]);
        let all = ["127.0.0.1:100-102".parse().unwrap()];
        let mut sources = Sources::new(&all, "127.0.0.1".parse().unwrap()).unwrap();
        let none = sources.open(|_| Err::<(), _>(io::Error::from(io::ErrorKind::AddrInUse)));
        assert_eq!(none.unwrap_err().kind(), io::ErrorKind::AddrInUse);
    }
}
