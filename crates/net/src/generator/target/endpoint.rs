//! The destinations of a target's connections: the addresses of a host, or a Unix socket.

use std::io;
use std::net::{SocketAddr, ToSocketAddrs};
use std::path::PathBuf;
use std::time::Duration;

use thinktime_core::error::Invalid;
use thinktime_core::options::RunOptions;
use thiserror::Error;

/// The destination of connections.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Endpoint {
    /// To a host.
    Host(Host),
    /// A socket of this machine with a path.
    UnixSocket(PathBuf),
}

/// Why there is no destination.
#[derive(Debug, Error)]
pub(crate) enum EndpointError {
    /// An option is wrong.
    #[error(transparent)]
    Invalid(#[from] Invalid),
    /// The host is not found.
    #[error("{0}")]
    NotFound(io::Error),
}

/// A host and its addresses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Host {
    /// HOST:PORT.
    pub authority: String,
    /// Its addresses, at least one, in the order of preference.
    pub addresses: Vec<SocketAddr>,
    /// The only version of IP in use: 4 or 6.
    pub ip_version: Option<u64>,
    /// How often the host is looked up again.
    pub lookup: Option<Duration>,
}

/// The shortest time between two lookups.
const LOOKUP_MIN: Duration = Duration::from_millis(10);

impl Endpoint {
    /// For HOST:PORT, with these options; the host is looked up unless they give its addresses.
    ///
    /// # Errors
    /// If the host is not found, or an option is wrong.
    pub(crate) fn of(authority: &str, options: &RunOptions) -> Result<Endpoint, EndpointError> {
        let Some(path) = &options.unix_socket else {
            return Host::of(authority, options).map(Endpoint::Host);
        };
        let others = [
            (options.resolve.is_some(), "resolve"),
            (options.ip_version.is_some(), "ip_version"),
            (options.lookup.is_some(), "lookup"),
            (options.sources.is_some(), "sources"),
        ];
        if path.is_empty() {
            let why = "`unix_socket` is empty: give the path of a socket, as in /run/shop.sock";
            return Err(Invalid::new(why).into());
        }
        if let Some((_, other)) = others.iter().find(|(given, _)| *given) {
            let why = format!("a Unix socket has no address: leave `{other}` or `unix_socket` out");
            return Err(Invalid::new(why).into());
        }
        Ok(Endpoint::UnixSocket(path.into()))
    }

    /// The first address, if there are any.
    #[must_use]
    pub fn address(&self) -> Option<SocketAddr> {
        match self {
            Endpoint::Host(host) => host.addresses.first().copied(),
            Endpoint::UnixSocket(_) => None,
        }
    }
}

impl Host {
    fn of(authority: &str, options: &RunOptions) -> Result<Host, EndpointError> {
        let ip_version = options.ip_version;
        if !matches!(ip_version, None | Some(4 | 6)) {
            return Err(Invalid::new("ip_version: give 4 or 6").into());
        }
        if options.resolve.is_some() && options.lookup.is_some() {
            return Err(Invalid::new("give `resolve` or `lookup`, not both").into());
        }
        let lookup = match &options.lookup {
            None => None,
            Some(time) => Some(Duration::from_secs_f64(time.seconds("lookup")?.min(1e9))),
        };
        if lookup.is_some_and(|lookup| lookup < LOOKUP_MIN) {
            return Err(Invalid::new("lookup: must be at least 10ms").into());
        }
        let mut host =
            Host { authority: authority.to_owned(), addresses: Vec::new(), ip_version, lookup };
        host.addresses = match &options.resolve {
            Some(entries) => host.listed(entries)?,
            None => host.look_up().map_err(EndpointError::NotFound)?,
        };
        if host.addresses.is_empty() {
            let version = ip_version.map_or(String::new(), |version| format!(" of IPv{version}"));
            let why = format!("`{authority}`: the host has no address{version}");
            return Err(Invalid::new(why).into());
        }
        Ok(host)
    }

    /// The current addresses, of the chosen version of IP.
    ///
    /// # Errors
    /// If the host is not found.
    pub(crate) fn look_up(&self) -> io::Result<Vec<SocketAddr>> {
        Ok(self.of_version(self.authority.to_socket_addrs()?))
    }

