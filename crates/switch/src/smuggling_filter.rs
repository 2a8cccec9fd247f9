//! Checks clients' data before it is parsed.
//!
//! The parser is lenient in cases where two programs may read the same bytes as different requests,
//! which request smuggling exploits. The filter follows the framing of requests and admits only
//! bytes that all programs read alike (RFC 9112, sections 2.2, 5.2, 6 and 7.1). It replaces other
//! bytes by bytes of value 0, which the parser refuses with 400; after that nothing passes.

use memchr::memchr;

/// The longest line of a chunk's size, in bytes, with the end of the line.
const CHUNK_LINE_MAX: usize = 32;
/// The longest line of a head, in bytes; the parser has its own limit for all of it.
const LINE_MAX: usize = 32 * 1024;

/// The part to which the next byte belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    RequestLine,
    Field,
    /// This many bytes of a body, or of a chunk.
    Data {
        left: u64,
        chunk: bool,
    },
    ChunkSize,
    ChunkEnd,
    Trailer,
    /// After refused data.
    Refused,
}

/// The head's description of the body.
#[derive(Clone, Copy, Debug, Default)]
struct Framing {
    /// Whether the request is of HTTP/1.0, which knows no chunks.
    old: bool,
    length: Option<u64>,
    chunked: bool,
}

/// Follows the data of one connection.
#[derive(Debug)]
pub(crate) struct SmugglingFilter {
    place: Place,
    framing: Framing,
    /// Heads that are complete.
    requests: u64,
    /// The beginning of an incomplete line.
    line: Vec<u8>,
}

/// Refused.
struct NotAdmitted;

impl SmugglingFilter {
    pub(crate) fn new() -> SmugglingFilter {
        let (place, framing) = (Place::RequestLine, Framing::default());
        SmugglingFilter { place, framing, requests: 0, line: Vec::new() }
    }

    /// Whether it has refused data.
    pub(crate) fn has_refused(&self) -> bool {
        self.place == Place::Refused
    }

    /// The number of requests, at least their heads.
    pub(crate) fn requests(&self) -> u64 {
        self.requests
    }

    /// Whether the next byte belongs to a head.
    pub(crate) fn awaits_head(&self) -> bool {
        matches!(self.place, Place::RequestLine | Place::Field)
    }

    /// Whether nothing of the next request has arrived.
    pub(crate) fn is_between_requests(&self) -> bool {
        self.place == Place::RequestLine && self.line.is_empty()
    }

    /// Another request came between two others, checked elsewhere.
    pub(crate) fn skip_request(&mut self) {
        self.requests += 1;
    }

    /// Checks arriving bytes, in pieces of any size.
    pub(crate) fn inspect(&mut self, bytes: &mut [u8]) {
        let mut at = 0;
        while at < bytes.len() {
            let rest = &mut bytes[at..];
            at += match self.place {
                Place::Refused => {
                    rest.fill(0);
                    return;
                }
                Place::Data { left, chunk } => self.pass(left, chunk, rest.len()),
                _ => match self.look_at_line(rest) {
                    Ok(length) => length,
                    Err(NotAdmitted) => {
                        self.place = Place::Refused;
                        0
                    }
                },
            };
        }
    }

    /// Lets bytes of a body through: their number.
    fn pass(&mut self, left: u64, chunk: bool, there: usize) -> usize {
        let passed = left.min(there as u64);
        self.place = match (left - passed, chunk) {
            (0, true) => Place::ChunkEnd,
            (0, false) => Place::RequestLine,
            (left, _) => Place::Data { left, chunk },
        };
        passed as usize
    }

    /// Checks the next line, or its available part: the number of bytes.
    fn look_at_line(&mut self, bytes: &[u8]) -> Result<usize, NotAdmitted> {
        let end = memchr(b'\n', bytes);
        let part = &bytes[..end.map_or(bytes.len(), |end| end + 1)];
        let limit = if self.place == Place::ChunkSize { CHUNK_LINE_MAX } else { LINE_MAX };
        if self.line.len() + part.len() > limit {
            return Err(NotAdmitted);
        }
        if end.is_none() {
            self.line.extend_from_slice(part);
        } else if self.line.is_empty() {
            self.place = self.after(part)?;
        } else {
            let mut line = std::mem::take(&mut self.line);
            line.extend_from_slice(part);
            self.place = self.after(&line)?;
        }
        Ok(part.len())
    }

