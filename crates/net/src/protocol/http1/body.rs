//! Reads past the body of a message, with each marking of its end.

use super::rules::Rules;
use super::{CHUNK_OVERHEAD_BYTES_MAX, ProtocolError};

/// The most digits of a chunk's size by strict rules.
const SIZE_DIGITS_MAX: usize = 15;

/// The remaining part of one message's body.
#[derive(Debug)]
pub(in crate::protocol) enum Body {
    /// This many bytes are still to come.
    Length(u64),
    /// Chunks, each with its size, until one of size zero.
    Chunked(Chunks),
    /// Everything until the peer closes the connection.
    UntilClose,
}

/// The progress of one call of [`Body::read`].
#[derive(Debug, PartialEq, Eq)]
pub(super) struct BodyProgress {
    /// The number of given bytes that belong to the body.
    pub(super) used: usize,
    /// Whether the body ended with them.
    pub(super) complete: bool,
}

impl Body {
    /// The body of a message that has none.
    pub(in crate::protocol) const EMPTY: Self = Self::Length(0);

    /// A chunked body of which nothing has been read.
    pub(super) fn chunked(rules: Rules) -> Self {
        Self::Chunked(Chunks { rules, place: Place::Size, size: 0, overhead_bytes: 0 })
    }

    /// Reads past the part of `bytes` that belongs to the body: all of them, unless it ends among
    /// them. `take` receives the data without its framing, a run at a time.
    pub(super) fn read(
        &mut self,
        bytes: &[u8],
        mut take: impl FnMut(&[u8]),
    ) -> Result<BodyProgress, ProtocolError> {
        match self {
            Self::Length(remaining) => {
                let used = skip(remaining, bytes.len());
                take(&bytes[..used]);
                Ok(BodyProgress { used, complete: *remaining == 0 })
            }
            Self::Chunked(chunks) => chunks.read(bytes, take),
            Self::UntilClose => {
                take(bytes);
                Ok(BodyProgress { used: bytes.len(), complete: false })
            }
        }
    }

    /// Whether the end of the connection is the end of the body.
    pub(super) fn ends_with_connection(&self) -> bool {
        matches!(self, Self::UntilClose)
    }
}

/// Takes at most `available` bytes off `remaining` and returns their number.
fn skip(remaining: &mut u64, available: usize) -> usize {
    let used = usize::try_from(*remaining).map_or(available, |bytes| bytes.min(available));
    *remaining -= used as u64;
    used
}

/// A chunked body, RFC 9112 section 7.1, read one byte of framing or one run of data at a time.
#[derive(Debug)]
pub(in crate::protocol) struct Chunks {
    rules: Rules,
    place: Place,
    /// The digits of the chunk's size so far; within its data, the bytes still to come.
    size: u64,
    /// Bytes of framing since the last chunk's end.
    overhead_bytes: usize,
}

/// The position of the next byte in a chunked body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// At a chunk's size, before its first digit.
    Size,
    /// Within the digits of the size.
    Digits,
    /// After blanks that follow the size.
    Blank,
    /// Within an extension.
    Extension,
    /// After the carriage return of the size line.
    SizeLineFeed,
    /// Within the chunk's data.
    Data,
    /// After the chunk's data.
    DataEnd,
    /// After the carriage return that follows the data.
    DataLineFeed,
    /// At the start of a trailer or of the blank line that ends the body.
    TrailerStart,
    /// Within the name of a trailer, if the rules ask for one.
    TrailerName,
    /// Within a trailer.
    Trailer,
    /// After the carriage return of a trailer.
    TrailerLineFeed,
    /// After the carriage return of the blank line that ends the body.
    EndLineFeed,
    /// After the body.
    End,
}

impl Chunks {
    fn read(
        &mut self,
        bytes: &[u8],
        mut take: impl FnMut(&[u8]),
    ) -> Result<BodyProgress, ProtocolError> {
        let mut used = 0;
        while used < bytes.len() && self.place != Place::End {
            if self.place == Place::Data {
                let count = skip(&mut self.size, bytes.len() - used);
                take(&bytes[used..used + count]);
                used += count;
                if self.size == 0 {
                    self.place = Place::DataEnd;
                }
            } else {
                self.place = self.step(bytes[used])?;
                used += 1;
            }
        }
        Ok(BodyProgress { used, complete: self.place == Place::End })
    }

