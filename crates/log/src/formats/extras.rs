//! Common additions at the end of the Common and the Combined Log Format: `X-Forwarded-For`, as in
//! nginx's usual `main` format, and `$request_time`, bare or as in `rt=0.012`.

use std::borrow::Cow;
use std::collections::BTreeSet;

use super::added::{Added, Word, is_forwarded};
use super::added_time;
use super::log_order::{self, LineTime};
use crate::field::{Draft, Field};
use crate::reason::{Reason, example};
use crate::time::{Clock, SECOND};

/// The known fields after the last field of a layout.
#[derive(Clone, Debug, Default)]
pub(super) struct Extras {
    /// The place of addresses.
    forwarded: Option<usize>,
    /// The place of the request's time, and how it is written.
    time: Option<(usize, Field)>,
    /// Whether the line's stamp is that of the request's begin, although its time is there.
    begins: bool,
    unused_fields: Vec<String>,
    doubts: Vec<String>,
}

/// How fields of `X-Forwarded-For` begin, if they have a name.
const FORWARDED: [&[u8]; 4] =
    [b"forwarded_for=", b"x_forwarded_for=", b"http_x_forwarded_for=", b"xff="];
/// How fields of the request's time begin, if they have a name.
const NAMES: [&[u8]; 4] = [b"rt=", b"request_time=", b"request_time:", b"rt:"];
/// The beginning of the field in which our own switch names its chosen server. That choice belongs
/// to the cluster and to no workload. The field follows the request's time.
const CHOSEN: &[u8] = b"server=";
/// The most fields and the most lines that are read.
const PLACES_MAX: usize = 24;
const LINES_JUDGED: usize = 2000;
/// The most lines whose order is compared with the requests' times.
const LINES_ORDERED: usize = 10_000;
/// The longest example of an unused field, in characters.
const SHOWN: usize = 40;

/// What a line has behind a layout, with its client and its time.
#[derive(Debug)]
pub(super) struct LineEnd<'a> {
    pub(super) client: Vec<u8>,
    pub(super) time: LineTime,
    pub(super) rest: &'a [u8],
}

impl Extras {
    /// The layout of these line ends.
    pub(super) fn find<'a>(ends: impl Iterator<Item = LineEnd<'a>>) -> Extras {
        let (mut clients, mut times, mut all) = (BTreeSet::new(), Vec::new(), Vec::new());
        for LineEnd { client, time, rest } in ends.take(LINES_ORDERED) {
            if all.len() < LINES_JUDGED {
                clients.insert(client);
            }
            times.push(time);
            all.push(words(rest).take(PLACES_MAX).collect::<Vec<_>>());
        }
        let lines = &all[..all.len().min(LINES_JUDGED)];
        let columns: Vec<Added<'_>> =
            (0..PLACES_MAX).filter_map(|place| Added::of_most(place, lines)).collect();
        let of_name = columns.iter().find(|column| column.most(is_named));
        let named = of_name.map(|column| column.place);
        let (forwarded, mut doubts) = Added::forwarded(&columns, &clients);
        let (mut time, of_time) = match of_name {
            Some(column) => added_time::named(column, value_of),
            None => added_time::find(&columns, lines),
        };
        doubts.extend(of_time);
        let mut begins = false;
        if time.is_none()
            && let Some(found) = log_order::find(&columns, &times, &all)
        {
            time = Some((found.place, found.field));
            begins = found.begins;
            doubts.push(found.doubt);
        }
        let place = time.as_ref().map(|time| time.0);
        let unused_fields = unused(&columns, named, [forwarded, place]);
        Extras { forwarded, time, begins, unused_fields, doubts }
    }

    /// Whether the line's stamp is that of the request's end, as nginx's and others' that write the
    /// request's time.
    pub(super) fn stamps_end(&self) -> bool {
        self.time.is_some() && !self.begins
    }

    /// The fields that are not used.
    pub(super) fn unused_fields(&self) -> Vec<String> {
        self.unused_fields.clone()
    }

    /// What else the lines could mean.
    pub(super) fn doubts(&self) -> Vec<String> {
        self.doubts.clone()
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
        if self.forwarded.is_none() && self.time.is_none() {
            return Ok(());
        }
        for (place, Word { text: word, .. }) in words(rest).enumerate().take(PLACES_MAX) {
            if self.forwarded == Some(place) && is_forwarded(word) {
                draft.set(&Field::Forwarded, Cow::Borrowed(word), clock)?;
            } else if let Some((at, field)) = &self.time
                && *at == place
            {
                let value = value_of(word);
                if added_time::is_list(value) {
                    for part in added_time::parts(value) {
                        draft.set(&Field::DurationPart(SECOND), Cow::Borrowed(part), clock)?;
                    }
                } else {
                    draft.set(field, Cow::Borrowed(value), clock)?;
                }
            }
        }
        Ok(())
    }
}

