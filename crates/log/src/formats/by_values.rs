//! Columns and keys that no usual name explains: their meanings by the values of all of the first
//! lines.

use std::collections::BTreeSet;

use super::added::is_private;
use super::dates::are_dates;
use crate::entry::Text;
use crate::field::{any_duration, is_address};
use crate::number::{decimal, integer};
use crate::time::{Clock, MILLISECOND, SECOND};

/// A column whose meaning is open.
#[derive(Debug)]
pub(super) struct Open<'v> {
    /// Its name, or its number from 1.
    pub(super) name: &'v str,
    /// Its values, with gaps.
    pub(super) values: Vec<Option<Text<'v>>>,
}

/// A meaning that values show.
#[derive(Debug, PartialEq)]
pub(super) struct Found<'v> {
    /// Its name in a mapping.
    pub(super) key: &'static str,
    pub(super) name: &'v str,
    /// The first other column whose values would fit as well.
    pub(super) other: Option<&'v str>,
}

impl Found<'_> {
    /// What is said of it, with the option that decides.
    pub(super) fn doubt(&self, format: &str) -> String {
        let Found { key, name, other } = self;
        let meant = match *key {
            "stamp" | "end" => "time",
            "url" => "target",
            "request" => "request line",
            key => key,
        };
        match other {
            Some(other) => format!(
                "`{name}` is taken for the {meant} by its values, not `{other}`; --format \
                 {format}:{key}={other} takes the other one"
            ),
            None => format!(
                "`{name}` is taken for the {meant} by its values; --format {format}:{key}=NAME \
                 names another one"
            ),
        }
    }
}

/// The columns of these meanings, in their order; each column has one.
pub(super) fn find<'v>(keys: &[&'static str], open: &[Open<'v>]) -> Vec<Found<'v>> {
    let mut found: Vec<Found<'_>> = Vec::new();
    for key in keys {
        let fits = |column: &&Open<'v>| {
            found.iter().all(|one| one.name != column.name) && column.fits(key)
        };
        let fitting: Vec<&Open<'_>> = open.iter().filter(fits).collect();
        let Some(chosen) = best(key, &fitting) else { continue };
        let is_other = |one: &&&Open<'_>| one.name != chosen.name && !one.says_as(chosen, key);
        let other = fitting.iter().find(is_other).map(|one| one.name);
        found.push(Found { key, name: chosen.name, other });
    }
    found
}

/// The column that is meant among those that fit: mostly the first one.
fn best<'c, 'v>(key: &str, fitting: &[&'c Open<'v>]) -> Option<&'c Open<'v>> {
    let first = fitting.first().copied();
    let preferred = match key {
        // That of a server or of a proxy is the same in all lines.
        "address" => fitting.iter().copied().find(|column| !column.is_same()),
        // Of several that name the same moments, the finest.
        "time" | "stamp" | "end" => finest(fitting),
        // That of a server behind this one is not there, or a list, if none was asked.
        "status" => fitting.iter().copied().find(|one| one.is_everywhere()),
        // Parts of the request's time are shorter.
        "duration" => fitting.iter().copied().find(|one| !fitting.iter().any(|x| x.exceeds(one))),
        _ => None,
    };
    preferred.or(first)
}

/// The column of the finest times, if all of them name the same seconds.
fn finest<'c, 'v>(fitting: &[&'c Open<'v>]) -> Option<&'c Open<'v>> {
    let first = fitting.first().copied()?;
    let is_same = |one: &&&Open<'_>| {
        let pairs = first.stamps().into_iter().zip(one.stamps());
        pairs.into_iter().all(|(a, b)| a.0.abs_diff(b.0) <= SECOND.unsigned_abs())
    };
    let alike = fitting.iter().take_while(is_same).copied();
    alike.min_by_key(|one| one.stamps().iter().map(|stamp| stamp.1).min())
}

impl<'v> Open<'v> {
    /// The times with the steps of their clock, in nanoseconds.
    fn stamps(&self) -> Vec<(i64, u64)> {
        let mut clock = Clock::default();
        let stamps = self.there().filter_map(|value| clock.any(value).ok());
        stamps.map(|stamp| (stamp.ns, stamp.resolution_ns)).collect()
    }

    /// Whether the other column says the same, or is known as a part of it.
    fn says_as(&self, chosen: &Open<'_>, key: &str) -> bool {
        match key {
            "time" | "stamp" | "end" => finest(&[self, chosen]).is_some_and(|one| {
                one.name == chosen.name
                    && finest(&[chosen, self]).is_some_and(|x| x.name == one.name)
            }),
            "status" => chosen.is_everywhere() && !self.is_everywhere(),
            "duration" => !self.exceeds(chosen) && chosen.exceeds(self),
            // Gaps are those of a header.
            "address" => self.there().count() < self.values.len(),
            _ => false,
        }
    }

