//! The cookies that sessions keep (RFC 6265), for the one host that a run talks to.

use std::collections::HashMap;

use cookie::Cookie;
use thinktime_core::client::Owner;
use thinktime_core::time::Nanos;

use crate::poller::Clock;

/// The jars of all sessions that got a cookie.
pub(crate) struct Jars {
    host: String,
    secure: bool,
    /// By the session's slot. The jar of an earlier session in a slot counts as empty.
    jars: HashMap<usize, Jar>,
}

struct Jar {
    owner: Owner,
    /// In the order in which they were first set.
    cookies: Vec<Stored>,
}

#[derive(Debug)]
struct Stored {
    name: String,
    value: String,
    path: String,
    /// The domain of the cookie; nothing for the host alone.
    domain: Option<String>,
    /// The time of its expiry.
    until: Nanos,
}

/// The most cookies in a jar: the oldest are then dropped, as in browsers.
const COOKIES_MAX: usize = 180;
/// The longest accepted cookie, name and value together, in bytes.
const COOKIE_BYTES_MAX: usize = 4096;

impl Jars {
    /// Jars for a host, with or without TLS.
    pub(crate) fn new(host: &str, secure: bool) -> Jars {
        Jars { host: host.to_ascii_lowercase(), secure, jars: HashMap::new() }
    }

    /// Stores the cookie of a Set-Cookie field, from the response to a request for `target`. A
    /// malformed cookie, or one for another host, is ignored.
    pub(crate) fn take_in(&mut self, owner: Owner, target: &str, field: &[u8], now: Nanos) {
        let text = String::from_utf8_lossy(field);
        let Ok(cookie) = Cookie::parse(text.as_ref()) else { return };
        if cookie.name().len() + cookie.value().len() > COOKIE_BYTES_MAX {
            return;
        }
        let domain = cookie.domain().filter(|domain| !domain.is_empty());
        let domain = domain.map(str::to_ascii_lowercase);
        // A cookie for TLS only would never be sent back without it.
        if !domain.as_deref().is_none_or(|domain| self.is_within(domain))
            || (cookie.secure() == Some(true) && !self.secure)
        {
            return;
        }
        let path = cookie.path().filter(|path| path.starts_with('/'));
        let path = path.unwrap_or_else(|| default_path(path_of(target))).to_owned();
        let (name, value) = (cookie.name().to_owned(), cookie.value().to_owned());
        let until = runs_out(&cookie, now, Clock::date_s);
        self.put(owner, Stored { name, value, path, domain, until }, now);
    }

    fn put(&mut self, owner: Owner, cookie: Stored, now: Nanos) {
        let empty = || Jar { owner, cookies: Vec::new() };
        let gone = cookie.until <= now;
        if gone && !self.jars.contains_key(&owner.slot) {
            return;
        }
        let jar = self.jars.entry(owner.slot).or_insert_with(empty);
        if jar.owner != owner {
            *jar = empty();
        }
        let same = |other: &Stored| {
            other.name == cookie.name && other.path == cookie.path && other.domain == cookie.domain
        };
        match jar.cookies.iter().position(same) {
            Some(place) if gone => drop(jar.cookies.remove(place)),
            Some(place) => jar.cookies[place] = cookie,
            None if gone => {}
            None => {
                if jar.cookies.len() == COOKIES_MAX {
                    jar.cookies.remove(0);
                }
                jar.cookies.push(cookie);
            }
        }
    }

    /// The value of the Cookie field of a request for `target`, if there are cookies for it.
    pub(crate) fn field(&mut self, owner: Owner, target: &str, now: Nanos) -> Option<String> {
        let jar = self.jars.get_mut(&owner.slot).filter(|jar| jar.owner == owner)?;
        jar.cookies.retain(|cookie| cookie.until > now);
        let path = path_of(target);
        let mut sent: Vec<&Stored> =
            jar.cookies.iter().filter(|cookie| is_below(path, &cookie.path)).collect();
        // The longest path first; among equals, the oldest.
        sent.sort_by_key(|cookie| std::cmp::Reverse(cookie.path.len()));
        let pairs: Vec<String> =
            sent.iter().map(|cookie| format!("{}={}", cookie.name, cookie.value)).collect();
        (!pairs.is_empty()).then(|| pairs.join("; "))
    }

    /// Whether the host belongs to a domain.
    fn is_within(&self, domain: &str) -> bool {
        let named = self.host.trim_matches(['[', ']']).parse::<std::net::IpAddr>().is_err();
        let above = || self.host.strip_suffix(domain).is_some_and(|rest| rest.ends_with('.'));
        self.host == domain || (named && above())
    }
}

/// When a cookie expires, by the run's clock: `Max-Age` takes precedence over `Expires`. `date`
/// gives the seconds since 1970.
fn runs_out(cookie: &Cookie<'_>, now: Nanos, date: impl Fn() -> i64) -> Nanos {
    let left_s = match (cookie.max_age(), cookie.expires_datetime()) {
        (Some(age), _) => age.whole_seconds(),
        (None, Some(expires)) => expires.unix_timestamp().saturating_sub(date()),
        (None, None) => return Nanos::MAX,
    };
    match u64::try_from(left_s) {
        Err(_) | Ok(0) => Nanos::ZERO,
        Ok(left_s) => Nanos(left_s.saturating_mul(1_000_000_000).saturating_add(now.0)),
    }
}

/// The path of a target, without its query.
fn path_of(target: &str) -> &str {
    target.split('?').next().unwrap_or_default()
}