    /// Reads one byte of framing and gives the position of the next one.
    fn step(&mut self, byte: u8) -> Result<Place, ProtocolError> {
        self.overhead_bytes += 1;
        if self.overhead_bytes > CHUNK_OVERHEAD_BYTES_MAX {
            return Err(ProtocolError::ChunkOverheadTooLarge);
        }
        let lenient = self.rules == Rules::Lenient;
        match (self.place, byte) {
            (Place::Size | Place::Digits, b'0'..=b'9' | b'a'..=b'f' | b'A'..=b'F') => {
                self.push_digit(byte)?;
                Ok(Place::Digits)
            }
            (Place::Digits | Place::Blank, b' ' | b'\t') if lenient => Ok(Place::Blank),
            (Place::Digits | Place::Blank | Place::Extension, b'\r') => Ok(Place::SizeLineFeed),
            (Place::SizeLineFeed, b'\n') if self.size == 0 => Ok(Place::TrailerStart),
            (Place::SizeLineFeed, b'\n') => Ok(Place::Data),
            (Place::DataEnd, b'\r') => Ok(Place::DataLineFeed),
            (Place::DataLineFeed, b'\n') => {
                self.overhead_bytes = 0;
                Ok(Place::Size)
            }
            (Place::TrailerStart, b'\r') => Ok(Place::EndLineFeed),
            (Place::Trailer, b'\r') => Ok(Place::TrailerLineFeed),
            (Place::TrailerLineFeed, b'\n') => Ok(Place::TrailerStart),
            (Place::EndLineFeed, b'\n') => Ok(Place::End),
            (_, b'\n') => Err(ProtocolError::BadChunk),
            (Place::Digits | Place::Blank, b';') if lenient => Ok(Place::Extension),
            (Place::Extension, _) => Ok(Place::Extension),
            (Place::TrailerName, b':') => Ok(Place::Trailer),
            (Place::TrailerStart, _) if lenient => Ok(Place::Trailer),
            (Place::TrailerStart | Place::TrailerName, _) if is_token(byte) => {
                Ok(Place::TrailerName)
            }
            (Place::Trailer, _) => Ok(Place::Trailer),
            _ => Err(ProtocolError::BadChunk),
        }
    }

    /// Appends a hexadecimal digit to the size.
    fn push_digit(&mut self, digit: u8) -> Result<(), ProtocolError> {
        if self.rules == Rules::Strict && self.overhead_bytes > SIZE_DIGITS_MAX {
            return Err(ProtocolError::BadChunk);
        }
        let digit = char::from(digit).to_digit(16).ok_or(ProtocolError::BadChunk)?;
        let shifted = self.size.checked_mul(16).ok_or(ProtocolError::BadChunk)?;
        self.size = shifted + u64::from(digit);
        Ok(())
    }
}

/// Whether a byte may stand in the name of a field (RFC 9110, section 5.6.2).
fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The number of bytes that `bytes` takes in a chunked body, or the error.
    fn chunked(bytes: &[u8]) -> Result<BodyProgress, ProtocolError> {
        Body::chunked(Rules::Lenient).read(bytes, |_| {})
    }

    #[test]
    fn chunked_bodies_end_where_the_standard_says() {
        let bodies: [&[u8]; 7] = [
            b"0\r\n\r\n",
            b"5\r\nhello\r\n0\r\n\r\n",
            b"5;name=value;other\r\nhello\r\n000\r\n\r\n",
            b"5 \t\r\nhello\r\n0  ;x\r\n\r\n",
            b"A\r\n0123456789\r\na\r\n0123456789\r\n0\r\n\r\n",
            b"0\r\nChecksum: 12\r\nOther: 3\r\n\r\n",
            b"2\r\n\r\n\r\n0\r\n\r\n",
        ];
        for body in bodies {
            let longer = [body, b"HTTP/1.1"].concat();
            let expected = BodyProgress { used: body.len(), complete: true };
            assert_eq!(chunked(&longer), Ok(expected), "{}", String::from_utf8_lossy(body));
        }
    }

    #[test]
    fn malformed_chunks_are_errors() {
        let bodies: [&[u8]; 11] = [
            b"\r\n",
            b";x\r\n",
            b"g\r\n",
            b"-1\r\n",
            b"5\nhello",
            b"5 5\r\n",
            b"5;x\nhello",
            b"5\r\nhello0\r\n",
            b"5\r\nhello\n0\r\n",
            b"0\r\nTrailer: x\n\r\n",
            b"10000000000000000\r\n",
        ];
        for body in bodies {
            let found = chunked(body);
            assert_eq!(found, Err(ProtocolError::BadChunk), "{}", String::from_utf8_lossy(body));
        }
    }

    #[test]
    fn framing_of_chunks_is_bounded_but_chunks_are_not() {
        for endless in [b"0;x".to_vec(), b"0\r\nTrailer: ".to_vec(), b"0".to_vec()] {
            let padding = vec![b'0'; CHUNK_OVERHEAD_BYTES_MAX];
            let body = [endless, padding].concat();
            assert_eq!(chunked(&body), Err(ProtocolError::ChunkOverheadTooLarge));
        }
        let many = b"1\r\nx\r\n".repeat(CHUNK_OVERHEAD_BYTES_MAX);
        let expected = BodyProgress { used: many.len(), complete: false };
        assert_eq!(chunked(&many), Ok(expected));
    }

    #[test]
    fn the_largest_sizes_do_not_overflow() {
        let expected = BodyProgress { used: 1021, complete: false };
        let body = [&b"ffffffffffffffff\r\n"[..], &[b'x'; 1003]].concat();
        assert_eq!(chunked(&body), Ok(expected));
        let expected = BodyProgress { used: 3, complete: false };
        assert_eq!(Body::Length(u64::MAX).read(b"xyz", |_| {}), Ok(expected));
    }
}
