//! The addresses of servers: `http://HOST:PORT`, `https://` for TLS, `h2c://` for HTTP/2 without
//! TLS, `h3://` for HTTP/3, `ws://` and `wss://` for WebSocket, `tcp://` and `udp://` for bytes as
//! they are, and `postgresql://USER@HOST:PORT/DATABASE`.

pub(crate) mod database;
pub(crate) mod endpoint;
pub(crate) mod lookup;
pub(crate) mod peer;

use std::io;

use thinktime_core::error::Invalid;
use thinktime_core::options::{Proxy, RunOptions};
use thinktime_core::secrets::without_secrets;

use crate::generator::plan::RunError;
use crate::generator::protocols::{Carrier, PathUse, Payload, Scheme};
use crate::generator::transport::source::SourceAddress;
use crate::generator::transport::tls::TlsOptions;
use database::Database;
use endpoint::{Endpoint, EndpointError};

/// A server to send requests to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// As given.
    pub url: String,
    /// The protocols, and the transport.
    pub(crate) scheme: &'static Scheme,
    tls: Option<TlsOptions>,
    /// The value of the Host field.
    pub host: String,
    /// HOST:PORT.
    pub(crate) authority: String,
    /// The address of the server, or of the proxy before it.
    pub place: Endpoint,
    proxy: Option<Proxy>,
    /// The user and the database, if it is a database.
    pub(crate) database: Option<Database>,
    /// The prefix of each request's own target, or the whole target of a WebSocket's handshake;
    /// empty, or begins with a slash.
    pub prefix: String,
    /// This machine's source addresses of connections, in turn; if empty, the kernel chooses. Each
    /// has some 28,000 ports for connections to one target.
    pub sources: Vec<SourceAddress>,
}

/// How targets are written, for messages.
const FORM: &str = "a target is written as http://HOST:PORT, with https, h2c or h3 in place of \
                    http if the server speaks TLS, HTTP/2 without TLS, or HTTP/3; with ws or wss \
                    for WebSocket; as tcp://HOST:PORT or udp://HOST:PORT; or as \
                    postgresql://USER@HOST:PORT/DATABASE";

impl Target {
    /// The target at a URL, with these options.
    ///
    /// # Errors
    /// If the URL or an option is wrong, the option does not fit the URL, or the host is not found.
    pub fn of(url: &str, options: &RunOptions) -> Result<Target, RunError> {
        let target = Target::read(url, options)?;
        let tls = TlsOptions::of(options, target.tls().is_some())?;
        let sources = options.sources.iter().flatten().map(|text| text.parse());
        Ok(target.with_tls(tls).with_sources(sources.collect::<Result<_, Invalid>>()?))
    }

    /// Parses `http://HOST[:PORT][/PREFIX]`, or the same with `https`, `h2c`, `h3`, `ws` or `wss`,
    /// or `tcp://HOST:PORT`, or `udp`, and looks the host up, once. The default of TLS options is
    /// [`TlsOptions::default`].
    ///
    /// # Errors
    /// If it is no such URL, or the host is not found.
    pub fn parse(url: &str) -> Result<Target, RunError> {
        Target::read(url, &RunOptions::default())
    }

