//! Redirects within an attempt, followed as browsers do.

use std::collections::HashMap;

use thinktime_core::attempt::{Attempt, Ticket};
use thinktime_core::request::Method;
use thinktime_core::time::Nanos;

use crate::generator::target::Target;
use crate::generator::transport::failure::Failure;

/// There were more redirects than the limit.
const TOO_MANY: Failure = "redirects";
/// A redirect leads to another server than the run's target.
const ELSEWHERE: Failure = "redirect_elsewhere";

/// The attempts that follow redirects.
pub(crate) struct Redirects {
    /// Whether any are followed.
    followed: bool,
    /// By the attempt's ticket.
    hops: HashMap<u64, Hop>,
}

/// The current place of an attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Hop {
    pub(crate) method: Method,
    /// The whole path with its query.
    pub(crate) target: String,
    /// Whether the body, with the fields about it, is left out.
    pub(crate) bodiless: bool,
    number: u32,
    /// The bytes of the previous exchanges.
    pub(crate) bytes_sent: u64,
    pub(crate) bytes_received: u64,
    /// The server's own time for these; [`Nanos::MAX`] if not given.
    pub(crate) server_time: Nanos,
}

/// A response that may be a redirect, and its request.
pub(crate) struct Response<'a> {
    pub(crate) method: Method,
    /// The whole path with its query.
    pub(crate) target: &'a str,
    pub(crate) status: u16,
    pub(crate) location: Option<&'a [u8]>,
    pub(crate) bytes_sent: u64,
    pub(crate) bytes_received: u64,
    pub(crate) server_time: Nanos,
}

impl Redirects {
    pub(crate) fn new(followed: bool) -> Redirects {
        Redirects { followed, hops: HashMap::new() }
    }

    /// Whether any are followed.
    pub(crate) fn are_followed(&self) -> bool {
        self.followed
    }

    /// The current place of the attempt, if redirected.
    pub(crate) fn hop(&self, attempt: &Attempt) -> Option<&Hop> {
        self.hops.get(&attempt.ticket.to_word())
    }

    /// Ends the attempt: gives its last place.
    pub(crate) fn end(&mut self, ticket: Ticket) -> Option<Hop> {
        if self.hops.is_empty() { None } else { self.hops.remove(&ticket.to_word()) }
    }

    /// Checks a response: whether the attempt continues elsewhere, `most` times at most.
    ///
    /// # Errors
    /// If it is led too far.
    pub(crate) fn follow(
        &mut self,
        attempt: &Attempt,
        response: &Response<'_>,
        origin: &Target,
        most: u32,
    ) -> Result<bool, Failure> {
        if most == 0 || !matches!(response.status, 301 | 302 | 303 | 307 | 308) {
            return Ok(false);
        }
        let Some(location) = response.location else { return Ok(false) };
        let target = resolve(location, response.target, origin).ok_or(ELSEWHERE)?;
        let before = self.hop(attempt);
        let number = before.map_or(0, |hop| hop.number) + 1;
        if number > most {
            return Err(TOO_MANY);
        }
        let method = match (response.status, response.method) {
            (301 | 302, Method::Post) => Method::Get,
            (303, Method::Get | Method::Head) => response.method,
            (303, _) => Method::Get,
            (_, method) => method,
        };
        let was_bodiless = before.is_some_and(|hop| hop.bodiless);
        let bytes = before.map_or((0, 0), |hop| (hop.bytes_sent, hop.bytes_received));
        let hop = Hop {
            method,
            target,
            bodiless: was_bodiless || method != response.method,
            number,
            bytes_sent: bytes.0 + response.bytes_sent,
            bytes_received: bytes.1 + response.bytes_received,
            server_time: before.map_or(response.server_time, |hop| {
                sum_of_times(hop.server_time, response.server_time)
            }),
        };
        self.hops.insert(attempt.ticket.to_word(), hop);
        Ok(true)
    }
}

/// The server's own times for two exchanges of an attempt together, as far as given.
pub(crate) fn sum_of_times(one: Nanos, other: Nanos) -> Nanos {
    match (one.is_never(), other.is_never()) {
        (true, _) => other,
        (_, true) => one,
        (false, false) => one + other,
    }
}