    /// Whether no line lacks the value, or has another form of it.
    fn is_everywhere(&self) -> bool {
        self.there().count() == self.values.len() && self.there().all(is_status)
    }

    /// The values that are there.
    fn there(&self) -> impl Iterator<Item = &[u8]> {
        let values = self.values.iter().flatten().map(|value| &value[..]);
        values.filter(|value| !matches!(*value, b"" | b"-"))
    }

    /// Whether nine of ten of the values that are there are so.
    fn most(&self, is_so: impl Fn(&[u8]) -> bool) -> bool {
        let (all, so) =
            self.there().fold((0, 0), |(all, so), value| (all + 1, so + usize::from(is_so(value))));
        so > 0 && 10 * so >= 9 * all
    }

    /// Whether the values may have a meaning.
    fn fits(&self, key: &str) -> bool {
        match key {
            "time" | "stamp" | "end" => are_dates(&self.values) || self.most(is_day),
            "request" => self.most(is_request),
            "method" => self.most(|value| METHODS.contains(&value)),
            "url" => self.most(is_target),
            "status" => self.most(is_status),
            "address" => self.most(is_address),
            "forwarded" => self.most(is_forwarded) && self.there().any(|all| all.contains(&b',')),
            "duration" => self.most(has_unit) || self.most(is_fraction),
            "agent" => self.most(is_agent),
            "protocol" => self.most(|value| value.starts_with(b"HTTP/")),
            "referrer" => self.most(is_url),
            "host" => self.most(is_host),
            _ => false,
        }
    }

    /// Whether the values are whole numbers, which could be sizes, times or anything.
    pub(super) fn is_whole(&self) -> bool {
        self.most(|value| integer(value).is_some())
    }

    /// Whether an address is not one of a private network, as those of servers often are.
    pub(super) fn is_public(&self) -> bool {
        self.there().any(|value| is_address(value) && !is_private(value))
    }

    /// Whether targets have their host before the path, as nginx's `$host$request_uri`.
    pub(super) fn begins_with_host(&self) -> bool {
        let host = |value: &[u8]| {
            let end = memchr::memchr(b'/', value).unwrap_or(value.len());
            is_host(&value[..end]) || is_address(&value[..end])
        };
        self.most(host)
    }

    /// Whether all lines have the same value.
    pub(super) fn is_same(&self) -> bool {
        self.there().collect::<BTreeSet<_>>().len() == 1
    }

    /// Whether a line has a longer time here than there; servers round each one for itself.
    fn exceeds(&self, other: &Open<'_>) -> bool {
        let ns = |value: &Option<Text<'_>>| value.as_ref().and_then(|one| any_duration(one).ok());
        let both = self.values.iter().zip(&other.values);
        let mut longer = both.filter_map(|(own, other)| Some(ns(own)? > ns(other)? + MILLISECOND));
        longer.any(|longer| longer)
    }

    /// Whether the times are written as nginx writes `$request_time`, which logs the end.
    pub(super) fn is_of_nginx(&self) -> bool {
        self.most(|value| matches!(decimal(value, SECOND), Some((_, 3))))
    }
}

/// RFC 9110 and 5789, and those of WebDAV that clients use.
const METHODS: [&[u8]; 13] = [
    b"GET",
    b"HEAD",
    b"POST",
    b"PUT",
    b"DELETE",
    b"PATCH",
    b"OPTIONS",
    b"TRACE",
    b"CONNECT",
    b"PROPFIND",
    b"REPORT",
    b"MKCOL",
    b"PURGE",
];

/// A day alone, as `2026-11-22`.
pub(super) fn is_day(value: &[u8]) -> bool {
    value.len() == 10
        && value.iter().enumerate().all(|(at, byte)| match at {
            4 | 7 => matches!(byte, b'-' | b'/'),
            _ => byte.is_ascii_digit(),
        })
}

/// A request line, perhaps without its protocol.
fn is_request(value: &[u8]) -> bool {
    let words: Vec<&[u8]> = value.split(|byte| *byte == b' ').collect();
    match words[..] {
        [method, target] => METHODS.contains(&method) && is_target(target),
        [method, target, .., protocol] => {
            METHODS.contains(&method) && is_target(target) && protocol.starts_with(b"HTTP/")
        }
        _ => false,
    }
}