    /// The part after this line.
    fn after(&mut self, line: &[u8]) -> Result<Place, NotAdmitted> {
        let line = line.strip_suffix(b"\r\n").ok_or(NotAdmitted)?;
        if memchr(b'\r', line).is_some() {
            return Err(NotAdmitted);
        }
        match (self.place, line) {
            // Some clients end a body with an extra line end.
            (Place::RequestLine, b"") => Ok(Place::RequestLine),
            (Place::RequestLine, _) => {
                self.framing = Framing { old: line.ends_with(b"/1.0"), ..Framing::default() };
                Ok(Place::Field)
            }
            (Place::Field, b"") => {
                self.requests += 1;
                self.framing.body()
            }
            (Place::Field, _) => self.framing.take_field(line).map(|()| Place::Field),
            (Place::ChunkSize, _) => match chunk_size(line)? {
                0 => Ok(Place::Trailer),
                left => Ok(Place::Data { left, chunk: true }),
            },
            (Place::ChunkEnd, b"") => Ok(Place::ChunkSize),
            (Place::Trailer, b"") => Ok(Place::RequestLine),
            (Place::Trailer, _) => field(line).map(|_| Place::Trailer),
            _ => Err(NotAdmitted),
        }
    }
}

impl Framing {
    /// Reads a field of the head.
    fn take_field(&mut self, line: &[u8]) -> Result<(), NotAdmitted> {
        let (name, value) = field(line)?;
        if name.eq_ignore_ascii_case(b"content-length") {
            // One length, given once: the standard allows a repetition, but does not require it.
            if self.length.is_some() || value.is_empty() || value.len() > 18 {
                return Err(NotAdmitted);
            }
            self.length = Some(number(value, 10)?);
        } else if name.eq_ignore_ascii_case(b"transfer-encoding") {
            if self.chunked || self.old || !value.eq_ignore_ascii_case(b"chunked") {
                return Err(NotAdmitted);
            }
            self.chunked = true;
        }
        Ok(())
    }

    /// The part after the head.
    fn body(self) -> Result<Place, NotAdmitted> {
        match (self.length, self.chunked) {
            (Some(_), true) => Err(NotAdmitted),
            (_, true) => Ok(Place::ChunkSize),
            (None | Some(0), false) => Ok(Place::RequestLine),
            (Some(left), false) => Ok(Place::Data { left, chunk: false }),
        }
    }
}

/// Name and value of a header field. A line that begins with a blank, which would continue the
/// previous one, has no name.
fn field(line: &[u8]) -> Result<(&[u8], &[u8]), NotAdmitted> {
    let colon = memchr(b':', line).ok_or(NotAdmitted)?;
    let (name, value) = (&line[..colon], line[colon + 1..].trim_ascii());
    if is_token(name) { Ok((name, value)) } else { Err(NotAdmitted) }
}

/// The size in a chunk's first line. Extensions are refused: hardly a client sends any, and if two
/// programs read them differently, a request can hide in them.
fn chunk_size(line: &[u8]) -> Result<u64, NotAdmitted> {
    if !(1..=15).contains(&line.len()) {
        return Err(NotAdmitted);
    }
    number(line, 16)
}

fn number(digits: &[u8], radix: u32) -> Result<u64, NotAdmitted> {
    if !digits.iter().all(|byte| char::from(*byte).is_digit(radix)) {
        return Err(NotAdmitted);
    }
    let text = std::str::from_utf8(digits).map_err(|_| NotAdmitted)?;
    u64::from_str_radix(text, radix).map_err(|_| NotAdmitted)
}

fn is_token(text: &[u8]) -> bool {
    !text.is_empty() && text.iter().all(|byte| is_token_byte(*byte))
}

fn is_token_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}

#[cfg(test)]
mod tests;
