//! Common additions at the end of the Common and the Combined Log Format: `X-Forwarded-For`, as in
//! nginx's usual `main` format, and `$request_time`, bare or as in `rt=0.012`.

use std::borrow::Cow;
use std::net::IpAddr;

use crate::field::{Draft, Field};
use crate::reason::{Reason, example};
use crate::time::{Clock, SECOND};

/// The known fields after the last field of a layout.
#[derive(Clone, Debug, Default)]
pub(super) struct Extras {
    /// The places of addresses and of the request's time, in seconds.
    forwarded: Option<usize>,
    seconds: Option<usize>,
    unused_fields: Vec<String>,
}

/// How fields of the request's time begin, if they have a name.
const NAMES: [&[u8]; 4] = [b"rt=", b"request_time=", b"request_time:", b"rt:"];
/// The beginning of the field in which our own switch names its chosen server. That choice belongs
/// to the cluster and to no workload. The field follows the request's time.
const CHOSEN: &[u8] = b"server=";
/// The most fields and the most lines that are read.
const PLACES_MAX: usize = 24;
const LINES_JUDGED: usize = 500;
/// The longest example of an unused field, in characters.
const SHOWN: usize = 40;

impl Extras {
    /// The layout that most of these line ends have.
    pub(super) fn find<'a>(rests: impl Iterator<Item = &'a [u8]>) -> Extras {
        let lines: Vec<Vec<&[u8]>> =
            rests.take(LINES_JUDGED).map(|rest| words(rest).take(PLACES_MAX).collect()).collect();
        let most = |place: usize, holds: &dyn Fn(&[u8]) -> bool| {
            let holding =
                lines.iter().filter(|line| line.get(place).is_some_and(|word| holds(word)));
            2 * holding.count() > lines.len()
        };
        let places = (0..PLACES_MAX).filter(|place| most(*place, &|_| true));
        let places: Vec<usize> = places.collect();
        let any = |place: usize, holds: fn(&[u8]) -> bool| {
            lines.iter().any(|line| line.get(place).is_some_and(|word| holds(word)))
        };
        let told = |place: &usize| most(*place, &|word| word == b"-" || are_addresses(word));
        let forwarded =
            places.iter().copied().find(|place| told(place) && any(*place, are_addresses));
        let named = places.iter().copied().find(|place| most(*place, &is_named));
        let bare = || places.iter().copied().find(|place| most(*place, &is_bare_time));
        let mut extras =
            Extras { forwarded, seconds: named.or_else(bare), unused_fields: Vec::new() };
        for place in places {
            let chosen = |word: &[u8]| word.starts_with(CHOSEN);
            let ours = named.is_some_and(|named| named + 1 == place) && most(place, &chosen);
            let used = ours || [extras.forwarded, extras.seconds].contains(&Some(place));
            let shown = lines.iter().filter_map(|line| line.get(place)).find(|word| **word != b"-");
            if let (false, Some(word)) = (used, shown) {
                let word: String = example(word).chars().take(SHOWN).collect();
                extras
                    .unused_fields
                    .push(format!("field {} of those added, as in `{word}`", place + 1));
            }
        }
        extras
    }

    /// Whether the request's time is among them.
    pub(super) fn has_seconds(&self) -> bool {
        self.seconds.is_some()
    }

    /// The fields that are not used.
    pub(super) fn unused_fields(&self) -> Vec<String> {
        self.unused_fields.clone()
    }

    /// Reads their values. Clients may send anything as `X-Forwarded-For`: a text that is no
    /// address is skipped.
    #[inline]
    pub(super) fn read<'a>(
        &self,
        rest: &'a [u8],
        clock: &mut Clock,
        draft: &mut Draft<'a>,
    ) -> Result<(), Reason> {
        if self.forwarded.is_none() && self.seconds.is_none() {
            return Ok(());
        }
        for (place, word) in words(rest).enumerate().take(PLACES_MAX) {
            if self.forwarded == Some(place) && are_addresses(word) {
                draft.set(&Field::Forwarded, Cow::Borrowed(word), clock)?;
            } else if self.seconds == Some(place) {
                let value = unnamed(word).unwrap_or(word);
                draft.set(&Field::Duration(SECOND), Cow::Borrowed(value), clock)?;
            }
        }
        Ok(())
    }
}

/// The fields of a rest, quoted ones without their quotes.
fn words(rest: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = rest;
    std::iter::from_fn(move || {
        rest = rest.trim_ascii_start();
        let (begin, until) = match rest.first()? {
            b'"' => (1, b'"'),
            _ => (0, b' '),
        };
        let inner = &rest[begin..];
        let end = memchr::memchr(until, inner).unwrap_or(inner.len());
        // The last field may have nothing after it, not even its closing quote.
        rest = inner.get(end + 1..).unwrap_or_default();
        Some(&inner[..end])
    })
}

/// The value of a field that is marked as the request's time.
fn unnamed(word: &[u8]) -> Option<&[u8]> {
    let value = NAMES.iter().find_map(|name| word.strip_prefix(*name))?;
    Some(value.trim_ascii().strip_prefix(b"\"").unwrap_or(value).trim_ascii_end())
}

fn is_named(word: &[u8]) -> bool {
    unnamed(word).is_some()
}

/// As nginx writes `$request_time`: always with three digits after the point.
fn is_bare_time(word: &[u8]) -> bool {
    let Some(place) = memchr::memchr(b'.', word) else { return false };
    let (whole, fraction) = (&word[..place], &word[place + 1..]);
    let digits = |text: &[u8]| !text.is_empty() && text.iter().all(u8::is_ascii_digit);
    digits(whole) && fraction.len() == 3 && digits(fraction)
}

/// Whether this is an address, or several with commas between them.
fn are_addresses(word: &[u8]) -> bool {
    let is_address = |part: &[u8]| {
        let part = part.trim_ascii();
        let address = str::from_utf8(part).is_ok_and(|text| text.parse::<IpAddr>().is_ok());
        address || part == b"unknown"
    };
    word != b"unknown" && word.split(|byte| *byte == b',').all(is_address)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(rests: &[&str]) -> (Option<usize>, Option<usize>, usize) {
        let extras = Extras::find(rests.iter().map(|rest| rest.as_bytes()));
        (extras.forwarded, extras.seconds, extras.unused_fields.len())
    }

    #[test]
    fn fields_behind_the_last_are_known_by_what_most_of_them_are() {
        assert_eq!(found(&[" \"-\"", " \"1.2.3.4, 10.0.0.1\""]), (Some(0), None, 0));
        assert_eq!(found(&[" \"1.2.3.4\" rt=0.012 x=y"]), (Some(0), Some(1), 1));
        assert_eq!(found(&[" 0.012 0.011 \"::1\""]), (Some(2), Some(0), 1));
        assert_eq!(found(&[" x=1 request_time=3"]), (None, Some(1), 1));
        // The field of our own switch, and one of another program.
        assert_eq!(found(&[" rt=0.000412 server=0", " rt=0.001 server=-"]), (None, Some(0), 0));
        assert_eq!(found(&[" server=0 0.012"]), (None, Some(1), 1));
        // Microseconds or bytes: the text does not say.
        assert_eq!(found(&[" 1234", " 17"]), (None, None, 1));
        assert_eq!(found(&["", " \"1.2.3.4\"", ""]), (None, None, 0));
        assert_eq!(found(&[" \"a.b\"", " \"() { :;}; x\""]), (None, None, 1));
        assert_eq!(found(&[]), (None, None, 0));
    }
}
