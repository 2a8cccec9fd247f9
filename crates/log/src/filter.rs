//! Selects entries by path, host, status, method and time.

use thinktime_core::error::{Invalid, unknown};

use crate::entry::Entry;
use crate::number::integer;
use crate::time::Clock;

/// The selected part of a log.
#[derive(Clone, Debug, Default)]
pub(crate) struct Filter {
    only: Conditions,
    without: Conditions,
}

impl Filter {
    /// From texts such as `path=/shop/*`; see [`Options::only`](crate::Options::only).
    ///
    /// # Errors
    /// If one of them is invalid.
    pub(crate) fn new(only: &[String], without: &[String]) -> Result<Filter, Invalid> {
        Ok(Filter { only: Conditions::new(only)?, without: Conditions::new(without)? })
    }

    /// Whether an entry is selected.
    #[inline]
    pub(crate) fn accepts(&self, entry: &Entry<'_>) -> bool {
        (self.only.is_empty() || self.only.hold(entry, true))
            && (self.without.is_empty() || !self.without.hold(entry, false))
    }
}

/// Conditions by their kinds.
#[derive(Clone, Debug, Default)]
struct Conditions {
    paths: Vec<Vec<u8>>,
    hosts: Vec<Vec<u8>>,
    /// The first and the last status.
    statuses: Vec<(u16, u16)>,
    methods: Vec<Vec<u8>>,
    /// The start, and the end before which entries lie, in nanoseconds since 1970.
    times: Vec<(i64, i64)>,
}

/// The kinds, as users write them.
const KINDS: [&str; 5] = ["path", "host", "status", "method", "time"];

impl Conditions {
    fn new(texts: &[String]) -> Result<Conditions, Invalid> {
        let mut conditions = Conditions::default();
        for text in texts {
            let (kind, value) = text.split_once('=').ok_or_else(|| {
                Invalid::new(format!(
                    "`{text}` is no filter: say what is to match what, as in `path=/shop/*` (there \
                     are {})",
                    KINDS.join(", ")
                ))
            })?;
            let (kind, value) = (kind.trim(), value.trim());
            if !KINDS.contains(&kind) {
                return Err(unknown("filter", kind, KINDS.into_iter()));
            }
            if value.is_empty() {
                return Err(Invalid::new(format!("`{text}` says nothing after `{kind}=`")));
            }
            match kind {
                "path" => conditions.paths.push(value.into()),
                "host" => conditions.hosts.push(value.to_ascii_lowercase().into()),
                "method" => conditions.methods.push(value.to_ascii_uppercase().into()),
                "status" => conditions.statuses.push(statuses(value)?),
                _ => conditions.times.push(times(value)?),
            }
        }
        Ok(conditions)
    }

    fn is_empty(&self) -> bool {
        self.paths.is_empty()
            && self.hosts.is_empty()
            && self.statuses.is_empty()
            && self.methods.is_empty()
            && self.times.is_empty()
    }

    /// Whether all existing kinds match (`all`), or any of them does.
    fn hold(&self, entry: &Entry<'_>, all: bool) -> bool {
        let host = entry.host.to_ascii_lowercase();
        let without_port = match memchr::memrchr(b':', &host) {
            Some(at) if host[at + 1..].iter().all(u8::is_ascii_digit) => &host[..at],
            _ => &host[..],
        };
        let status = entry.status.unwrap_or(0);
        let mut kinds = [
            alternatives(&self.paths, |glob| matches(glob, &entry.path)),
            alternatives(&self.hosts, |glob| matches(glob, without_port) || matches(glob, &host)),
            alternatives(&self.statuses, |(first, last)| (*first..=*last).contains(&status)),
            alternatives(&self.methods, |name| name.eq_ignore_ascii_case(&entry.method)),
            alternatives(&self.times, |(from, to)| (*from..*to).contains(&entry.time_ns)),
        ]
        .into_iter()
        .flatten();
        if all { kinds.all(|holds| holds) } else { kinds.any(|holds| holds) }
    }
}

/// Whether one of them matches; `None` without conditions.
fn alternatives<T>(of: &[T], holds: impl Fn(&T) -> bool) -> Option<bool> {
    if of.is_empty() { None } else { Some(of.iter().any(holds)) }
}

/// Whether a text matches a pattern, in which `*` stands for any bytes and `?` for one.
fn matches(pattern: &[u8], text: &[u8]) -> bool {
    let (mut p, mut t) = (0, 0);
    // The place of the last star, and the end of its match so far.
    let mut star = None;
    while t < text.len() {
        match pattern.get(p) {
            Some(b'*') => {
                star = Some((p, t));
                p += 1;
            }
            Some(byte) if *byte == b'?' || *byte == text[t] => (p, t) = (p + 1, t + 1),
            _ => {
                let Some((at, end)) = star else { return false };
                star = Some((at, end + 1));
                (p, t) = (at + 1, end + 1);
            }
        }
    }
    pattern[p..].iter().all(|byte| *byte == b'*')
}

/// A status such as `404`, or a class such as `5xx`.
fn statuses(text: &str) -> Result<(u16, u16), Invalid> {
    let number = |digits: &str| integer(digits.as_bytes()).filter(|number| *number < 1000);
    let range = match text.strip_suffix("xx").or_else(|| text.strip_suffix("XX")) {
        Some(class) => number(class).filter(|class| *class < 10).map(|class| (class * 100, 99)),
        None => number(text).map(|status| (status, 0)),
    };
    match range {
        Some((first @ 100..=999, more)) => Ok((first as u16, (first + more) as u16)),
        _ => Err(Invalid::new(format!(
            "`status={text}`: a status is a number such as `404`, or a class such as `5xx`"
        ))),
    }
}

