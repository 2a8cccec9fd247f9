//! How clients use connections.

use std::net::{IpAddr, SocketAddr};

use socket2::{Domain, Protocol, Socket, Type};
use thinktime_core::error::Invalid;

/// How clients use connections.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Connections {
    /// Whether a connection carries one request or many.
    pub reuse: Reuse,
    /// This machine's addresses that connections come from, in turn; the kernel chooses where
    /// there are none. Each has some 28,000 ports for connections to one target.
    pub sources: Vec<IpAddr>,
}

/// Whether a connection carries one request or many.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reuse {
    /// Connections are kept for later requests, of the same client or others.
    #[default]
    KeepAlive,
    /// Each request opens a connection of its own, and says that it will be closed.
    PerRequest,
}

impl Connections {
    /// # Errors
    /// When a source is no address of this machine, or of another kind than the target's.
    pub(super) fn check(&self, target: SocketAddr) -> Result<(), Invalid> {
        for source in &self.sources {
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
}
