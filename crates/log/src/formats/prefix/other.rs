//! Texts that no rule names, before lines that show where they begin.

use super::NAME_MAX;
use crate::field::is_address;

/// The object at a line's end, behind a text without quotes and braces.
pub(super) fn object(line: &[u8]) -> Option<&[u8]> {
    let begin = memchr::memchr2(b'{', b'"', line.get(..line.len().min(NAME_MAX))?)?;
    let object = &line[begin..];
    let whole = object.starts_with(b"{\"") && object.trim_ascii_end().ends_with(b"}");
    (begin > 0 && whole).then_some(object)
}

/// A line of the Common Log Format behind a text: the client's address and two words stand before
/// its time. A single name before them is the host, and other addresses are those of proxies.
pub(super) fn client(line: &[u8]) -> Option<&[u8]> {
    let mut begin = end_of_user(line)?;
    for _ in 0..2 {
        begin = memchr::memrchr(b' ', &line[..begin])?;
    }
    let (before, _) = line[..begin].split_at(begin_of_word(&line[..begin])?);
    let client = &line[before.len()..];
    let words = || before.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    let is_client = is_address(&line[before.len()..begin]);
    let has_address = words().any(|word| is_address(word.strip_suffix(b",").unwrap_or(word)));
    (is_client && !has_address && !is_host(before)).then_some(client)
}

/// The place of the space before `[17/May/2015:`.
fn end_of_user(line: &[u8]) -> Option<usize> {
    const SHAPE: &[u8] = b" [dd/aaa/dddd:";
    memchr::memchr_iter(b'[', line).map(|at| at.saturating_sub(1)).find(|at| {
        let text = line.get(*at..*at + SHAPE.len());
        text.is_some_and(|text| {
            text.iter().zip(SHAPE).all(|(byte, wanted)| match wanted {
                b'd' => byte.is_ascii_digit(),
                b'a' => byte.is_ascii_alphabetic(),
                _ => byte == wanted,
            })
        })
    })
}

/// The place after the last space or tab, if something stands before it.
fn begin_of_word(text: &[u8]) -> Option<usize> {
    text.iter().rposition(u8::is_ascii_whitespace).filter(|at| *at > 0).map(|at| at + 1)
}

/// Whether a text before the client is one word, as `shop.example:443` or, of a server without a
/// name, `_` or `-`.
fn is_host(before: &[u8]) -> bool {
    let name = before.strip_suffix(b" ");
    name.is_some_and(|name| !name.iter().any(u8::is_ascii_whitespace))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_behind_other_text_is_found() {
        const REST: &str = "192.0.2.1 - - [17/May/2015:10:05:03 +0000] \"GET /a [1] HTTP/1.1\"";
        for (before, peeled) in [
            ("web-7d nginx ", true),
            ("1790000000\t", true),
            ("<134>2026-11-22T10:00:00Z cache log[7]: ", true),
            ("", false),
            ("shop.example ", false),
            ("shop.example:443 ", false),
            ("_ ", false),
            ("*.shop.example ", false),
            ("192.0.2.9 ", false),
            ("192.0.2.9, ", false),
            ("shop.example 192.0.2.9 ", false),
        ] {
            let line = format!("{before}{REST}");
            let found = client(line.as_bytes());
            assert_eq!(found, peeled.then_some(REST.as_bytes()), "{before}");
        }
        assert_eq!(client(b"192.0.2.1 - A B [17/May/2015:10:05:03 +0000] \"GET /\""), None);
        assert_eq!(client(b"a b c [17/May/2015:10:05:03 +0000] \"GET /\""), None);
    }

    #[test]
    fn an_object_behind_a_text_is_found() {
        let line = b"2026/11/22 10:00:00.123\tINFO\thandled request\t{\"a\": 1}";
        assert_eq!(object(line), Some(&b"{\"a\": 1}"[..]));
        for line in [&b"{\"a\": 1}"[..], b"a \"b\" {\"c\": 1}", b"a {\"b\": 1} c", b"a {b}"] {
            assert_eq!(object(line), None);
        }
    }
}
