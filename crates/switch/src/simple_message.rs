//! Simple messages, forwarded as they are read, without a map of their fields.
//!
//! Most messages have nothing that a switch must interpret. The messages recognised here are a
//! subset of those that hyper and the filter admit, and are forwarded in the same way; all others
//! are left to them.

use memchr::memchr;

use crate::date_text::DateText;
use crate::fields::{Origin, may_name_client, names_client};

/// The most fields of a simple message: hyper's parser has room for no more.
const FIELDS_MAX: usize = 100;
const LENGTH_DIGITS_MAX: usize = 18;
const PORT_DIGITS_MAX: usize = 5;

/// The addition to each request of a connection, around its host.
#[derive(Debug)]
pub(crate) struct HopFields {
    before: String,
    between: String,
}

const AFTER_HOST: &[u8] = b"\r\nvia: 1.1 thinktime\r\n\r\n";

impl HopFields {
    pub(crate) fn new(origin: &Origin) -> HopFields {
        let (from, scheme) = (origin.from, origin.scheme);
        let element = if from.is_ipv6() { format!("\"[{from}]\"") } else { from.to_string() };
        let before = format!("forwarded: for={element};host=\"");
        let between = format!(
            "\";proto={scheme}\r\nx-forwarded-for: {from}\r\nx-forwarded-proto: {scheme}\r\n\
             x-forwarded-host: "
        );
        HopFields { before, between }
    }
}

/// A GET without a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SimpleRequest<'a> {
    pub(crate) line: &'a [u8],
    pub(crate) target: &'a str,
    /// The fields of these names.
    pub(crate) referer: Option<&'a [u8]>,
    pub(crate) agent: Option<&'a [u8]>,
}

/// A complete response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SimpleResponse {
    pub(crate) status: u16,
    /// Bytes of its body.
    pub(crate) length: usize,
}

/// Recognises a simple request, which must be complete and alone, and writes it for its server. If
/// it is not simple, the output is unusable.
pub(crate) fn request<'a>(
    bytes: &'a [u8],
    hop_fields: &HopFields,
    out: &mut Vec<u8>,
) -> Option<SimpleRequest<'a>> {
    let (line, mut rest) = line(bytes)?;
    let target = line.strip_prefix(b"GET ")?.strip_suffix(b" HTTP/1.1")?;
    if target.first() != Some(&b'/') || !target.iter().all(|byte| is_of_target(*byte)) {
        return None;
    }
    out.extend_from_slice(line);
    out.extend_from_slice(b"\r\n");
    let target = std::str::from_utf8(target).ok()?;
    let mut found = SimpleRequest { line, target, referer: None, agent: None };
    let (mut host, mut cookies) = (None, 0);
    for _ in 0..=FIELDS_MAX {
        let Some(field) = Field::read(&mut rest, out)? else {
            let host = host?;
            let (before, between) = (hop_fields.before.as_bytes(), hop_fields.between.as_bytes());
            for part in [before, host, between, host, AFTER_HOST] {
                out.extend_from_slice(part);
            }
            return rest.is_empty().then_some(found);
        };
        let value = field.value;
        match field.name(out) {
            b"host" if host.is_none() && is_host(value) => host = Some(value),
            b"connection" if value.eq_ignore_ascii_case(b"keep-alive") => field.leave_out(out),
            b"cookie" if cookies == 0 => cookies += 1,
            b"referer" => found.referer = found.referer.or(Some(value)),
            b"user-agent" => found.agent = found.agent.or(Some(value)),
            b"host" | b"cookie" | b"content-length" | b"expect" => return None,
            name if concerns_hops(name) || concerns_client(name) => return None,
            _ => {}
        }
    }
    None
}

/// Recognises a simple response to GET, which must be complete and alone, and writes it for the
/// client; `date` is for one without a date. If it is not simple, the output is unusable.
pub(crate) fn response(
    bytes: &[u8],
    date: &mut DateText,
    out: &mut Vec<u8>,
) -> Option<SimpleResponse> {
    let (line, mut rest) = line(bytes)?;
    let status = status_of(line)?;
    out.extend_from_slice(line);
    out.extend_from_slice(b"\r\n");
    let (mut length, mut dated) = (None, false);
    for _ in 0..=FIELDS_MAX {
        let Some(field) = Field::read(&mut rest, out)? else {
            let length = length.filter(|length| *length == rest.len())?;
            out.extend_from_slice(b"via: 1.1 thinktime\r\n");
            if !dated {
                for part in ["date: ", date.now(), "\r\n"] {
                    out.extend_from_slice(part.as_bytes());
                }
            }
            out.extend_from_slice(b"\r\n");
            out.extend_from_slice(rest);
            return Some(SimpleResponse { status, length });
        };
        match field.name(out) {
            b"content-length" if length.is_none() => length = Some(number(field.value)?),
            b"connection" if field.value.eq_ignore_ascii_case(b"keep-alive") => {
                field.leave_out(out)
            }
            b"keep-alive" => field.leave_out(out),
            b"date" => dated = true,
            b"content-length" => return None,
            name if concerns_hops(name) => return None,
            _ => {}
        }
    }
    None
}