    /// The addresses of entries `HOST:PORT:ADDRESS[,ADDRESS]...`.
    fn listed(&self, entries: &[String]) -> Result<Vec<SocketAddr>, Invalid> {
        let (_, port) = self.authority.rsplit_once(':').unwrap_or_default();
        let port = port.parse().map_err(|_| Invalid::new("the target's port is no number"))?;
        let mut all = Vec::new();
        for entry in entries {
            let addresses = self.named_in(entry).ok_or_else(|| {
                Invalid::new(format!(
                    "resolve: `{entry}` is not about the target: write {}:ADDRESS, with commas \
                     between several addresses",
                    self.authority
                ))
            })?;
            for text in addresses.split(',') {
                let bare = text.trim().trim_start_matches('[').trim_end_matches(']');
                let address = bare.parse().map_err(|_| {
                    Invalid::new(format!("resolve: `{text}` in `{entry}` is no IP address"))
                })?;
                all.push(SocketAddr::new(address, port));
            }
        }
        Ok(self.of_version(all))
    }

    /// The text after HOST:PORT: in an entry of this host and port.
    fn named_in<'a>(&self, entry: &'a str) -> Option<&'a str> {
        let own = entry.get(..self.authority.len())?;
        let rest = &entry[self.authority.len()..];
        own.eq_ignore_ascii_case(&self.authority).then(|| rest.strip_prefix(':')).flatten()
    }

    fn of_version(&self, all: impl IntoIterator<Item = SocketAddr>) -> Vec<SocketAddr> {
        let mut wanted: Vec<SocketAddr> = Vec::new();
        for address in all {
            let version = if address.is_ipv4() { 4 } else { 6 };
            if self.ip_version.is_none_or(|one| one == version) && !wanted.contains(&address) {
                wanted.push(address);
            }
        }
        wanted
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(authority: &str, options: &str) -> Result<Vec<String>, String> {
        let options = RunOptions::from_json(options).unwrap();
        match Endpoint::of(authority, &options) {
            Ok(Endpoint::Host(host)) => {
                Ok(host.addresses.iter().map(ToString::to_string).collect())
            }
            Ok(Endpoint::UnixSocket(path)) => Ok(vec![path.display().to_string()]),
            Err(error) => Err(error.to_string()),
        }
    }

    #[test]
    fn addresses_that_are_given_need_no_lookup() {
        let given =
            r#"{"resolve":["shop.invalid:80:127.0.0.2,127.0.0.3","Shop.invalid:80:[::1]"]}"#;
        assert_eq!(
            place("shop.invalid:80", given).unwrap(),
            ["127.0.0.2:80", "127.0.0.3:80", "[::1]:80"]
        );
        let six = given.replace('}', r#","ip_version":6}"#);
        assert_eq!(place("shop.invalid:80", &six).unwrap(), ["[::1]:80"]);
        let socket = r#"{"unix_socket":"/run/shop.sock"}"#;
        assert_eq!(place("shop.invalid:80", socket).unwrap(), ["/run/shop.sock"]);
        assert!(place("shop.invalid:80", "{}").is_err());
    }

    #[test]
    fn what_is_wrong_is_said() {
        for (options, why) in [
            (r#"{"resolve":["shop.test:81:127.0.0.1"]}"#, "write shop.test:80:ADDRESS"),
            (r#"{"resolve":["shop.test:80"]}"#, "write shop.test:80:ADDRESS"),
            (r#"{"resolve":["é:80:1"]}"#, "write shop.test:80:ADDRESS"),
            (r#"{"resolve":["shop.test:80:here"]}"#, "`here` in"),
            (r#"{"resolve":["shop.test:80:::1"],"ip_version":4}"#, "no address of IPv4"),
            (r#"{"ip_version":5}"#, "give 4 or 6"),
            (r#"{"resolve":["shop.test:80:::1"],"lookup":"1s"}"#, "not both"),
            (r#"{"lookup":"1ms"}"#, "at least 10ms"),
            (r#"{"unix_socket":"/x","lookup":"1s"}"#, "leave `lookup` or"),
            (r#"{"unix_socket":""}"#, "`unix_socket` is empty: give the path"),
        ] {
            let error = place("shop.test:80", options).unwrap_err();
            assert!(error.contains(why), "{options}: {error}");
        }
    }
}
