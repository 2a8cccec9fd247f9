//! One field of a layout and its end.

use std::borrow::Cow;

use crate::entry::Text;
use crate::field::Field;
use crate::text::{find_byte, unescape};
use crate::time::CLF_LENGTH;

/// A field with the text that follows it.
#[derive(Clone, Debug)]
pub(super) struct Piece {
    /// Its name in the format's own notation.
    pub(super) name: String,
    pub(super) field: Field,
    /// Whether it identifies the user.
    pub(super) user: bool,
    /// Whether spaces may precede it.
    padded: bool,
    until: Until,
}

/// The end of a field.
#[derive(Clone, Debug)]
enum Until {
    /// At this byte.
    Byte(u8),
    /// At this text.
    Text(Vec<u8>),
    /// At this text, which begins with a space, and no comma stands before it: the field may be a
    /// list of addresses.
    List(Vec<u8>),
    /// At this text, which begins with an unescaped quote; of a line's last field, at one before a
    /// space or the line's end.
    Quote { text: Vec<u8>, last: bool },
    /// After its fixed number of bytes; then this text follows.
    Length(Vec<u8>),
    /// At the next space or the line's end.
    Word,
    /// At the line's end.
    LineEnd,
}

impl Piece {
    /// A field and the text after it; without text, the field is the last one.
    pub(super) fn new(name: String, field: Field, after: Vec<u8>, last: bool) -> Piece {
        let padded = matches!(
            field,
            Field::Duration(_)
                | Field::Bytes
                | Field::BytesOrDash
                | Field::Status
                | Field::Epoch(_)
        );
        let until = match (&after[..], &field) {
            (_, Field::Clf) => Until::Length(after),
            ([], Field::Agent | Field::Referrer) => Until::LineEnd,
            ([], Field::Pattern(pattern)) if pattern.has_space() => Until::LineEnd,
            ([], _) => Until::Word,
            ([b'"', ..], _) => Until::Quote { text: after, last },
            ([b' ', ..], Field::Address | Field::Forwarded) => Until::List(after),
            ([byte], _) => Until::Byte(*byte),
            _ => Until::Text(after),
        };
        Piece { name, field, user: false, padded, until }
    }

    /// The field's value and the rest after the following text.
    #[inline]
    pub(super) fn take<'a>(&self, mut rest: &'a [u8]) -> Option<(Text<'a>, &'a [u8])> {
        if self.padded && rest.first() == Some(&b' ') {
            rest = rest.trim_ascii_start();
        }
        let (end, after) = match &self.until {
            Until::Byte(byte) => {
                let end = find_byte(rest, *byte)?;
                (end, end + 1)
            }
            Until::List(text) => {
                let mut end = find(rest, text)?;
                while end > 0 && rest[end - 1] == b',' {
                    end += 1 + find(&rest[end + 1..], text)?;
                }
                (end, end + text.len())
            }
            Until::Quote { text, last } => return quoted(rest, text, *last),
            Until::Text(text) => {
                let end = find(rest, text)?;
                (end, end + text.len())
            }
            Until::Length(text) => {
                begins_with(rest.get(CLF_LENGTH..)?, text).then_some(())?;
                (CLF_LENGTH, CLF_LENGTH + text.len())
            }
            Until::Word => {
                let end = find_byte(rest, b' ').unwrap_or(rest.len());
                (end, end)
            }
            Until::LineEnd => (rest.len(), rest.len()),
        };
        Some((Cow::Borrowed(&rest[..end]), &rest[after..]))
    }
}

/// As `starts_with`, for texts of few bytes, where a call of `memcmp` would be slower.
#[inline]
fn begins_with(rest: &[u8], text: &[u8]) -> bool {
    rest.len() >= text.len() && rest.iter().zip(text).all(|(a, b)| a == b)
}

/// The first bytes of a text are compared one after another at this many places. If it does not
/// begin there, as in a line of blanks, a search for all of it is faster.
const PLACES_TRIED: usize = 8;

/// The index of a text of few bytes.
#[inline]
fn find(rest: &[u8], text: &[u8]) -> Option<usize> {
    let (first, others) = text.split_first()?;
    let mut from = 0;
    for _ in 0..PLACES_TRIED {
        let place = from + find_byte(&rest[from..], *first)?;
        if begins_with(&rest[place + 1..], others) {
            return Some(place);
        }
        from = place + 1;
    }
    memchr::memmem::find(&rest[from..], text).map(|place| from + place)
}

/// A value up to `text`, which begins with a quote. Old servers did not escape quotes within: a
/// quote that the rest of `text` does not follow belongs to the value.
#[inline]
fn quoted<'a>(rest: &'a [u8], text: &[u8], last: bool) -> Option<(Text<'a>, &'a [u8])> {
    let ends = |at: usize| !last || rest.get(at).is_none_or(|byte| *byte == b' ');
    let mut escaped = false;
    let mut from = 0;
    loop {
        let place = from + memchr::memchr2(b'"', b'\\', rest.get(from..)?)?;
        if rest[place] == b'\\' {
            escaped = true;
            from = place + 2;
        } else if begins_with(&rest[place + 1..], &text[1..]) && ends(place + text.len()) {
            let raw = &rest[..place];
            let value = if escaped { Cow::Owned(unescape(raw)) } else { Cow::Borrowed(raw) };
            return Some((value, &rest[place + text.len()..]));
        } else {
            from = place + 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_found_behind_many_places_where_it_begins_alone() {
        for text in [&b" \""[..], b"] ", b" - ", b"\" \""] {
            for before in [&b"a"[..], b" ", b"]", b" -", b"\" "] {
                for times in [0, 1, PLACES_TRIED - 1, PLACES_TRIED, PLACES_TRIED + 1, 500] {
                    let rest = [&before.repeat(times), text, b"b"].concat();
                    let expected = rest.windows(text.len()).position(|here| here == text);
                    assert_eq!(find(&rest, text), expected, "{text:?} {before:?} {times}");
                }
                assert_eq!(find(&before.repeat(99), b"x1"), None);
            }
        }
    }
}