/// The fields that are none of those used; `named` is the place of a time with a name.
fn unused(columns: &[Added<'_>], named: Option<usize>, used: [Option<usize>; 2]) -> Vec<String> {
    let unused = columns.iter().filter(|column| {
        let follows = named.is_some_and(|named| named + 1 == column.place);
        let ours = follows && column.most(|word| word.starts_with(CHOSEN));
        !ours && !used.contains(&Some(column.place))
    });
    let name = |column: &Added<'_>| {
        let word: String = example(column.first()?).chars().take(SHOWN).collect();
        Some(format!("field {} of those added, as in `{word}`", column.place + 1))
    };
    unused.filter_map(name).collect()
}

/// The fields of a rest.
fn words(rest: &[u8]) -> impl Iterator<Item = Word<'_>> {
    let mut rest = rest;
    std::iter::from_fn(move || {
        rest = rest.trim_ascii_start();
        let (begin, until) = match rest.first()? {
            b'"' => (1, b'"'),
            _ => (0, b' '),
        };
        let inner = &rest[begin..];
        let mut end = memchr::memchr(until, inner).unwrap_or(inner.len());
        // A list, as of several upstreams: `0.002, 0.010 : 0.001`.
        while begin == 0 && continues(&inner[..end], &inner[end..]) {
            let from = end + 1;
            end = memchr::memchr(b' ', &inner[from..]).map_or(inner.len(), |place| from + place);
        }
        // The last field may have nothing after it, not even its closing quote.
        rest = inner.get(end + 1..).unwrap_or_default();
        let text = &inner[..end];
        Some(match forwarded(text) {
            Some(text) => Word { text, quoted: true },
            None => Word { text, quoted: begin == 1 },
        })
    })
}

/// Whether a field without quotes continues behind a space.
fn continues(word: &[u8], rest: &[u8]) -> bool {
    let joins = word.ends_with(b",") || word.ends_with(b" :");
    rest.len() > 1 && (joins || rest == b" :" || rest.starts_with(b" : "))
}

/// The value of a field that is marked as `X-Forwarded-For`, as in `forwarded_for="192.0.2.1"`.
fn forwarded(word: &[u8]) -> Option<&[u8]> {
    let value = FORWARDED.iter().find_map(|name| word.strip_prefix(*name))?;
    let value = value.strip_prefix(b"\"").unwrap_or(value);
    Some(value.strip_suffix(b"\"").unwrap_or(value))
}

/// The value of a field of the request's time, perhaps with a name.
fn value_of(word: &[u8]) -> &[u8] {
    unnamed(word).unwrap_or(word)
}

/// The value of a field that is marked as the request's time.
fn unnamed(word: &[u8]) -> Option<&[u8]> {
    let value = NAMES.iter().find_map(|name| word.strip_prefix(*name))?;
    Some(value.trim_ascii().strip_prefix(b"\"").unwrap_or(value).trim_ascii_end())
}

