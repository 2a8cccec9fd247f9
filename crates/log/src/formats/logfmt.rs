//! Pairs such as `method=GET path="/a b"`: logfmt, as Go's `slog` and logrus write it, and the
//! lines of Heroku's router. Other words may stand among the pairs.

use std::borrow::Cow;
use std::sync::Arc;

use thinktime_core::error::Invalid;

use super::dialect::Dialect;
use super::keyed::Keyed;
use super::{Format, FormatEntry, FormatOptions, Head, Take};
use crate::entry::Text;
use crate::field::{Draft, Field};
use crate::reason::Reason;
use crate::text::unescape;
use crate::time::{Clock, SECOND};

pub(super) static KNOWN: FormatEntry = FormatEntry {
    name: "logfmt",
    summary: "pairs of usual names and values, as Go's slog and logrus write them",
    source: "https://pkg.go.dev/log/slog#TextHandler",
    example: include_str!("examples/logfmt.log"),
    argument: Some("logfmt:end=ts,user=account"),
    open: |head, wanted| open(head, wanted),
};

pub(super) static HEROKU: FormatEntry = FormatEntry {
    name: "heroku",
    summary: "Heroku's router, as `heroku logs` and drains give its lines",
    source: "https://devcenter.heroku.com/articles/http-routing#heroku-router-log-format",
    example: include_str!("examples/heroku.log"),
    argument: None,
    open: |head, wanted| {
        let keyed = ROUTER.keyed(&keys(head), wanted);
        Ok(keyed.map(|keyed| Arc::new(Logfmt(keyed)) as Arc<dyn Format>))
    },
};

/// The time stands before the line, and is that of the request's end. The request was with the
/// router while this connected, and while the service answered.
const ROUTER: Dialect = Dialect {
    marks: &[&["fwd", "dyno", "connect", "service"]],
    fields: &[
        ("method", Field::Method),
        ("path", Field::Url),
        ("host", Field::Host),
        ("fwd", Field::Forwarded),
        ("connect", Field::DurationPart(SECOND)),
        ("service", Field::DurationPart(SECOND)),
        ("status", Field::Status),
        ("bytes", Field::Bytes),
    ],
    ends: true,
};

/// The reader of a file by the keys of its first lines.
fn open(head: &Head<'_>, wanted: &FormatOptions<'_>) -> Result<Option<Arc<dyn Format>>, Invalid> {
    let keys = keys(head);
    if keys.is_empty() {
        return Ok(None);
    }
    let values = |key: &str| values(head, key);
    let keyed = Keyed::by_names(KNOWN.name, &keys, wanted, head.timed, values)?;
    Ok(Some(Arc::new(Logfmt(keyed))))
}

/// A line with fewer pairs is no request.
const PAIRS_LEAST: usize = 3;
/// Keys are collected from this many lines.
const LINES_LOOKED_AT: usize = 2000;
/// The lines whose values are tried.
const LINES_TRIED: usize = 20;
/// The most keys, as of JSON.
const KEYS_MAX: usize = 1000;

/// The first lines that have pairs.
fn lines<'a>(head: &Head<'a>) -> impl Iterator<Item = &'a [u8]> {
    let has_pairs = |line: &&[u8]| pairs(line).take(PAIRS_LEAST).count() == PAIRS_LEAST;
    head.lines().take(LINES_LOOKED_AT).filter(has_pairs)
}

/// The keys of the first lines.
fn keys(head: &Head<'_>) -> Vec<String> {
    let mut keys: Vec<String> = Vec::new();
    for (key, _) in lines(head).flat_map(pairs) {
        let key = String::from_utf8_lossy(key);
        if keys.len() < KEYS_MAX && !keys.iter().any(|known| *known == key) {
            keys.push(key.into_owned());
        }
    }
    keys
}

/// The values of a key in the first lines.
fn values<'a>(head: &Head<'a>, key: &str) -> Vec<Option<Text<'a>>> {
    let value = |line| pairs(line).find(|pair| pair.0 == key.as_bytes()).map(|pair| pair.1);
    lines(head).take(LINES_TRIED).map(value).collect()
}