/// The status of a response that has a body.
fn status_of(line: &[u8]) -> Option<u16> {
    let (digits, reason) = line.strip_prefix(b"HTTP/1.1 ")?.split_at_checked(3)?;
    let reason = reason.strip_prefix(b" ")?;
    let status = u16::try_from(number(digits)?).ok()?;
    let has_body = (200..600).contains(&status) && ![204, 205, 304].contains(&status);
    (has_body && reason.iter().all(|byte| is_of_value(*byte))).then_some(status)
}

/// Whether a field of this name concerns the connection, or earlier hops.
fn concerns_hops(name: &[u8]) -> bool {
    match name {
        b"connection" | b"keep-alive" | b"max-forwards" | b"te" | b"trailer"
        | b"transfer-encoding" | b"upgrade" | b"via" => true,
        _ => name.starts_with(b"proxy-"),
    }
}

/// Whether a field identifies the sender: `fields` removes or extends it.
fn concerns_client(name: &[u8]) -> bool {
    names_client(name) || may_name_client(name)
}

/// The first line, without its end, and the rest.
fn line(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let end = memchr(b'\n', bytes)?;
    Some((bytes[..end].strip_suffix(b"\r")?, &bytes[end + 1..]))
}

/// A field that has been forwarded.
struct Field<'a> {
    /// The begin of its output, and the length of its name.
    at: usize,
    name_length: usize,
    value: &'a [u8],
}

impl<'a> Field<'a> {
    /// Takes the next field off, and writes it; `None` at the end of the head. An error if it is
    /// not simple.
    fn read(rest: &mut &'a [u8], out: &mut Vec<u8>) -> Option<Option<Field<'a>>> {
        let (line, after) = line(rest)?;
        *rest = after;
        if line.is_empty() {
            return Some(None);
        }
        let name_length = memchr(b':', line)?;
        let (name, said) = (&line[..name_length], &line[name_length + 1..]);
        if name.is_empty()
            || !name.iter().all(|byte| is_of_name(*byte))
            || !said.iter().all(|byte| is_of_value(*byte))
        {
            return None;
        }
        // The only white space is blanks.
        let (at, value) = (out.len(), said.trim_ascii());
        for part in [name, b": ", value, b"\r\n"] {
            out.extend_from_slice(part);
        }
        out[at..][..name_length].make_ascii_lowercase();
        Some(Some(Field { at, name_length, value }))
    }

    /// In lower case.
    fn name<'b>(&self, out: &'b [u8]) -> &'b [u8] {
        &out[self.at..][..self.name_length]
    }

    fn leave_out(self, out: &mut Vec<u8>) {
        out.truncate(self.at);
    }
}

fn number(digits: &[u8]) -> Option<usize> {
    if !(1..=LENGTH_DIGITS_MAX).contains(&digits.len()) {
        return None;
    }
    digits.iter().try_fold(0, |number, byte| {
        byte.is_ascii_digit().then(|| number * 10 + usize::from(byte - b'0'))
    })
}

/// Whether this is the name of a host, or its address of IPv4, perhaps with a port.
fn is_host(value: &[u8]) -> bool {
    let colon = memchr(b':', value).unwrap_or(value.len());
    let (name, port) = (&value[..colon], value.get(colon + 1..));
    let named = name.iter().all(|byte| byte.is_ascii_alphanumeric() || b"-._".contains(byte));
    let is_port = |port: &[u8]| port.len() <= PORT_DIGITS_MAX && number(port).is_some();
    !name.is_empty() && named && port.is_none_or(is_port)
}

fn is_of_target(byte: u8) -> bool {
    let punctuation = matches!(byte, b'!' | b'$'..=b';' | b'=' | b'?' | b'@' | b'_' | b'~');
    punctuation || byte.is_ascii_alphabetic()
}

fn is_of_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_'
}

fn is_of_value(byte: u8) -> bool {
    matches!(byte, b' '..=b'~' | b'\t')
}

#[cfg(test)]
mod tests;