fn is_named(word: &[u8]) -> bool {
    unnamed(word).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn end<'a>(client: &str, rest: &'a str) -> LineEnd<'a> {
        LineEnd { client: client.as_bytes().to_vec(), time: None, rest: rest.as_bytes() }
    }

    /// The places of `X-Forwarded-For` and of the time, the number of unused fields, and of doubts,
    /// of lines of these clients.
    fn of_lines(lines: &[(&str, &str)]) -> (Option<usize>, Option<usize>, usize, usize) {
        let lines = lines.iter().map(|(client, rest)| end(client, rest));
        let extras = Extras::find(lines);
        let place = extras.time.map(|time| time.0);
        (extras.forwarded, place, extras.unused_fields.len(), extras.doubts.len())
    }

    fn found(rests: &[&str]) -> (Option<usize>, Option<usize>, usize) {
        let lines: Vec<_> = rests.iter().map(|rest| ("198.51.100.1", *rest)).collect();
        let (forwarded, seconds, unused, _) = of_lines(&lines);
        (forwarded, seconds, unused)
    }

    #[test]
    fn times_of_day_are_no_durations_and_the_whole_is_the_longest() {
        // $msec, perhaps with $request_time behind or before it.
        assert_eq!(found(&[" 1730000000.250 0.031", " 1730000001.250 1.500"]), (None, Some(1), 1));
        assert_eq!(found(&[" 0.031 1730000000.250"]), (None, Some(0), 1));
        assert_eq!(found(&[" 1730000000.250"]), (None, None, 1));
        assert_eq!(found(&[" 86399.999"]), (None, Some(0), 0));
        // The upstream's time never exceeds the request's, wherever it stands.
        assert_eq!(found(&[" 0.010 0.031", " - 0.000", " 0.500 0.500"]), (None, Some(1), 1));
        assert_eq!(found(&[" 0.031 0.010", " 0.000 -", " 0.5 0.500"]), (None, Some(0), 1));
        let crossed = [("a", " 0.010 0.031"), ("a", " 0.900 0.031")];
        assert_eq!(of_lines(&crossed), (None, Some(0), 1, 1));
    }

    #[test]
    fn a_time_says_its_unit_or_is_doubted() {
        let field = |rest: &str| {
            let lines = (0..9).map(|_| end("192.0.2.1", rest));
            let extras = Extras::find(lines);
            (extras.time, extras.doubts.len())
        };
        let of = |place, field| (Some((place, field)), 0);
        assert_eq!(field(" 12.390 ms"), of(0, Field::Duration(1_000_000)));
        assert_eq!(field(" - 12 us"), of(1, Field::Duration(1_000)));
        assert_eq!(field(" Time: 12ms"), of(1, Field::AnyDuration));
        assert_eq!(field(" 0.012s"), of(0, Field::AnyDuration));
        assert_eq!(field(" 0.0124"), of(0, Field::Duration(SECOND)));
        assert_eq!(field(" 0.012390"), (Some((0, Field::Duration(SECOND))), 1));
        assert_eq!(field(" 0.012"), (Some((0, Field::Duration(SECOND))), 1));
        assert_eq!(field(" rt=0.012"), of(0, Field::Duration(SECOND)));
        assert_eq!(field(" rt=12ms"), of(0, Field::AnyDuration));
        assert_eq!(field(" request_time=10186417"), (None, 1));
        assert_eq!(field(" 12.390"), (Some((0, Field::Duration(SECOND))), 1));
        // Varnish's %D and time_firstbyte, and what is no time.
        assert_eq!(field(" 12390 0.000123 hit"), (None, 0));
        assert_eq!(field(" 12390 7ms2x"), (None, 0));
    }

    #[test]
    fn the_servers_own_address_is_no_client() {
        let own = "198.51.100.200";
        for (lines, forwarded, doubts) in [
            // The same in all lines, of several clients.
            (vec![("192.0.2.1", own), ("192.0.2.2", own)], None, 1),
            (vec![("192.0.2.1", own), ("192.0.2.1", own)], Some(0), 0),
            // A client behind two proxies of ours.
            (vec![("10.0.0.1", own), ("10.0.0.2", own)], Some(0), 1),
            (vec![("10.0.0.1", "\"198.51.100.7\""), ("192.0.2.2", "\"198.51.100.7\"")], Some(0), 1),
            // Servers of a pool, each with a private address.
            (vec![("192.0.2.1", "10.0.0.8"), ("192.0.2.2", "10.0.0.9")], None, 1),
            (vec![("192.0.2.1", "10.0.0.8"), ("192.0.2.2", "-")], Some(0), 0),
            (vec![("192.0.2.1", "10.0.0.8 \"-\""), ("192.0.2.2", "10.0.0.8 \"-\"")], Some(1), 1),
            (
                vec![
                    ("192.0.2.1", "10.0.0.8 \"203.0.113.5\""),
                    ("192.0.2.2", "10.0.0.8 \"203.0.113.6, 192.0.2.77\""),
                ],
                Some(1),
                1,
            ),
            // Two that fit: one is named as not used.
            (
                vec![
                    ("192.0.2.1", "\"203.0.113.5\" \"203.0.113.7\""),
                    ("192.0.2.2", "\"203.0.113.6\" \"203.0.113.8\""),
                ],
                Some(0),
                1,
            ),
            // Nothing yet: it may come in later lines.
            (vec![("192.0.2.1", "\"-\""), ("192.0.2.2", "\"-\"")], Some(0), 0),
            (vec![("192.0.2.1", "-"), ("192.0.2.2", "-")], None, 0),
        ] {
            let lines: Vec<(&str, String)> =
                lines.iter().map(|(client, rest)| (*client, format!(" {rest}"))).collect();
            let lines: Vec<(&str, &str)> =
                lines.iter().map(|(client, rest)| (*client, &rest[..])).collect();
            let found = of_lines(&lines);
            assert_eq!((found.0, found.3), (forwarded, doubts), "{lines:?}");
        }
    }

    #[test]
    fn fields_behind_the_last_are_known_by_what_most_of_them_are() {
        assert_eq!(found(&[" \"-\"", " \"1.2.3.4, 10.0.0.1\""]), (Some(0), None, 0));
        assert_eq!(found(&[" \"1.2.3.4\" rt=0.012 x=y"]), (Some(0), Some(1), 1));
        assert_eq!(found(&[" 0.012 0.011 \"::1\""]), (Some(2), Some(0), 1));
        assert_eq!(found(&[" x=1 request_time=3.5"]), (None, Some(1), 1));
        assert_eq!(found(&[" x=1 request_time=3"]), (None, None, 2));
        assert_eq!(found(&[" a forwarded_for=\"192.0.2.7, 10.0.0.1\" b"]), (Some(1), None, 2));
        // The field of our own switch, and one of another program.
        assert_eq!(found(&[" rt=0.000412 server=0", " rt=0.001 server=-"]), (None, Some(0), 0));
        assert_eq!(found(&[" server=0 0.012"]), (None, Some(1), 1));
        // The times of several upstreams are one field.
        assert_eq!(found(&[" 0.002, 0.010 x", " 0.002 : 0.010 x", " - y"]), (None, Some(0), 1));
        assert_eq!(found(&[" 1.2.3.4, 10.0.0.1 0.012"]), (Some(0), Some(1), 0));
        assert_eq!(found(&[" 0.031 0.010, 0.020", " 0.500 0.500"]), (None, Some(0), 1));
        // Microseconds or bytes: the text does not say.
        assert_eq!(found(&[" 1234", " 17"]), (None, None, 1));
        assert_eq!(found(&["", " \"1.2.3.4\"", ""]), (None, None, 0));
        assert_eq!(found(&[" \"a.b\"", " \"() { :;}; x\""]), (None, None, 1));
        assert_eq!(found(&[]), (None, None, 0));
    }
}