/// Lines of pairs.
#[derive(Debug)]
struct Logfmt(Keyed);

impl Format for Logfmt {
    fn read(&self, line: &[u8], clock: &mut Clock, take: &mut Take<'_>) -> Result<(), Reason> {
        let mut draft = Draft::default();
        if !self.0.has_method {
            draft.entry.method = Cow::Borrowed(b"GET");
        }
        let mut used = 0;
        for (key, value) in pairs(line) {
            let is_key = |field: &&(String, Field, bool)| field.0.as_bytes() == key;
            let Some((_, field, user)) = self.0.fields.iter().find(is_key) else { continue };
            used += 1;
            if *user && !value.is_empty() {
                draft.set_user(&value);
            }
            // Programs write an empty value for a field without one.
            if !value.is_empty() || *field == Field::AnyTime {
                draft.set(field, value, clock)?;
            }
        }
        if used == 0 {
            return Err(Reason::NotThisFormat);
        }
        take(draft.finish(self.0.ends, clock)?);
        Ok(())
    }

    fn unused_fields(&self) -> Vec<String> {
        self.0.unused_fields.clone()
    }

    fn doubts(&self) -> Vec<String> {
        self.0.doubts.clone()
    }

    fn unit_open(&self) -> bool {
        self.0.unit_open
    }
}

/// The pairs of a line. A value in quotes may have spaces and escapes.
fn pairs(line: &[u8]) -> impl Iterator<Item = (&[u8], Text<'_>)> {
    let mut rest = line;
    std::iter::from_fn(move || {
        loop {
            rest = rest.trim_ascii_start();
            let end = memchr::memchr2(b'=', b' ', rest)?;
            let (key, after) = (&rest[..end], &rest[end + 1..]);
            if rest[end] == b' ' || !is_key(key) {
                // A word that is no key may be a text in quotes.
                let quote = key.starts_with(b"\"").then(|| quoted(&rest[1..])).flatten();
                rest = quote.map_or(after, |(_, after)| after);
                continue;
            }
            let (value, after) = match after.strip_prefix(b"\"") {
                Some(inner) => quoted(inner)?,
                None => {
                    let end = memchr::memchr(b' ', after).unwrap_or(after.len());
                    (Cow::Borrowed(&after[..end]), &after[end..])
                }
            };
            rest = after;
            return Some((key, value));
        }
    })
}

fn is_key(word: &[u8]) -> bool {
    let in_key = |byte: &u8| byte.is_ascii_alphanumeric() || b"_.-@/>".contains(byte);
    word.first().is_some_and(|byte| byte.is_ascii_alphabetic() || b"_@".contains(byte))
        && word.iter().all(in_key)
}

/// The text up to the next quote that is not escaped, and the rest after it.
fn quoted(inner: &[u8]) -> Option<(Text<'_>, &[u8])> {
    let (mut end, mut escaped) = (0, false);
    loop {
        end += memchr::memchr2(b'"', b'\\', inner.get(end..)?)?;
        if inner[end] == b'"' {
            break;
        }
        (end, escaped) = (end + 2, true);
    }
    let raw = &inner[..end];
    let value = if escaped { Cow::Owned(unescape(raw)) } else { Cow::Borrowed(raw) };
    Some((value, &inner[end + 1..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_stand_among_other_words() {
        let shown = |line: &str| -> Vec<(String, String)> {
            let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
            pairs(line.as_bytes()).map(|(key, value)| (text(key), text(&value))).collect()
        };
        for (line, expected) in [
            ("a=1 b.c=x=y", vec![("a", "1"), ("b.c", "x=y")]),
            (r#"done: m="a \"b\" c" n= o=2"#, vec![("m", "a \"b\" c"), ("n", ""), ("o", "2")]),
            (r#""k=v" a=1 /x?y=z"#, vec![("a", "1")]),
            (r#"a="open b=1"#, vec![]),
            ("plain words", vec![]),
            ("=x 1=2", vec![]),
        ] {
            let expected: Vec<(String, String)> = expected
                .into_iter()
                .map(|(key, value)| (key.to_owned(), value.to_owned()))
                .collect();
            assert_eq!(shown(line), expected, "{line}");
        }
    }
}