    fn read(url: &str, options: &RunOptions) -> Result<Target, RunError> {
        let shown = shown(url);
        let wrong = |why: &str| Invalid::new(format!("`{shown}`: {why}"));
        let (scheme, rest) = url.split_once("://").ok_or_else(|| wrong(FORM))?;
        let scheme = Scheme::of(scheme).ok_or_else(|| wrong(FORM))?;
        let (rest, database) = match scheme.payload() {
            Payload::Statements => Database::read(rest).map(|(host, read)| (host, Some(read)))?,
            _ => (rest, None),
        };
        let (host, path) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
        plain(host, path)?;
        let nowhere = host.is_empty() && !(database.is_some() && options.unix_socket.is_some());
        if nowhere || !host.chars().all(|c| c.is_ascii_graphic()) {
            return Err(wrong(FORM).into());
        }
        let prefix = prefix(scheme.first().path, path, &shown)?.ok_or_else(|| wrong(FORM))?;
        let full = match scheme.port {
            _ if has_port(host) => host.to_owned(),
            Some(port) => format!("{host}:{port}"),
            None => return Err(wrong(FORM).into()),
        };
        let secure = database.as_ref().map(|database| database.secure);
        let secure = secure.unwrap_or(scheme.carrier.is_secure());
        check_way(options, scheme, secure).map_err(wrong)?;
        let listens = options.proxy.as_ref().map_or(&full, |proxy| &proxy.authority);
        let place = Endpoint::of(listens, options).map_err(|error| match error {
            EndpointError::Invalid(error) => {
                Invalid::new(format!("{error} (target {shown})")).into()
            }
            EndpointError::NotFound(error) => not_found(&shown, listens, &error),
        })?;
        Ok(Target {
            url: url.to_owned(),
            scheme,
            tls: secure.then(TlsOptions::default),
            host: host.to_owned(),
            authority: full,
            place,
            proxy: options.proxy.clone(),
            database,
            prefix,
            sources: Vec::new(),
        })
    }

    /// The same target with other TLS options, if it uses TLS.
    #[must_use]
    pub fn with_tls(mut self, options: TlsOptions) -> Target {
        self.tls = self.tls.map(|_| options);
        self
    }

    /// The options of TLS, if it is used.
    #[must_use]
    pub fn tls(&self) -> Option<&TlsOptions> {
        self.tls.as_ref()
    }

    /// The same target, reached from these addresses of this machine.
    #[must_use]
    pub fn with_sources(mut self, sources: Vec<SourceAddress>) -> Target {
        self.sources = sources;
        self
    }

    /// The proxy before it, if any.
    pub(crate) fn proxy(&self) -> Option<&Proxy> {
        self.proxy.as_ref()
    }

    /// The host without port and brackets, for which a certificate must be valid.
    #[must_use]
    pub fn host_name(&self) -> &str {
        let name = if has_port(&self.host) {
            self.host.rsplit_once(':').map_or("", |(name, _)| name)
        } else {
            &self.host
        };
        name.trim_start_matches('[').trim_end_matches(']')
    }

    /// The scheme in other URLs of the same server.
    pub(crate) fn scheme_name(&self) -> &'static str {
        if self.is_secure() { "https" } else { "http" }
    }

    /// Whether sockets report when a response arrived, so that it may stay there for a while.
    pub(crate) fn uses_arrival_time(&self) -> bool {
        let told = matches!(self.place, Endpoint::Host(_)) && self.scheme.carrier == Carrier::Tcp;
        told && self.scheme.first().uses_arrival_time
    }

    /// Whether TLS is used.
    pub(crate) fn is_secure(&self) -> bool {
        self.tls.is_some()
    }

    /// A host in lower case and with its port, which may be the scheme's default.
    pub(crate) fn with_port(&self, host: &str) -> String {
        let port = if self.is_secure() { 443 } else { 80 };
        let host = host.to_ascii_lowercase();
        if has_port(&host) { host } else { format!("{host}:{port}") }
    }
}

/// The error of a target, or the proxy before it, whose host has no address.
fn not_found(shown: &str, listens: &str, error: &io::Error) -> RunError {
    let why = format!(
        "`{listens}` has no address ({error}): check the name, or give its address by `resolve`"
    );
    RunError::Unreachable { url: shown.to_owned(), error: io::Error::other(why) }
}

/// A target for messages: the text after `?` or `#` may be a secret, and is left out.
pub(crate) fn shown(url: &str) -> String {
    let end = url.find(['?', '#']).unwrap_or(url.len());
    let left_out = url[end..].chars().next().map_or(String::new(), |mark| format!("{mark}..."));
    format!("{}{left_out}", without_secrets(&url[..end]))
}