/// A path, or an address with one.
fn is_target(value: &[u8]) -> bool {
    value.starts_with(b"/") || (is_url(value) && value[8..].contains(&b'/'))
}

fn is_url(value: &[u8]) -> bool {
    (value.starts_with(b"http://") || value.starts_with(b"https://")) && value.len() > 8
}

/// A status that servers give: other numbers of three digits may be sizes.
fn is_status(value: &[u8]) -> bool {
    let known = |status| matches!(status, 0 | 100..=103 | 200..=208 | 226 | 300..=308 | 400..=431);
    let rare = |status| matches!(status, 440..=451 | 460..=463 | 494..=499 | 500..=530 | 561 | 598);
    value.len() == 3 && integer(value).is_some_and(|status| known(status) || rare(status))
}

fn is_forwarded(value: &[u8]) -> bool {
    value.split(|byte| *byte == b',').all(|one| is_address(one.trim_ascii()))
}

/// A time with a unit, as in `12ms`.
fn has_unit(value: &[u8]) -> bool {
    let begins = value.first().is_some_and(u8::is_ascii_digit);
    begins && decimal(value, SECOND).is_none() && any_duration(value).is_ok()
}

/// Seconds with their fraction, of less than a day.
fn is_fraction(value: &[u8]) -> bool {
    const DAY: i64 = 86_400 * SECOND;
    let plain = value.iter().all(|byte| byte.is_ascii_digit() || *byte == b'.');
    plain && matches!(decimal(value, SECOND), Some((0..DAY, 2..)))
}

/// A product with its version, as `Mozilla/5.0 (X11)` and `curl/8.5.0`.
fn is_agent(value: &[u8]) -> bool {
    let Some(slash) = memchr::memchr(b'/', value) else { return false };
    let in_name = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_. ".contains(byte);
    let version = value.get(slash + 1).is_some_and(u8::is_ascii_digit);
    version && slash > 0 && value[..slash].iter().all(in_name) && !value.starts_with(b"HTTP/")
}

/// A name with a dot, and no number.
fn is_host(value: &[u8]) -> bool {
    let in_name = |byte: &u8| byte.is_ascii_alphanumeric() || b"-.:".contains(byte);
    let letters = value.iter().any(u8::is_ascii_alphabetic);
    letters
        && value.contains(&b'.')
        && value.iter().all(in_name)
        && !is_address(value)
        && value.first().is_some_and(u8::is_ascii_alphanumeric)
        && !has_unit(value)
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use super::*;

    /// The meanings of the columns of lines with bars between them, by their numbers.
    fn meanings(lines: &[&str], keys: &[&'static str]) -> Vec<String> {
        let cells: Vec<Vec<&str>> = lines.iter().map(|line| line.split('|').collect()).collect();
        let value = |line: &Vec<&str>, at: usize| Some(Cow::Owned(line[at].as_bytes().to_vec()));
        let values = |at: usize| cells.iter().map(|line| value(line, at)).collect();
        let names = ["1", "2", "3", "4"].into_iter().take(cells[0].len()).enumerate();
        let open: Vec<Open<'_>> =
            names.map(|(at, name)| Open { name, values: values(at) }).collect();
        let shown = |one: Found<'_>| match one.other {
            None => format!("{}={}", one.key, one.name),
            Some(other) => format!("{}={} not {other}", one.key, one.name),
        };
        find(keys, &open).into_iter().map(shown).collect()
    }

    #[test]
    fn values_of_all_lines_decide() {
        for (lines, keys, expected) in [
            (
                &["200|812|GET /a", "304|200|GET http://h/ HTTP/1.1"][..],
                &["status", "request"][..],
                &["status=1", "request=3"][..],
            ),
            (&["10.0.0.1|192.0.2.1", "10.0.0.1|192.0.2.2"], &["address"], &["address=2 not 1"]),
            (&["0.010|0.250", "0.500|0.900"], &["duration"], &["duration=2"]),
            (&["200|201", "404|500"], &["status"], &["status=1 not 2"]),
            (
                &["HTTP/1.1|curl/8.5.0|12ms|-", "HTTP/2.0|Mozilla/5.0 (X)|1.5s|http://h/"],
                &["agent", "protocol", "duration", "referrer"],
                &["agent=2", "protocol=1", "duration=3", "referrer=4"],
            ),
            (&["7|/a b|x.example", "8|nothing|y.example"], &["url", "host", "status"], &["host=3"]),
        ] {
            assert_eq!(meanings(lines, keys), expected, "{lines:?}");
        }
    }
}
