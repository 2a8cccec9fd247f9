//! Where requests go: `http://HOST:PORT`.

use std::net::{SocketAddr, ToSocketAddrs};

use thinktime_core::error::Invalid;

/// A server to send requests to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// As given.
    pub url: String,
    /// The value of the Host field.
    pub host: String,
    /// Where it listens.
    pub address: SocketAddr,
    /// What comes before each request's own target; empty, or begins with a slash.
    pub prefix: String,
}

impl Target {
    /// Parses `http://HOST[:PORT][/PREFIX]` and looks the host up, once.
    ///
    /// # Errors
    /// When it is no such URL, or the host is not found.
    pub fn parse(url: &str) -> Result<Target, Invalid> {
        let form = "a target is written as http://HOST:PORT";
        let Some(rest) = url.strip_prefix("http://") else {
            let why = if url.starts_with("https://") {
                format!("`{url}`: https is not supported yet; {form}")
            } else {
                format!("`{url}`: {form}")
            };
            return Err(Invalid::new(why));
        };
        let (host, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        if host.is_empty() || !host.chars().all(|c| c.is_ascii_graphic()) || host.contains('@') {
            return Err(Invalid::new(format!("`{url}`: {form}")));
        }
        let has_port = host.rsplit_once(':').is_some_and(|(_, port)| !port.ends_with(']'));
        let full = if has_port { host.to_owned() } else { format!("{host}:80") };
        let address = full
            .to_socket_addrs()
            .map_err(|error| Invalid::new(format!("`{url}`: {error}")))?
            .next()
            .ok_or_else(|| Invalid::new(format!("`{url}`: the host has no address")))?;
        Ok(Target {
            url: url.to_owned(),
            host: host.to_owned(),
            address,
            prefix: path.trim_end_matches('/').to_owned(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_are_read() {
        let target = Target::parse("http://127.0.0.1:8080/shop/").unwrap();
        assert_eq!(target.address, "127.0.0.1:8080".parse().unwrap());
        assert_eq!((target.host.as_str(), target.prefix.as_str()), ("127.0.0.1:8080", "/shop"));
        assert_eq!(Target::parse("http://127.0.0.1").unwrap().address.port(), 80);
        assert_eq!(Target::parse("http://[::1]:81").unwrap().address.port(), 81);
        assert_eq!(Target::parse("http://[::1]").unwrap().address.port(), 80);
    }

    #[test]
    fn other_things_are_refused_with_the_right_form() {
        for url in ["127.0.0.1:80", "https://127.0.0.1", "http://", "http://a b", "http://x:y@z"] {
            let message = Target::parse(url).unwrap_err().to_string();
            assert!(message.contains("http://HOST:PORT"), "{url}: {message}");
        }
        assert!(Target::parse("http://127.0.0.1:99999").is_err());
    }
}
