//! Parsers of single values.

use std::net::IpAddr;
use std::ops::Range;

use crate::entry::Text;
use crate::number::{decimal, integer};
use crate::reason::Reason;
use crate::text::part;
use crate::time::{MICROSECOND, MILLISECOND, SECOND};

/// The word of proxies for an address that they do not know or hide.
pub(crate) const UNKNOWN: &[u8] = b"unknown";

/// An address, the first known one of a list, without its port and without spaces around it. Text
/// that is not ASCII is no address.
#[inline]
pub(super) fn address(text: Text<'_>) -> Result<Text<'_>, Reason> {
    // Most addresses are plain IPv4.
    if text.iter().fold(true, |all, byte| all & in_ipv4(byte)) {
        return Ok(text);
    }
    if !text.is_ascii() {
        return Err(Reason::BadEncoding);
    }
    let range = first_known(&text);
    // Text before the client is no part of it.
    if let Some(space) = text[range.clone()].iter().rposition(u8::is_ascii_whitespace)
        && is_address(&text[range.start + space + 1..range.end])
    {
        return Err(Reason::NotThisFormat);
    }
    Ok(part(&text, range))
}

fn in_ipv4(byte: &u8) -> bool {
    byte.is_ascii_digit() | (*byte == b'.')
}

/// The place of the first known address of a list; of the first word if no address is known.
fn first_known(text: &[u8]) -> Range<usize> {
    let mut from = 0;
    let mut first = None;
    for one in text.split(|byte| *byte == b',') {
        let begin = from + one.len() - one.trim_ascii_start().len();
        let word = one.trim_ascii();
        from += one.len() + 1;
        let bare = bare(word);
        let range = begin + bare.start..begin + bare.end;
        if ![&b""[..], b"-", UNKNOWN].contains(&word) {
            return range;
        }
        first.get_or_insert(range);
    }
    first.unwrap_or(0..0)
}

/// The place of an address in a text that may have a port behind it: `192.0.2.1:2817` or
/// `[2001:db8::1]:2817`. The groups of a bare IPv6 address are no ports. Servers of both protocols
/// write `::ffff:192.0.2.1` for `192.0.2.1` (RFC 4291, section 2.5.5.2).
fn bare(word: &[u8]) -> Range<usize> {
    const MAPPED: &[u8] = b"::ffff:";
    let range = without_own_port(word);
    let (begin, own) = (range.start, &word[range.clone()]);
    match own.split_at_checked(MAPPED.len()) {
        Some((mapped, rest)) if mapped.eq_ignore_ascii_case(MAPPED) && rest.contains(&b'.') => {
            begin + MAPPED.len()..range.end
        }
        _ => range,
    }
}

fn without_own_port(word: &[u8]) -> Range<usize> {
    if word.first() == Some(&b'[')
        && let Some(end) = memchr::memchr(b']', word)
    {
        return 1..end;
    }
    match memchr::memchr(b':', word) {
        Some(colon) if is_port(&word[colon + 1..]) && ip(&word[..colon]).is_some() => 0..colon,
        _ => 0..word.len(),
    }
}

fn is_port(text: &[u8]) -> bool {
    !text.is_empty() && text.iter().all(u8::is_ascii_digit)
}

/// Whether a text is an address, and no name; it may have a port behind it.
pub(crate) fn is_address(word: &[u8]) -> bool {
    ip(&word[bare(word)]).is_some()
}

/// The address that a text is.
pub(crate) fn ip(word: &[u8]) -> Option<IpAddr> {
    str::from_utf8(word).ok()?.parse().ok()
}

/// `192.0.2.1:2817` or `[2001:db8::1]:2817` without the port.
pub(super) fn without_port<'a>(text: &Text<'a>) -> Text<'a> {
    if text.first() == Some(&b'[')
        && let Some(end) = memchr::memchr(b']', text)
    {
        return part(text, 1..end);
    }
    match memchr::memrchr(b':', text) {
        Some(place) if text[place + 1..].iter().all(u8::is_ascii_digit) => part(text, 0..place),
        _ => text.clone(),
    }
}

/// A whole number without the fraction that columns with gaps have in some tables.
#[inline]
fn without_fraction(text: &[u8]) -> &[u8] {
    text.strip_suffix(b".0").unwrap_or(text)
}

/// A number of bytes; a plus sign before it says that more was still to come.
#[inline]
pub(super) fn size(text: &[u8]) -> Result<u64, Reason> {
    integer(without_fraction(text.strip_prefix(b"+").unwrap_or(text))).ok_or(Reason::BadNumber)
}

/// A status; 000 and `-` mean that no response was sent.
#[inline]
pub(super) fn status(text: &[u8]) -> Result<Option<u16>, Reason> {
    match without_fraction(text) {
        text @ [b'1'..=b'9', ..] => match integer(text) {
            Some(status @ 100..=999) => Ok(Some(status as u16)),
            _ => Err(Reason::BadStatus),
        },
        b"-" | b"" | b"0" | b"000" | b"-1" => Ok(None),
        _ => Err(Reason::BadStatus),
    }
}

pub(super) fn duration(text: &[u8], unit: i64) -> Result<i64, Reason> {
    Ok(decimal(text, unit).ok_or(Reason::BadNumber)?.0)
}