/// Refuses possible passwords and text that would alter a request, without repeating it.
fn plain(host: &str, path: &str) -> Result<(), Invalid> {
    if host.contains('@') {
        return Err(Invalid::new("a target has no user and no password: see `basic` of [clients]"));
    }
    if !path.bytes().all(|byte| byte.is_ascii_graphic()) {
        let why = "holds blanks or characters that must be percent-encoded";
        return Err(Invalid::new(format!("the path of the target {why}")));
    }
    Ok(())
}

/// The prefix of each request's own target, or the whole of it; nothing if the scheme has no place
/// for a path.
///
/// # Errors
/// If a part is never sent, or belongs to requests.
fn prefix(used: PathUse, path: &str, shown: &str) -> Result<Option<String>, Invalid> {
    let refused = |why: &str| Err(Invalid::new(format!("`{shown}`: {why}")));
    if path.contains('#') {
        return refused("the part after `#` is for browsers and goes to no server: leave it out");
    }
    match used {
        PathUse::None | PathUse::Database => Ok(matches!(path, "" | "/").then(String::new)),
        PathUse::Whole if path.starts_with('?') => Ok(Some(format!("/{path}"))),
        PathUse::Whole => Ok(Some(path.to_owned())),
        PathUse::Prefix if path.contains('?') => refused(
            "a target has no query: the part after `?` belongs to the requests of the workload, as \
             in get = \"/item?a=1\"",
        ),
        PathUse::Prefix => Ok(Some(path.trim_end_matches('/').to_owned())),
    }
}

/// Whether a target of this scheme can be reached with the options.
fn check_way(options: &RunOptions, scheme: &Scheme, secure: bool) -> Result<(), &'static str> {
    let (proxy, socket) = (options.proxy.is_some(), options.unix_socket.is_some());
    let database = scheme.payload() == Payload::Statements;
    match scheme.carrier {
        Carrier::Datagrams if socket => Err("`unix_socket` does not go with datagrams"),
        Carrier::Datagrams if proxy => Err("`proxy` does not go with datagrams"),
        Carrier::Quic if socket => Err("`unix_socket` does not go with HTTP/3"),
        Carrier::Quic if proxy => {
            Err("`proxy` does not go with HTTP/3: a proxy of HTTP carries no datagrams")
        }
        _ if proxy && socket => Err("give `proxy` or `unix_socket`, not both"),
        _ if proxy && database => Err("`proxy` does not go with a database"),
        _ if socket && database && secure => {
            Err("PostgreSQL speaks no TLS over a Unix socket: leave `sslmode` out")
        }
        _ => Ok(()),
    }
}

