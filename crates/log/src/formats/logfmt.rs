//! Pairs such as `method=GET path="/a b"`: logfmt, as Go's `slog` and logrus write it, and the
//! lines of Heroku's router. Other words may stand among the pairs.

use std::borrow::Cow;

use super::FormatEntry;
use super::dialect::Dialect;
use super::pairs::Syntax;
use crate::entry::Text;
use crate::field::Field;
use crate::text::unescape;
use crate::time::SECOND;

pub(super) static KNOWN: FormatEntry = FormatEntry {
    name: "logfmt",
    summary: "pairs of usual names and values, as Go's slog and logrus write them",
    source: "https://pkg.go.dev/log/slog#TextHandler",
    example: include_str!("examples/logfmt.log"),
    argument: Some("logfmt:end=ts,user=account"),
    open: |head, wanted| SYNTAX.open(head, wanted),
};

pub(super) static HEROKU: FormatEntry = FormatEntry {
    name: "heroku",
    summary: "Heroku's router, as `heroku logs` and drains give its lines",
    source: "https://devcenter.heroku.com/articles/http-routing#heroku-router-log-format",
    example: include_str!("examples/heroku.log"),
    argument: None,
    open: |head, wanted| {
        let keyed = ROUTER.keyed(&SYNTAX.keys(head), wanted);
        Ok(keyed.map(|keyed| SYNTAX.reader(keyed)))
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

const SYNTAX: Syntax = Syntax { name: "logfmt", client: None, next };

/// The next pair. A value in quotes may have spaces and escapes.
fn next<'a>(rest: &mut &'a [u8]) -> Option<(&'a [u8], Text<'a>)> {
    loop {
        *rest = rest.trim_ascii_start();
        // A text in quotes is no key. Of many in one word, none searches all of it for its end.
        if let Some((_, after)) = rest.strip_prefix(b"\"").and_then(quoted) {
            *rest = after;
            continue;
        }
        let end = memchr::memchr2(b'=', b' ', rest)?;
        let (key, after) = (&rest[..end], &rest[end + 1..]);
        if rest[end] == b' ' || !is_key(key) {
            *rest = after;
            continue;
        }
        let (value, after) = match after.strip_prefix(b"\"") {
            Some(inner) => quoted(inner)?,
            None => {
                let end = memchr::memchr(b' ', after).unwrap_or(after.len());
                (Cow::Borrowed(&after[..end]), &after[end..])
            }
        };
        *rest = after;
        return Some((key, value));
    }
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
            SYNTAX.pairs(line.as_bytes()).map(|(key, value)| (text(key), text(&value))).collect()
        };
        for (line, expected) in [
            ("a=1 b.c=x=y", vec![("a", "1"), ("b.c", "x=y")]),
            (r#"done: m="a \"b\" c" n= o=2"#, vec![("m", "a \"b\" c"), ("n", ""), ("o", "2")]),
            (r#""k=v" a=1 /x?y=z"#, vec![("a", "1")]),
            (r#"a="open b=1"#, vec![]),
            (r#""a":"b=c" d=1"#, vec![("d", "1")]),
            (r#""":"""x=1" "open e=5"#, vec![("e", "5")]),
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