/// The path with its query to which a Location leads (RFC 3986, section 5), relative to `base`;
/// nothing if that is another origin.
fn resolve(location: &[u8], base: &str, origin: &Target) -> Option<String> {
    let location = visible(location);
    let location = location.split('#').next().unwrap_or_default();
    let mut rest = location;
    let before = rest.find(['/', '?']).map_or(rest, |at| &rest[..at]);
    if let Some((scheme, _)) = before.split_once(':') {
        if !scheme.eq_ignore_ascii_case(origin.scheme_name()) {
            return None;
        }
        rest = &rest[scheme.len() + 1..];
        if !rest.starts_with("//") {
            return None;
        }
    }
    let base_path = base.split('?').next().unwrap_or_default();
    let whole = if let Some(other) = rest.strip_prefix("//") {
        let (authority, path) = other.split_at(other.find(['/', '?']).unwrap_or(other.len()));
        if origin.with_port(authority) != origin.with_port(&origin.host) {
            return None;
        }
        if path.starts_with('/') { path.to_owned() } else { format!("/{path}") }
    } else if rest.starts_with('/') {
        rest.to_owned()
    } else if rest.is_empty() {
        base.to_owned()
    } else if rest.starts_with('?') {
        format!("{base_path}{rest}")
    } else {
        let folder = base_path.rfind('/').map_or("/", |last| &base_path[..=last]);
        format!("{folder}{rest}")
    };
    Some(without_dots(&whole))
}

/// The text with percent-encoding of all but visible ASCII characters, without blanks around it.
fn visible(text: &[u8]) -> String {
    let encode = |byte: &u8| match byte {
        0x21..=0x7e => char::from(*byte).to_string(),
        _ => format!("%{byte:02X}"),
    };
    text.trim_ascii().iter().map(encode).collect()
}

/// A path without `.` and `..`, and its query unchanged.
fn without_dots(target: &str) -> String {
    let (path, query) = target.split_at(target.find('?').unwrap_or(target.len()));
    let mut excerpt: Vec<&str> = Vec::new();
    let mut segments = path.split('/').skip(1).peekable();
    while let Some(segment) = segments.next() {
        let last = segments.peek().is_none();
        match segment {
            "." | ".." => {
                if segment == ".." {
                    excerpt.pop();
                }
                if last {
                    excerpt.push("");
                }
            }
            _ => excerpt.push(segment),
        }
    }
    format!("/{}{query}", excerpt.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resolved(location: &str) -> Option<String> {
        let origin = Target::parse("http://127.0.0.1:8080/prefix").unwrap();
        resolve(location.as_bytes(), "/a/b/c?d=e", &origin)
    }

    #[test]
    fn locations_are_resolved_as_rfc_3986_says() {
        for (location, expected) in [
            ("/x", "/x"),
            ("x", "/a/b/x"),
            ("./x?y=/../z", "/a/b/x?y=/../z"),
            ("../x", "/a/x"),
            ("../../../x", "/x"),
            ("..", "/a/"),
            (".", "/a/b/"),
            ("?q=http://o.org", "/a/b/c?q=http://o.org"),
            ("#part", "/a/b/c?d=e"),
            ("", "/a/b/c?d=e"),
            ("/x/./y/../z#part", "/x/z"),
            ("http://127.0.0.1:8080", "/"),
            ("HTTP://127.0.0.1:8080?a", "/?a"),
            ("http://127.0.0.1:8080/x y/ü", "/x%20y/%C3%BC"),
            ("//127.0.0.1:8080/x", "/x"),
            ("/x:y", "/x:y"),
        ] {
            assert_eq!(resolved(location).as_deref(), Some(expected), "{location}");
        }
    }

    #[test]
    fn other_origins_are_elsewhere() {
        for location in [
            "https://127.0.0.1:8080/",
            "http://127.0.0.1/",
            "http://127.0.0.1:8081/",
            "//localhost:8080/",
            "http:x",
            "mailto:a@b",
            "http://u@127.0.0.1:8080/",
        ] {
            assert_eq!(resolved(location), None, "{location}");
        }
        let origin = Target::parse("http://127.0.0.1").unwrap();
        assert!(resolve(b"http://127.0.0.1:80/x", "/", &origin).is_some());
    }
}
