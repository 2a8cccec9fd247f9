//! Text values: escapes decoded, parts extracted.

use std::borrow::Cow;
use std::ops::Range;

use crate::entry::Text;

/// A part of a text, borrowed for as long as the text is.
#[inline]
pub(crate) fn part<'a>(text: &Text<'a>, range: Range<usize>) -> Text<'a> {
    match text {
        Cow::Borrowed(bytes) => Cow::Borrowed(&bytes[range]),
        Cow::Owned(bytes) => Cow::Owned(bytes[range].to_vec()),
    }
}

/// The index after the first `://`. A search for one byte starts faster than one for a text, and
/// colons are rare.
#[inline]
pub(crate) fn after_scheme(url: &[u8]) -> Option<usize> {
    let mut from = 0;
    while let Some(colon) = find_byte(&url[from..], b':') {
        from += colon + 1;
        if url[from..].starts_with(b"//") {
            return Some(from + 2);
        }
    }
    None
}

/// The index of a byte. Most fields are short: the first bytes are compared eight at a time, which
/// takes fewer instructions than a call of `memchr`.
#[inline]
pub(crate) fn find_byte(text: &[u8], byte: u8) -> Option<usize> {
    // Warren, Hacker's Delight, 6-1: the lowest set bit belongs to the first zero byte.
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGHS: u64 = 0x8080_8080_8080_8080;
    let Some(last) = text.len().checked_sub(8) else {
        return text.iter().position(|other| *other == byte);
    };
    // The last eight bytes may overlap those before: these have been compared.
    for from in [0, 8, 16, 24] {
        let from = from.min(last);
        let Some(eight) = text[from..].first_chunk::<8>() else { break };
        let different = u64::from_le_bytes(*eight) ^ (ONES * u64::from(byte));
        let zeros = different.wrapping_sub(ONES) & !different & HIGHS;
        if zeros != 0 {
            return Some(from + zeros.trailing_zeros() as usize / 8);
        }
        if from == last {
            return None;
        }
    }
    memchr::memchr(byte, &text[32..]).map(|at| 32 + at)
}

/// Decodes backslash escapes: `\"`, `\\`, C's letters, `\xHH` (Apache, nginx) and `\uHHHH` (JSON).
/// Other text stays unchanged.
pub(crate) fn unescape(raw: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(raw.len());
    let mut rest = raw;
    while let Some(place) = memchr::memchr(b'\\', rest) {
        plain.extend_from_slice(&rest[..place]);
        rest = escape(&rest[place + 1..], &mut plain);
    }
    plain.extend_from_slice(rest);
    plain
}

/// Decodes one escape, given the text after the backslash; gives the rest.
fn escape<'a>(rest: &'a [u8], plain: &mut Vec<u8>) -> &'a [u8] {
    let Some((letter, after)) = rest.split_first() else {
        plain.push(b'\\');
        return rest;
    };
    let byte = match letter {
        b'n' => b'\n',
        b't' => b'\t',
        b'r' => b'\r',
        b'b' => 8,
        b'v' => 11,
        b'f' => 12,
        b'x' => match hexadecimal(after, 2) {
            Some(value) => {
                plain.push(value as u8);
                return &after[2..];
            }
            None => b'x',
        },
        b'u' => return unicode(after, plain),
        other => *other,
    };
    plain.push(byte);
    after
}

/// The code unit after `\u`, combined with the second half of a surrogate pair.
fn unicode<'a>(rest: &'a [u8], plain: &mut Vec<u8>) -> &'a [u8] {
    let Some(first) = hexadecimal(rest, 4) else {
        plain.push(b'u');
        return rest;
    };
    let rest = &rest[4..];
    let pair = (0xd800..0xdc00).contains(&first).then(|| rest.strip_prefix(b"\\u")).flatten();
    let (code, rest) = match pair.and_then(|after| Some((after, hexadecimal(after, 4)?))) {
        Some((after, second)) if (0xdc00..0xe000).contains(&second) => {
            (0x1_0000 + ((first - 0xd800) << 10) + (second - 0xdc00), &after[4..])
        }
        _ => (first, rest),
    };
    let character = char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER);
    plain.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
    rest
}

/// The value of the first hexadecimal digits.
fn hexadecimal(text: &[u8], digits: usize) -> Option<u32> {
    let mut value = 0;
    for byte in text.get(..digits)? {
        value = value * 16 + char::from(*byte).to_digit(16)?;
    }
    Some(value)
}

/// Decodes `%HH`; and `+` for a space, if `plus` is set.
pub(crate) fn percent_decode(raw: &[u8], plus: bool) -> Text<'_> {
    let coded = |byte: &u8| *byte == b'%' || (plus && *byte == b'+');
    if !raw.iter().any(coded) {
        return Cow::Borrowed(raw);
    }
    let mut plain = Vec::with_capacity(raw.len());
    let mut rest = raw;
    while let Some((byte, after)) = rest.split_first() {
        rest = after;
        match byte {
            b'+' if plus => plain.push(b' '),
            b'%' => match hexadecimal(after, 2) {
                Some(value) => {
                    plain.push(value as u8);
                    rest = &after[2..];
                }
                None => plain.push(b'%'),
            },
            other => plain.push(*other),
        }
    }
    Cow::Owned(plain)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn escapes_are_undone() {
        assert_eq!(unescape(br#"a\"b\\c\x22\n\xzz\"#), b"a\"b\\c\"\nxzz\\");
        assert_eq!(unescape(br"\u00e4\ud83d\ude00\ud83dx\u12"), "ä😀\u{fffd}xu12".as_bytes());
        assert_eq!(unescape(br"\/\q"), b"/q");
    }

    proptest! {
        #[test]
        fn a_byte_is_found_where_it_first_stands(text in "[ab]{0,70}c?[ab]{0,9}c?") {
            let found = text.bytes().position(|byte| byte == b'c');
            prop_assert_eq!(find_byte(text.as_bytes(), b'c'), found);
        }
    }

    #[test]
    fn percent_codes_are_undone() {
        assert_eq!(&percent_decode(b"a%20b+c%2", true)[..], b"a b c%2");
        assert!(matches!(percent_decode(b"a+b", false), Cow::Borrowed(b"a+b")));
    }
}