/// The total of phases such as `10/0/30/69/109`; `None` if the request was still in progress.
pub(super) fn timers(text: &[u8]) -> Result<Option<i64>, Reason> {
    let last = memchr::memrchr(b'/', text).ok_or(Reason::BadNumber)?;
    let whole_time = &text[last + 1..];
    if whole_time.first() == Some(&b'+') {
        return Ok(None);
    }
    duration(whole_time, MILLISECOND).map(Some)
}

/// Units of Go's durations, with their nanoseconds.
const UNITS: [(&[u8], i64); 7] = [
    (b"h", 3600 * SECOND),
    (b"m", 60 * SECOND),
    (b"s", SECOND),
    (b"ms", MILLISECOND),
    ("µs".as_bytes(), MICROSECOND),
    (b"us", MICROSECOND),
    (b"ns", 1),
];

/// The nanoseconds of a unit's name, as in `ms`.
pub(crate) fn unit_ns(name: &[u8]) -> Option<i64> {
    UNITS.iter().find(|unit| unit.0 == name).map(|unit| unit.1)
}

/// Seconds as a number, or numbers with units as Go writes them, as in `1m2.5s`.
pub(crate) fn any_duration(text: &[u8]) -> Result<i64, Reason> {
    any_duration_or(text, SECOND)
}

/// The same, but a number without a unit is one of these, in nanoseconds.
pub(super) fn any_duration_or(text: &[u8], unit: i64) -> Result<i64, Reason> {
    let text = text.trim_ascii();
    if let Some((ns, _)) = decimal(text, unit) {
        return Ok(ns);
    }
    let mut rest = text;
    let mut sum = 0_i64;
    while !rest.is_empty() {
        let number = rest.iter().take_while(|byte| matches!(byte, b'0'..=b'9' | b'.')).count();
        let (number, after) = rest.split_at(number);
        let letters = after.iter().take_while(|byte| !byte.is_ascii_digit()).count();
        let (letters, after) = after.split_at(letters);
        let unit = unit_ns(letters.trim_ascii()).ok_or(Reason::BadNumber)?;
        let part = duration(number.trim_ascii(), unit)?;
        sum = sum.checked_add(part).ok_or(Reason::BadNumber)?;
        rest = after;
    }
    Ok(sum)
}

/// A duration in whole seconds if stamps are no finer: a finer one would sort the lines of a second
/// by their durations, and a page's embedded objects before the page. Finer stamps may have lost
/// trailing zeros, and say less about the clock's steps.
pub(super) fn whole_steps(duration_ns: i64, resolution_ns: u64) -> i64 {
    match i64::try_from(resolution_ns) {
        Ok(step) if step >= SECOND => duration_ns - duration_ns % step,
        _ => duration_ns,
    }
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use super::*;

    #[test]
    fn statuses_and_durations() {
        assert_eq!(status(b"200"), Ok(Some(200)));
        assert_eq!(status(b"000"), Ok(None));
        assert_eq!(
            (status(b"99"), status(b"2x0")),
            (Err(Reason::BadStatus), Err(Reason::BadStatus))
        );
        assert_eq!(timers(b"10/0/30/69/109"), Ok(Some(109 * MILLISECOND)));
        assert_eq!((timers(b"1/+2"), timers(b"5")), (Ok(None), Err(Reason::BadNumber)));
        assert_eq!(any_duration(b"1m2.5s"), Ok(62 * SECOND + 500 * MILLISECOND));
        assert_eq!(any_duration("150µs".as_bytes()), Ok(150_000));
        assert_eq!(any_duration(b"0.25"), Ok(250_000_000));
        assert_eq!(
            (any_duration(b"1x"), any_duration(b"fast")),
            (Err(Reason::BadNumber), Err(Reason::BadNumber))
        );
    }

    #[test]
    fn addresses_lose_their_port_only() {
        for (text, expected) in [
            ("192.0.2.1:2817", "192.0.2.1"),
            ("[2001:db8::1]:80", "2001:db8::1"),
            ("unix:", "unix"),
            ("host", "host"),
        ] {
            let found = without_port(&Cow::Borrowed(text.as_bytes()));
            assert_eq!(&found[..], expected.as_bytes());
        }
        for (text, expected) in [
            ("  a ", "a"),
            ("198.51.100.7:49152", "198.51.100.7"),
            ("[2001:db8::2]:443", "2001:db8::2"),
            ("2001:db8::2:443", "2001:db8::2:443"),
            ("::ffff:192.0.2.9", "192.0.2.9"),
            ("[::FFFF:192.0.2.9]:80", "192.0.2.9"),
            ("::ffff:0:1", "::ffff:0:1"),
            ("unix:", "unix:"),
            (".:", ".:"),
            ("1.2.3:80", "1.2.3:80"),
            ("host.example:80", "host.example:80"),
            ("198.51.100.7, 10.0.0.1", "198.51.100.7"),
            ("unknown, 198.51.100.7:80,10.0.0.1", "198.51.100.7"),
            ("-, [2001:db8::2]:80", "2001:db8::2"),
            ("unknown", "unknown"),
            ("unknown, unknown", "unknown"),
        ] {
            let found = address(Cow::Borrowed(text.as_bytes())).unwrap();
            assert_eq!(&found[..], expected.as_bytes(), "{text}");
        }
        assert_eq!(address(Cow::Borrowed(b"\xff")), Err(Reason::BadEncoding));
        assert_eq!(address(Cow::Borrowed(b"1790000000\t192.0.2.1")), Err(Reason::NotThisFormat));
    }
}
