//! Simple messages, forwarded as they are read, without a map of their fields.
//!
//! Most messages have nothing that a switch must interpret. The messages recognised here are a
//! subset of those that hyper and the filter admit, and are forwarded in the same way; all others
//! are left to them.

use memchr::memchr;
use thinktime_net::protocol::http1::{
    Framing, Header, ParsedHead, RequestLine, Rules, read_request_head, read_response_head,
};

use crate::date_text::DateText;
use crate::fields::{Origin, may_name_client, names_client};
use crate::settings::FIELDS_MAX;

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
    read_request_head(bytes, Rules::Strict, |head| {
        let RequestLine { method, target } = head.first;
        let simple = method == "GET" && target.starts_with('/') && target.bytes().all(is_of_target);
        if !simple || head.length != bytes.len() || !is_usual(head, bytes, b"GET ") {
            return None;
        }
        let line = &bytes[..target.len() + b"GET  HTTP/1.1".len()];
        pass_on(SimpleRequest { line, target, referer: None, agent: None }, head, hop_fields, out)
    })
    .ok()?
    .flatten()
}

fn pass_on<'a>(
    mut found: SimpleRequest<'a>,
    head: &ParsedHead<'_, 'a, RequestLine<'a>>,
    hop_fields: &HopFields,
    out: &mut Vec<u8>,
) -> Option<SimpleRequest<'a>> {
    out.extend_from_slice(found.line);
    out.extend_from_slice(b"\r\n");
    let (mut host, mut cookies) = (None, 0);
    for field in head.fields {
        let (at, value) = (write_field(field, out)?, field.value);
        match &out[at..][..field.name.len()] {
            b"host" if host.is_none() && is_host(value) => host = Some(value),
            b"connection" if value.eq_ignore_ascii_case(b"keep-alive") => out.truncate(at),
            b"cookie" if cookies == 0 => cookies += 1,
            b"referer" => found.referer = found.referer.or(Some(value)),
            b"user-agent" => found.agent = found.agent.or(Some(value)),
            b"host" | b"cookie" | b"content-length" | b"expect" => return None,
            name if concerns_hops(name) || concerns_client(name) => return None,
            _ => {}
        }
    }
    let (before, between) = (hop_fields.before.as_bytes(), hop_fields.between.as_bytes());
    for part in [before, host?, between, host?, AFTER_HOST] {
        out.extend_from_slice(part);
    }
    Some(found)
}

/// Recognises a simple response to GET, which must be complete and alone, and writes it for the
/// client; `date` is for one without a date. If it is not simple, the output is unusable.
pub(crate) fn response(
    bytes: &[u8],
    date: &mut DateText,
    out: &mut Vec<u8>,
) -> Option<SimpleResponse> {
    read_response_head(bytes, Rules::Strict, |head| {
        let (status, body) = (head.first, &bytes[head.length..]);
        let has_body = (200..600).contains(&status) && ![204, 205, 304].contains(&status);
        let line = &bytes[..=memchr(b'\n', bytes)?];
        let usual = is_usual(head, bytes, b"HTTP/1.1 ") && line.get(12) == Some(&b' ');
        let whole = head.framing() == Ok(Framing::Length(body.len() as u64));
        if !has_body || !usual || !line.is_ascii() || !whole {
            return None;
        }
        out.extend_from_slice(line);
        pass_back(head.fields, date, out)?;
        out.extend_from_slice(body);
        Some(SimpleResponse { status, length: body.len() })
    })
    .ok()?
    .flatten()
}

fn pass_back(fields: &[Header<'_>], date: &mut DateText, out: &mut Vec<u8>) -> Option<()> {
    let mut dated = false;
    for field in fields {
        let at = write_field(field, out)?;
        match &out[at..][..field.name.len()] {
            b"connection" if field.value.eq_ignore_ascii_case(b"keep-alive") => out.truncate(at),
            b"keep-alive" => out.truncate(at),
            b"date" => dated = true,
            name if concerns_hops(name) => return None,
            _ => {}
        }
    }
    out.extend_from_slice(b"via: 1.1 thinktime\r\n");
    if !dated {
        for part in ["date: ", date.now(), "\r\n"] {
            out.extend_from_slice(part.as_bytes());
        }
    }
    out.extend_from_slice(b"\r\n");
    Some(())
}

/// Whether a head is of HTTP/1.1, begins in this way, and has no more fields than hyper has room
/// for.
fn is_usual<First>(head: &ParsedHead<'_, '_, First>, bytes: &[u8], begin: &[u8]) -> bool {
    head.minor_version == 1 && head.fields.len() <= FIELDS_MAX && bytes.starts_with(begin)
}

/// Writes a field, with its name in lower case; returns the begin of its output. Nothing if it is
/// not of ASCII.
fn write_field(field: &Header<'_>, out: &mut Vec<u8>) -> Option<usize> {
    let (at, Header { name, value }) = (out.len(), field);
    for part in [name.as_bytes(), b": ", value, b"\r\n"] {
        out.extend_from_slice(part);
    }
    out[at..][..name.len()].make_ascii_lowercase();
    value.is_ascii().then_some(at)
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

/// Whether this is the name of a host, or its address of IPv4, perhaps with a port.
fn is_host(value: &[u8]) -> bool {
    let colon = memchr(b':', value).unwrap_or(value.len());
    let (name, port) = (&value[..colon], value.get(colon + 1..));
    let named = name.iter().all(|byte| byte.is_ascii_alphanumeric() || b"-._".contains(byte));
    let is_port = |port: &[u8]| {
        (1..=PORT_DIGITS_MAX).contains(&port.len()) && port.iter().all(u8::is_ascii_digit)
    };
    !name.is_empty() && named && port.is_none_or(is_port)
}

fn is_of_target(byte: u8) -> bool {
    let punctuation = matches!(byte, b'!' | b'$'..=b';' | b'=' | b'?' | b'@' | b'_' | b'~');
    punctuation || byte.is_ascii_alphabetic()
}

#[cfg(test)]
mod tests;
