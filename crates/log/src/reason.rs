//! Why a line is bad, in a short fixed vocabulary.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Why a line is bad.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Reason {
    /// The file ends within the line.
    Truncated,
    /// The compressed data cannot be unpacked from here on, or the file not be read.
    Damaged,
    /// Longer than a mebibyte.
    TooLong,
    /// Not text.
    Binary,
    /// An address in an encoding that makes it useless.
    BadEncoding,
    /// The fields do not match the format.
    NotThisFormat,
    /// The time is missing from its place.
    NoTime,
    /// No client's address, nor a user.
    NoAddress,
    /// No method: the request was no HTTP, or was cut off.
    NoMethod,
    /// No path.
    NoPath,
    /// A time that no calendar has, or not one of the years 1970 to 2261.
    ImpossibleDate,
    /// The status is no number from 100 to 999.
    BadStatus,
    /// A size or a duration is no number.
    BadNumber,
}

impl Reason {
    /// All reasons, in the order in which they are reported.
    pub const ALL: [Reason; 13] = [
        Reason::Truncated,
        Reason::Damaged,
        Reason::TooLong,
        Reason::Binary,
        Reason::BadEncoding,
        Reason::NotThisFormat,
        Reason::NoTime,
        Reason::NoAddress,
        Reason::NoMethod,
        Reason::NoPath,
        Reason::ImpossibleDate,
        Reason::BadStatus,
        Reason::BadNumber,
    ];

    /// The reason in words, as in `impossible date`.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Reason::Truncated => "truncated",
            Reason::Damaged => "damaged",
            Reason::TooLong => "too long",
            Reason::Binary => "binary",
            Reason::BadEncoding => "bad encoding",
            Reason::NotThisFormat => "not this format",
            Reason::NoTime => "no time",
            Reason::NoAddress => "no address",
            Reason::NoMethod => "no method",
            Reason::NoPath => "no path",
            Reason::ImpossibleDate => "impossible date",
            Reason::BadStatus => "bad status",
            Reason::BadNumber => "bad number",
        }
    }

    /// Whether the line is of its format but for the request: scanners send what is no HTTP, and
    /// connections end before a request has come.
    pub(crate) fn lacks_request(self) -> bool {
        matches!(self, Reason::NoMethod | Reason::NoPath)
    }

    /// The reason for a line that could not be read because of `self`: if it is no text at all,
    /// that comes first.
    pub(crate) fn of_line(self, line: &[u8]) -> Reason {
        let controls = line.iter().filter(|byte| **byte < b' ' && **byte != b'\t').count();
        if line.contains(&0) || controls * 10 > line.len() { Reason::Binary } else { self }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.words())
    }
}

/// The longest example of a bad line that is kept, in characters.
const EXAMPLE_CHARACTERS: usize = 200;

/// The begin of a line for messages: at most 200 characters, control characters escaped.
pub(crate) fn example(line: &[u8]) -> String {
    // No character takes more than four bytes.
    let begin = &line[..line.len().min(4 * EXAMPLE_CHARACTERS)];
    let mut shown = String::new();
    let mut left = EXAMPLE_CHARACTERS;
    for character in String::from_utf8_lossy(begin).chars() {
        if left == 0 {
            break;
        }
        left -= 1;
        if character.is_control() {
            shown.extend(character.escape_default());
        } else {
            shown.push(character);
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn examples_are_short_and_harmless() {
        assert_eq!(example(b"a\x1b[31mb\n\xff"), "a\\u{1b}[31mb\\n\u{fffd}");
        assert_eq!(example(&[b'x'; 5000]).len(), 200);
        assert_eq!(example("ä".repeat(300).as_bytes()).chars().count(), 200);
    }

    #[test]
    fn what_is_no_text_is_binary() {
        assert_eq!(Reason::NoTime.of_line(b"ab\0cd"), Reason::Binary);
        assert_eq!(Reason::NoTime.of_line(b"\x01\x02abc"), Reason::Binary);
        assert_eq!(Reason::NoTime.of_line(b"GET\t/ plain"), Reason::NoTime);
    }
}
