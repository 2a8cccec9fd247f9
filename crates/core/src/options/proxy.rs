//! The proxy in front of a target, with credentials that are never written down.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use thinktime_file::error::Invalid;

/// An HTTP proxy. Its `Debug` and `Display` texts have neither user nor password.
#[derive(Clone, PartialEq, Eq)]
pub struct Proxy {
    /// HOST:PORT.
    pub authority: String,
    /// USER:PASSWORD, if the proxy requires a login.
    pub credentials: Option<String>,
}

impl Proxy {
    /// From `http://[USER[:PASSWORD]@]HOST[:PORT]`; the default port is 80. In user and password
    /// `%40` stands for `@`, and so on.
    ///
    /// # Errors
    /// When it is not a proxy; the message has neither user nor password.
    pub fn parse(url: &str) -> Result<Proxy, Invalid> {
        let wrong =
            |why: &str| Invalid::new(format!("{why}: give http://[USER:PASSWORD@]HOST:PORT"));
        let (scheme, rest) = url.split_once("://").unwrap_or(("http", url));
        if !scheme.eq_ignore_ascii_case("http") {
            return Err(wrong("a proxy must speak HTTP"));
        }
        let rest = rest.strip_suffix('/').unwrap_or(rest);
        let (credentials, host) = match rest.rsplit_once('@') {
            Some((credentials, host)) => (Some(credentials), host),
            None => (None, rest),
        };
        let known = |c: char| c.is_ascii_alphanumeric() || "-._:[]%".contains(c);
        if host.is_empty() || host.starts_with(':') || !host.chars().all(known) {
            return Err(wrong("the proxy has no host"));
        }
        let credentials = match credentials.map(decoded) {
            Some(None) => return Err(wrong("the proxy's user or password is malformed")),
            Some(text) => text.map(|text| if text.contains(':') { text } else { text + ":" }),
            None => None,
        };
        let port = host.rsplit_once(':').filter(|(_, port)| !port.ends_with(']'));
        let authority = match port {
            None => format!("{host}:80"),
            Some((_, port)) if port.parse::<u16>().is_ok() => host.to_owned(),
            Some(_) => return Err(wrong("the proxy's port is no number")),
        };
        Ok(Proxy { authority, credentials })
    }
}

/// Without `%40` and the like; `None` if the result is not text.
fn decoded(text: &str) -> Option<String> {
    let mut parts = text.split('%');
    let mut bytes = parts.next().unwrap_or_default().as_bytes().to_vec();
    for part in parts {
        let code = part.get(..2).filter(|code| code.chars().all(|c| c.is_ascii_hexdigit()))?;
        bytes.push(u8::from_str_radix(code, 16).ok()?);
        bytes.extend(&part.as_bytes()[2..]);
    }
    String::from_utf8(bytes).ok()
}

impl fmt::Display for Proxy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "http://{}", self.authority)
    }
}

impl fmt::Debug for Proxy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Proxy({self})")
    }
}

impl Serialize for Proxy {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Proxy {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Proxy, D::Error> {
        let url = String::deserialize(deserializer)?;
        Proxy::parse(&url).map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn proxies_are_read_and_written_without_their_secrets() {
        let read = |url: &str| Proxy::parse(url).unwrap();
        let plain = read("http://proxy.test:3128/");
        assert_eq!(
            (plain.authority.as_str(), plain.credentials.clone()),
            ("proxy.test:3128", None)
        );
        assert_eq!(read("proxy.test").authority, "proxy.test:80");
        assert_eq!(read("http://[::1]").authority, "[::1]:80");
        let secret = read("http://me:p%40s:s%25@[::1]:81");
        assert_eq!(secret.credentials.as_deref(), Some("me:p@s:s%"));
        assert_eq!(read("http://me@h").credentials.as_deref(), Some("me:"));
        let shown = format!("{secret:?} {secret} {}", serde_json::to_string(&secret).unwrap());
        assert!(!shown.contains("me") && !shown.contains("p@s"), "{shown}");
        assert!(shown.contains("http://[::1]:81"), "{shown}");
    }

    #[test]
    fn what_is_wrong_is_said_without_secrets() {
        for (url, why) in [
            ("https://me:xyzzy@h:1", "must speak HTTP"),
            ("socks5://me:xyzzy@h", "must speak HTTP"),
            ("http://me:xyzzy@", "no host"),
            ("http://me:xyzzy@a b", "no host"),
            ("http://me:xyzzy@h:port", "no number"),
            ("http://me:xyzzy%4@h", "malformed"),
            ("http://me:xyzzy%é@h", "malformed"),
            ("http://me:xyzzy%ff@h", "malformed"),
            ("http://me:xyzzy@h/path", "no host"),
        ] {
            let error = Proxy::parse(url).unwrap_err().to_string();
            assert!(error.contains(why) && !error.contains("xyzzy"), "{url}: {error}");
        }
    }
}