/// Two times with `..` between them, of which one may be missing.
fn times(text: &str) -> Result<(i64, i64), Invalid> {
    let wrong = |why: &str| {
        Invalid::new(format!(
            "`time={text}` {why}: give it as in `2026-11-22T10:00..2026-11-22T12:00`, in UTC or \
             with a zone; one of the two may be left out"
        ))
    };
    let (from, to) = text.split_once("..").ok_or_else(|| wrong("has no `..` between two times"))?;
    let ends = |text: &str, open: i64| match text.trim() {
        "" => Some(open),
        text => point(text),
    };
    let (Some(from), Some(to)) = (ends(from, i64::MIN), ends(to, i64::MAX)) else {
        return Err(wrong("holds what is no time"));
    };
    if from >= to {
        return Err(wrong("ends before it begins"));
    }
    Ok((from, to))
}

/// A day, a minute or a second, perhaps with a zone.
fn point(text: &str) -> Option<i64> {
    let (date, rest) = text.split_at_checked(10)?;
    let rest = rest.strip_prefix(['T', 't', ' ']).unwrap_or(rest);
    let end = rest.find(['Z', 'z', '+', '-']).unwrap_or(rest.len());
    let (time, zone) = rest.split_at(end);
    let time = match time.len() {
        0 => "00:00:00".to_owned(),
        5 => format!("{time}:00"),
        _ => time.to_owned(),
    };
    let whole = format!("{date}T{time}{zone}");
    Clock::default().iso(whole.as_bytes()).ok().map(|stamp| stamp.ns)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filter(only: &[&str], without: &[&str]) -> Result<Filter, Invalid> {
        let owned =
            |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
        Filter::new(&owned(only), &owned(without))
    }

    fn entry() -> Entry<'static> {
        Entry {
            // `date -u -d '2026-11-22 10:30' +%s`
            time_ns: 1_795_343_400_000_000_000,
            method: b"GET"[..].into(),
            host: b"Shop.example.com:443"[..].into(),
            path: b"/shop/cart"[..].into(),
            status: Some(503),
            ..Entry::default()
        }
    }

    #[test]
    fn kinds_must_all_hold_and_their_alternatives_need_not() {
        for (only, without, kept) in [
            (&[][..], &[][..], true),
            (&["path=/shop/*"], &[], true),
            (&["path=/shop"], &[], false),
            (&["path=/other", "path=*cart"], &[], true),
            (&["path=/shop/*", "status=200"], &[], false),
            (&["path=/shop/*", "status=200", "status=5xx"], &[], true),
            (&["host=shop.example.com", "method=get"], &[], true),
            (&["host=shop.example.com:443"], &[], true),
            (&["host=*.example.com"], &["host=www.*"], true),
            (&[], &["path=/x", "status=503"], false),
            (&[], &["status=4xx", "method=POST"], true),
            (&["time=2026-11-22T10:00..2026-11-22T11:00"], &[], true),
            (&["time=2026-11-22T12:30+02:00..2026-11-22T12:31+02:00"], &[], true),
            (&["time=2026-11-22T10:31.."], &[], false),
            (&["time=..2026-11-23"], &["time=2026-11-22T10:30:00..2026-11-22T10:30:01"], false),
        ] {
            let filter = filter(only, without).unwrap();
            assert_eq!(filter.accepts(&entry()), kept, "{only:?} {without:?}");
        }
        let none = Entry { status: None, ..entry() };
        assert!(!filter(&["status=5xx"], &[]).unwrap().accepts(&none));
    }

    #[test]
    fn mistakes_are_named_with_what_would_be_right() {
        for (text, part) in [
            ("/shop/*", "as in `path=/shop/*`"),
            ("paht=/shop", "did you mean `path`?"),
            ("path=", "says nothing"),
            ("status=6000", "a class such as `5xx`"),
            ("status=xx", "a class such as `5xx`"),
            ("status=12xx", "a class such as `5xx`"),
            ("time=2026-11-22", "has no `..`"),
            ("time=yesterday..", "holds what is no time"),
            ("time=2026-11-31..", "holds what is no time"),
            ("time=2026-11-22T11:00..2026-11-22T10:00", "ends before it begins"),
        ] {
            let message = filter(&[text], &[]).unwrap_err().to_string();
            assert!(message.contains(part), "{message}");
            assert!(filter(&[], &[text]).is_err());
        }
    }

    #[test]
    fn patterns_may_have_stars_anywhere() {
        for (pattern, text, expected) in [
            ("*", "", true),
            ("a*b*c", "aXbYbc", true),
            ("a*b*c", "aXbYb", false),
            ("/item/?", "/item/7", true),
            ("/item/?", "/item/77", false),
            ("**a", "bbba", true),
            ("", "a", false),
        ] {
            assert_eq!(matches(pattern.as_bytes(), text.as_bytes()), expected, "{pattern} {text}");
        }
        // It ends soon even though a naive matcher would run forever.
        assert!(!matches(&b"*a".repeat(50), &b"a".repeat(49)));
    }
}
