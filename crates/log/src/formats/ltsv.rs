//! Labeled tab-separated values: fields such as `status:200` with tabs between them.

use std::borrow::Cow;

use super::FormatEntry;
use super::pairs::Syntax;
use crate::entry::Text;
use crate::text::unescape;

pub(super) static KNOWN: FormatEntry = FormatEntry {
    name: "ltsv",
    summary: "labels and values between tabs (LTSV), as log formats of nginx and Apache write them",
    source: "http://ltsv.org/",
    example: include_str!("examples/ltsv.log"),
    argument: Some("ltsv:end=ts,user=account"),
    open: |head, wanted| SYNTAX.open(head, wanted),
};

const SYNTAX: Syntax = Syntax { name: "ltsv", client: Some("host"), next };

/// The next field with a label. Servers write tabs and quotes in values with a backslash.
fn next<'a>(rest: &mut &'a [u8]) -> Option<(&'a [u8], Text<'a>)> {
    while !rest.is_empty() {
        let end = memchr::memchr(b'\t', rest).unwrap_or(rest.len());
        let field = &rest[..end];
        // Nothing stands behind the last field, which has no tab.
        *rest = rest.get(end + 1..).unwrap_or_default();
        if let Some(colon) = memchr::memchr(b':', field)
            && is_label(&field[..colon])
        {
            let value = &field[colon + 1..];
            let escaped = memchr::memchr(b'\\', value).is_some();
            let value = if escaped { Cow::Owned(unescape(value)) } else { Cow::Borrowed(value) };
            return Some((&field[..colon], value));
        }
    }
    None
}

fn is_label(word: &[u8]) -> bool {
    let in_label = |byte: &u8| byte.is_ascii_alphanumeric() || b"_.-".contains(byte);
    word.first().is_some_and(u8::is_ascii_alphabetic) && word.iter().all(in_label)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_end_at_the_first_colon() {
        let shown = |line: &str| -> Vec<(String, String)> {
            let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
            SYNTAX.pairs(line.as_bytes()).map(|(key, value)| (text(key), text(&value))).collect()
        };
        for (line, expected) in [
            (
                "time:10:00\thost:::1\tua:a b",
                vec![("time", "10:00"), ("host", "::1"), ("ua", "a b")],
            ),
            ("a:\tno label\t1:2\tx-y.z:\\x22q\\\"", vec![("a", ""), ("x-y.z", "\"q\"")]),
            ("\t\t:\t", vec![]),
        ] {
            let expected: Vec<(String, String)> = expected
                .into_iter()
                .map(|(key, value)| (key.to_owned(), value.to_owned()))
                .collect();
            assert_eq!(shown(line), expected, "{line}");
        }
    }
}
