//! The information about body and connection in the header fields of either kind of message.

use super::ProtocolError;
use super::rules::Rules;
use crate::protocol::{SERVER_TIMING, ServerTiming};

/// The most digits of a length by strict rules.
const LENGTH_DIGITS_MAX: usize = 18;

/// How the head marks the end of the body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Framing {
    /// It does not.
    Unstated,
    /// By its length in bytes.
    Length(u64),
    /// By chunks.
    Chunked,
    /// By a transfer coding that has no end of its own.
    OtherCoding,
}

/// The fields that readers use.
#[derive(Debug)]
pub(super) struct Fields {
    pub(super) framing: Framing,
    close: bool,
    keep_alive: bool,
    pub(super) timing: ServerTiming,
}

impl Fields {
    /// Reads the fields, and refuses lengths that are malformed or contradict one another.
    pub(super) fn read(
        headers: &[httparse::Header<'_>],
        rules: Rules,
    ) -> Result<Self, ProtocolError> {
        let mut fields = Self {
            framing: Framing::Unstated,
            close: false,
            keep_alive: false,
            timing: ServerTiming::default(),
        };
        for header in headers {
            if header.name.eq_ignore_ascii_case("content-length") {
                fields.add_length(header.value, rules)?;
            } else if header.name.eq_ignore_ascii_case("transfer-encoding") {
                fields.add_coding(header.value, rules)?;
            } else if header.name.eq_ignore_ascii_case("connection") {
                for option in elements(header.value) {
                    fields.close |= option.eq_ignore_ascii_case(b"close");
                    fields.keep_alive |= option.eq_ignore_ascii_case(b"keep-alive");
                }
            } else if header.name.eq_ignore_ascii_case(SERVER_TIMING) {
                fields.timing.take(header.value);
            }
        }
        Ok(fields)
    }

    /// Whether another message may follow on the connection after one of HTTP/1.`minor_version`.
    ///
    /// HTTP/1.0 knows no transfer codings, so its framing after one cannot be trusted.
    pub(super) fn keep_alive(&self, minor_version: u8) -> bool {
        let coded = matches!(self.framing, Framing::Chunked | Framing::OtherCoding);
        !self.close && (minor_version >= 1 || (self.keep_alive && !coded))
    }

    /// Content-Length may be repeated, in one field or several, if every value is the same; by
    /// strict rules it is given once, in no more digits than every program reads.
    fn add_length(&mut self, value: &[u8], rules: Rules) -> Result<(), ProtocolError> {
        let once = self.framing == Framing::Unstated && !value.contains(&b',');
        if rules == Rules::Strict && !(once && value.len() <= LENGTH_DIGITS_MAX) {
            return Err(ProtocolError::BadContentLength);
        }
        for element in elements(value) {
            let length = Framing::Length(parse_length(element)?);
            if self.framing != Framing::Unstated && self.framing != length {
                return Err(ProtocolError::ConflictingLength);
            }
            self.framing = length;
        }
        Ok(())
    }

    /// Only the coding applied last, which stands last, can mark the end of the body; by strict
    /// rules there is one.
    fn add_coding(&mut self, value: &[u8], rules: Rules) -> Result<(), ProtocolError> {
        let once = self.framing == Framing::Unstated && value.eq_ignore_ascii_case(b"chunked");
        if rules == Rules::Strict && !once {
            return Err(ProtocolError::BadTransferEncoding);
        }
        if matches!(self.framing, Framing::Length(_)) {
            return Err(ProtocolError::ConflictingLength);
        }
        let last = elements(value).last().unwrap_or_default();
        let chunked = last.eq_ignore_ascii_case(b"chunked");
        self.framing = if chunked { Framing::Chunked } else { Framing::OtherCoding };
        Ok(())
    }
}

/// The elements of a comma-separated field value, without the blanks around them.
fn elements(value: &[u8]) -> impl Iterator<Item = &[u8]> {
    value.split(|&byte| byte == b',').map(<[u8]>::trim_ascii)
}

/// Reads digits only: no sign, no blank, no number of 2^64 or more.
fn parse_length(digits: &[u8]) -> Result<u64, ProtocolError> {
    if digits.is_empty() {
        return Err(ProtocolError::BadContentLength);
    }
    digits
        .iter()
        .try_fold(0_u64, |length, &byte| {
            let digit = char::from(byte).to_digit(10)?;
            length.checked_mul(10)?.checked_add(u64::from(digit))
        })
        .ok_or(ProtocolError::BadContentLength)
}

#[cfg(test)]
mod tests {
    use super::*;

    type Headers = [(&'static str, &'static str)];

    fn read(headers: &Headers) -> Result<Fields, ProtocolError> {
        let headers: Vec<_> = headers
            .iter()
            .map(|&(name, value)| httparse::Header { name, value: value.as_bytes() })
            .collect();
        Fields::read(&headers, Rules::Lenient)
    }

    #[test]
    fn framing_is_read_from_lengths_and_codings() {
        let cases: [(&Headers, Framing); 8] = [
            (&[], Framing::Unstated),
            (&[("Server", "x"), ("content-LENGTH", "12")], Framing::Length(12)),
            (&[("Content-Length", "7, 7"), ("Content-Length", "7")], Framing::Length(7)),
            (&[("Content-Length", "18446744073709551615")], Framing::Length(u64::MAX)),
            (&[("Transfer-Encoding", "Chunked")], Framing::Chunked),
            (&[("Transfer-Encoding", "gzip, chunked")], Framing::Chunked),
            (&[("Transfer-Encoding", "chunked"), ("Transfer-Encoding", "x")], Framing::OtherCoding),
            (&[("Transfer-Encoding", "")], Framing::OtherCoding),
        ];
        for (headers, framing) in cases {
            assert_eq!(read(headers).map(|fields| fields.framing), Ok(framing), "{headers:?}");
        }
    }

    #[test]
    fn keep_alive_follows_the_version_unless_the_connection_field_says_otherwise() {
        let cases: [(&Headers, bool, bool); 6] = [
            (&[], true, false),
            (&[("Connection", "close")], false, false),
            (&[("Connection", "Keep-Alive")], true, true),
            (&[("Connection", "Upgrade, CLOSE")], false, false),
            (&[("Connection", "keep-alive"), ("Connection", "close")], false, false),
            (&[("Connection", "keep-alive"), ("Transfer-Encoding", "chunked")], true, false),
        ];
        for (headers, by_new, by_old) in cases {
            let kept = read(headers).map(|fields| (fields.keep_alive(1), fields.keep_alive(0)));
            assert_eq!(kept, Ok((by_new, by_old)), "{headers:?}");
        }
    }
}
