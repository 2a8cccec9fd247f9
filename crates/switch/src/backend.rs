//! A server that requests are forwarded to.

use std::net::{SocketAddr, ToSocketAddrs};

use thinktime_core::error::Invalid;

/// A server that requests are forwarded to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Backend {
    /// As it was given.
    pub url: String,
    /// The address on which it listens.
    pub address: SocketAddr,
}

impl Backend {
    /// Parses `http://HOST:PORT`, and looks its address up.
    ///
    /// # Errors
    /// If it has another form, or the name is unknown.
    pub fn parse(url: &str) -> Result<Backend, Invalid> {
        let form = || Invalid::new(format!("`{url}` is not of the form http://HOST:PORT"));
        if url.starts_with("https://") {
            return Err(Invalid::new(format!(
                "`{url}`: the switch speaks no TLS with the servers behind it, only with clients; \
                 write http://HOST:PORT, with the server's port for HTTP without TLS"
            )));
        }
        let rest = url.strip_prefix("http://").ok_or_else(form)?;
        let place = rest.strip_suffix('/').unwrap_or(rest);
        if place.is_empty() || place.contains(['/', '?', '#', '@']) {
            return Err(form());
        }
        // Colons of the address are in brackets.
        let behind = place.rfind(']').map_or(0, |at| at + 1);
        if place.starts_with('[') != (behind > 0) {
            return Err(form());
        }
        let (name, port) = place[behind..].split_once(':').unwrap_or((&place[behind..], "80"));
        if name.is_empty() != (behind > 0) || !is_port(port) {
            return Err(form());
        }
        let place = format!("{}{name}:{port}", &place[..behind]);
        let found = place.to_socket_addrs().map(|mut found| found.next());
        match found {
            Ok(Some(address)) => Ok(Backend { url: url.to_owned(), address }),
            Ok(None) => Err(Invalid::new(format!("`{url}` has no address"))),
            Err(error) => Err(Invalid::new(format!("`{url}` has no address: {error}"))),
        }
    }

    /// Host and port, as they were given.
    pub(crate) fn authority(&self) -> &str {
        let rest = self.url.strip_prefix("http://").unwrap_or(&self.url);
        rest.strip_suffix('/').unwrap_or(rest)
    }
}

fn is_port(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit()) && text.parse::<u16>().is_ok_and(|port| port > 0)
}