/// The path of a cookie without one: that of the target up to its last slash.
fn default_path(path: &str) -> &str {
    match path.rfind('/') {
        None | Some(0) => "/",
        Some(last) => &path[..last],
    }
}

/// Whether a cookie of this path applies to that one.
fn is_below(path: &str, of: &str) -> bool {
    path.strip_prefix(of)
        .is_some_and(|rest| rest.is_empty() || of.ends_with('/') || rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Nanos = Nanos(5_000_000_000);

    fn owner(slot: usize, session: u64) -> Owner {
        Owner { slot, session, turn: 0 }
    }

    /// The cookies for a target after these fields were set in this order at `/shop/basket`.
    fn sent(host: &str, fields: &[&str], target: &str) -> Option<String> {
        let mut jars = Jars::new(host, false);
        for field in fields {
            jars.take_in(owner(0, 0), "/shop/basket?x=/y/z", field.as_bytes(), NOW);
        }
        jars.field(owner(0, 0), target, NOW)
    }

    #[test]
    fn cookies_go_where_their_path_says() {
        let fields = ["a=1", "b=2; Path=/", "c=3; Path=/shop/old", "d=4; Path=shop"];
        for (target, expected) in [
            ("/", Some("b=2")),
            ("/shop", Some("a=1; d=4; b=2")),
            ("/shop?x=1", Some("a=1; d=4; b=2")),
            ("/shop/old/1", Some("c=3; a=1; d=4; b=2")),
            ("/shop/older", Some("a=1; d=4; b=2")),
            ("/shopping", Some("b=2")),
        ] {
            assert_eq!(sent("a.org", &fields, target).as_deref(), expected, "{target}");
        }
    }

    #[test]
    fn domains_are_the_host_or_above_it() {
        for (host, domain, taken) in [
            ("www.a.org", "www.a.org", true),
            ("www.a.org", ".A.org", true),
            ("www.a.org", "b.org", false),
            ("www.a.org", "x.www.a.org", false),
            ("www.a.org", "w.a.org", false),
            ("127.0.0.1", "127.0.0.1", true),
            ("127.0.0.1", "0.0.1", false),
            ("www.a.org", "", true),
        ] {
            let field = format!("a=1; Domain={domain}");
            let got = sent(host, &[&field], "/shop/").is_some();
            assert_eq!(got, taken, "{host} {domain}");
        }
    }

    #[test]
    fn later_ones_replace_and_old_ones_go() {
        let other = |fields: &[&str]| sent("a.org", fields, "/shop/");
        assert_eq!(other(&["a=1", "b=2", "a=3"]).as_deref(), Some("a=3; b=2"));
        assert_eq!(other(&["a=1", "a=; Max-Age=0"]), None);
        assert_eq!(other(&["a=1; Max-Age=-5"]), None);
        assert_eq!(other(&["a=1; Expires=Thu, 01 Jan 1970 00:00:00 GMT"]), None);
        assert_eq!(other(&["a=1; Expires=Fri, 31 Dec 2199 23:59:59 GMT"]).as_deref(), Some("a=1"));
        let both = "a=1; Max-Age=60; Expires=Thu, 01 Jan 1970 00:00:00 GMT";
        assert_eq!(other(&[both]).as_deref(), Some("a=1"));
        assert_eq!(other(&["", "=x", "novalue", "a=1; Secure", "b=2; HttpOnly"]).as_deref(), {
            Some("b=2")
        });
    }

    #[test]
    fn cookies_run_out() {
        let mut jars = Jars::new("a.org", true);
        jars.take_in(owner(0, 0), "/", b"a=1; Max-Age=2; Secure", NOW);
        assert_eq!(jars.field(owner(0, 0), "/", NOW).as_deref(), Some("a=1"));
        assert_eq!(jars.field(owner(0, 0), "/", Nanos(NOW.0 + 2_000_000_000)), None);
        let cookie = Cookie::parse("a=1; Expires=Thu, 01 Jan 1970 00:01:40 GMT").unwrap();
        assert_eq!(runs_out(&cookie, NOW, || 90), Nanos(15_000_000_000));
        let cookie = Cookie::parse("a=1; Max-Age=99999999999999999999").unwrap();
        assert!(runs_out(&cookie, NOW, || 0) > Nanos(1 << 62));
    }

    #[test]
    fn jars_are_of_one_session_and_bounded() {
        let mut jars = Jars::new("a.org", false);
        jars.take_in(owner(0, 0), "/", b"a=1", NOW);
        for other in [owner(1, 0), owner(0, 1), Owner { turn: 1, ..owner(0, 0) }] {
            assert_eq!(jars.field(other, "/", NOW), None, "{other:?}");
        }
        jars.take_in(owner(0, 7), "/", b"b=2", NOW);
        assert_eq!(jars.field(owner(0, 7), "/", NOW).as_deref(), Some("b=2"));
        jars.take_in(owner(3, 3), "/", b"gone=; Max-Age=0", NOW);
        assert_eq!(jars.jars.len(), 1);
        for number in 0..1000 {
            jars.take_in(owner(0, 7), "/", format!("c{number}=x").as_bytes(), NOW);
        }
        jars.take_in(owner(0, 7), "/", format!("d={}", "x".repeat(5000)).as_bytes(), NOW);
        assert_eq!(jars.jars[&0].cookies.len(), COOKIES_MAX);
        let field = jars.field(owner(0, 7), "/", NOW).unwrap();
        assert!(field.ends_with("c999=x") && !field.contains("b=2"));
    }
}