fn has_port(host: &str) -> bool {
    host.rsplit_once(':').is_some_and(|(_, port)| !port.ends_with(']'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_are_read() {
        let target = Target::parse("http://127.0.0.1:8080/shop/").unwrap();
        assert_eq!(target.place.address().unwrap(), "127.0.0.1:8080".parse().unwrap());
        assert_eq!((target.host.as_str(), target.prefix.as_str()), ("127.0.0.1:8080", "/shop"));
        assert_eq!(Target::parse("http://127.0.0.1").unwrap().place.address().unwrap().port(), 80);
        assert_eq!(Target::parse("http://[::1]:81").unwrap().place.address().unwrap().port(), 81);
        assert_eq!(Target::parse("http://[::1]").unwrap().place.address().unwrap().port(), 80);
        assert_eq!(Target::parse("https://[::1]").unwrap().place.address().unwrap().port(), 443);
        assert_eq!(Target::parse("h2c://127.0.0.1:8080").unwrap().scheme.name, "h2c");
        let quic = Target::parse("h3://127.0.0.1/shop").unwrap();
        assert_eq!((quic.place.address().unwrap().port(), quic.prefix.as_str()), (443, "/shop"));
        assert!(quic.tls().is_some());
    }

    #[test]
    fn urls_of_messages_are_read() {
        let parse = |url| Target::parse(url).unwrap();
        let chat = parse("ws://127.0.0.1/chat/?room=1");
        assert_eq!(
            (chat.place.address().unwrap().port(), chat.prefix.as_str()),
            (80, "/chat/?room=1")
        );
        let secure = parse("wss://127.0.0.1").with_tls(TlsOptions::default());
        assert_eq!((secure.place.address().unwrap().port(), secure.prefix.as_str()), (443, ""));
        assert!(secure.tls().is_some() && chat.tls().is_none());
        assert_eq!(parse("tcp://127.0.0.1:7").scheme.name, "tcp");
        assert_eq!(parse("udp://[::1]:7/").scheme.name, "udp");
        for url in ["tcp://127.0.0.1", "udp://127.0.0.1", "tcp://127.0.0.1:7/x"] {
            let message = Target::parse(url).unwrap_err().to_string();
            assert!(message.contains("tcp://HOST:PORT"), "{url}: {message}");
        }
    }

    #[test]
    fn queries_belong_to_requests_and_fragments_to_nobody() {
        let refused = |url| Target::parse(url).unwrap_err().to_string();
        for url in ["http://127.0.0.1:81?a=1", "http://127.0.0.1/?a=1", "https://127.0.0.1/x?"] {
            assert!(refused(url).contains("get = \"/item?a=1\""), "{url}: {}", refused(url));
        }
        for url in ["http://127.0.0.1#a", "ws://127.0.0.1/x?y#a", "http://127.0.0.1/?a#b"] {
            assert!(refused(url).contains("the part after `#`"), "{url}: {}", refused(url));
        }
        assert_eq!(Target::parse("ws://127.0.0.1?room=1").unwrap().prefix, "/?room=1");
    }

    #[test]
    fn messages_repeat_no_secret_of_a_target() {
        for url in [
            "http://127.0.0.1/?token=HIDDEN",
            "http://127.0.0.1/x#access_token=HIDDEN",
            "tcp://127.0.0.1/x?HIDDEN",
            "nothing://user:HIDDEN@127.0.0.1/?x=1",
            "http://127.0.0.1:port?HIDDEN",
        ] {
            let message = Target::parse(url).unwrap_err().to_string();
            assert!(!message.contains("HIDDEN"), "{url}: {message}");
        }
        assert_eq!(shown("ws://127.0.0.1/x?a=1"), "ws://127.0.0.1/x?...");
    }

    #[test]
    fn certificates_are_for_the_host_alone() {
        for (url, name) in [
            ("https://127.0.0.1:8443/shop", "127.0.0.1"),
            ("https://[::1]:8443", "::1"),
            ("https://[::1]", "::1"),
            ("https://localhost", "localhost"),
        ] {
            assert_eq!(Target::parse(url).unwrap().host_name(), name);
        }
    }

    #[test]
    fn tls_options_are_those_of_https_alone() {
        let options = TlsOptions { verify: false, ..TlsOptions::default() };
        let target = Target::parse("https://127.0.0.1").unwrap().with_tls(options.clone());
        assert_eq!(target.tls(), Some(&options));
        let target = Target::parse("http://127.0.0.1").unwrap().with_tls(options);
        assert_eq!(target.tls(), None);
    }

    #[test]
    fn other_things_are_refused_with_the_right_form() {
        for url in ["127.0.0.1:80", "ftp://127.0.0.1", "http://", "https://", "http://a b"] {
            let message = Target::parse(url).unwrap_err().to_string();
            assert!(message.contains("http://HOST:PORT"), "{url}: {message}");
        }
        assert!(Target::parse("http://127.0.0.1:99999").is_err());
        let message = Target::parse("http://x:secret@z").unwrap_err().to_string();
        assert!(message.contains("no user") && !message.contains("secret"), "{message}");
    }
}
