//! The values of a line between separators, as RFC 4180 says.

use std::borrow::Cow;

use crate::entry::Text;
use crate::reason::Reason;

/// The values of a line.
pub(super) struct Cells<'a> {
    pub(super) rest: Option<&'a [u8]>,
    pub(super) separator: u8,
}

impl<'a> Iterator for Cells<'a> {
    type Item = Result<Text<'a>, Reason>;

    fn next(&mut self) -> Option<Self::Item> {
        let rest = without_spaces(self.rest?);
        if let Some(inner) = rest.strip_prefix(b"\"") {
            // Nothing follows a bad value.
            self.rest = None;
            return Some(self.quoted(inner));
        }
        let end = memchr::memchr(self.separator, rest);
        self.rest = end.map(|end| &rest[end + 1..]);
        Some(Ok(Cow::Borrowed(rest[..end.unwrap_or(rest.len())].trim_ascii_end())))
    }
}

/// A text without the spaces before it, which some programs write around separators.
fn without_spaces(mut text: &[u8]) -> &[u8] {
    while let [b' ', rest @ ..] = text {
        text = rest;
    }
    text
}

impl<'a> Cells<'a> {
    /// A value after its first quote, up to a quote that is not doubled.
    fn quoted(&mut self, inner: &'a [u8]) -> Result<Text<'a>, Reason> {
        let mut value = Cow::Borrowed(&inner[..0]);
        let mut rest = inner;
        loop {
            let end = memchr::memchr(b'"', rest).ok_or(Reason::NotThisFormat)?;
            let after = &rest[end + 1..];
            if value.is_empty() {
                value = Cow::Borrowed(&rest[..end]);
            } else {
                value.to_mut().extend_from_slice(&rest[..end]);
            }
            match after.strip_prefix(b"\"") {
                Some(more) => {
                    value.to_mut().push(b'"');
                    rest = more;
                }
                None => {
                    self.rest = match without_spaces(after).split_first() {
                        None => None,
                        Some((byte, more)) if *byte == self.separator => Some(more),
                        Some(_) => return Err(Reason::NotThisFormat),
                    };
                    return Ok(value);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cells(line: &str) -> Result<Vec<String>, Reason> {
        let cells = Cells { rest: Some(line.as_bytes()), separator: b',' };
        cells.map(|cell| Ok(String::from_utf8(cell?.to_vec()).unwrap())).collect()
    }

    #[test]
    fn lines_are_split_as_rfc_4180_says() {
        assert_eq!(cells("a,,\"b,c\"").unwrap(), ["a", "", "b,c"]);
        assert_eq!(cells(" a b , \"c \" ,").unwrap(), ["a b", "c ", ""]);
        assert_eq!(cells("\"\",\"\"\"x\"\"\",").unwrap(), ["", "\"x\"", ""]);
        assert_eq!(cells("\"a\"\"b\"").unwrap(), ["a\"b"]);
        assert_eq!(cells("\"a"), Err(Reason::NotThisFormat));
        assert_eq!(cells("\"a\"b,c"), Err(Reason::NotThisFormat));
        let bad = Cells { rest: Some(b"\"a\" b;\"c\""), separator: b';' };
        assert_eq!(bad.take(9).count(), 1, "a bad value is the last one");
    }
}
