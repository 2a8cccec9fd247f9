//! The head of a response of HTTP/2 or HTTP/3: the fields that a client needs.

use super::server_timing::{SERVER_TIMING, ServerTiming};

/// The content of one header block.
#[derive(Debug, Default)]
pub(super) struct Head {
    /// The beginning of the status line, if the block is kept as text.
    version: &'static str,
    /// The status code.
    pub(super) status: Option<u16>,
    /// The announced length of the body, in bytes.
    pub(super) length: Option<u64>,
    /// Whether the block breaks the rules of RFC 9113, section 8.2 and 8.3, which are those of RFC
    /// 9114, section 4.2 and 4.3.
    pub(super) malformed: bool,
    /// The block as text, if kept: a status line, and a line for each field.
    pub(super) lines: Option<Vec<u8>>,
    pub(super) fields_seen: bool,
    /// The server's own time.
    pub(super) timing: ServerTiming,
}

/// Fields about a connection of HTTP/1.1, which later versions forbid.
const FORBIDDEN: [&[u8]; 5] =
    [b"connection", b"keep-alive", b"proxy-connection", b"transfer-encoding", b"upgrade"];

impl Head {
    /// A head of this version of HTTP, which is kept as text if `kept`.
    pub(super) fn new(version: &'static str, excerpt: bool) -> Head {
        Head { version, lines: excerpt.then(Vec::new), ..Head::default() }
    }

    /// Takes one field.
    pub(super) fn take(&mut self, name: &[u8], value: &[u8]) {
        if let Some(lines) = &mut self.lines {
            let (begin, middle) = match name {
                b":status" => (self.version.as_bytes(), &b" "[..]),
                _ => (name, &b": "[..]),
            };
            for part in [begin, middle, value, b"\r\n"] {
                lines.extend_from_slice(part);
            }
        }
        if let Some(pseudo) = name.strip_prefix(b":") {
            let status = if pseudo == b"status" { status(value) } else { None };
            self.malformed |= self.fields_seen || self.status.is_some() || status.is_none();
            self.status = status;
            return;
        }
        self.fields_seen = true;
        self.malformed |= name.is_empty()
            || name.iter().any(|byte| byte.is_ascii_uppercase() || *byte <= b' ')
            || FORBIDDEN.contains(&name);
        if name == b"content-length" {
            let length = length(value);
            self.malformed |= length.is_none() || self.length.is_some_and(|it| Some(it) != length);
            self.length = length;
        } else if name == SERVER_TIMING.as_bytes() {
            self.timing.take(value);
        }
    }
}

fn status(value: &[u8]) -> Option<u16> {
    let [a @ b'1'..=b'9', b @ b'0'..=b'9', c @ b'0'..=b'9'] = value else { return None };
    let digit = |byte: &u8| u16::from(byte - b'0');
    Some(100 * digit(a) + 10 * digit(b) + digit(c))
}

/// Digits only: no sign, no blank, no number of 2^64 or more.
fn length(value: &[u8]) -> Option<u64> {
    if value.is_empty() || !value.iter().all(u8::is_ascii_digit) {
        return None;
    }
    std::str::from_utf8(value).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head(fields: &[(&str, &str)]) -> Head {
        let mut head = Head::default();
        for (name, value) in fields {
            head.take(name.as_bytes(), value.as_bytes());
        }
        head
    }

    #[test]
    fn status_and_length_are_read() {
        let head = head(&[(":status", "204"), ("server", "x"), ("content-length", "12")]);
        assert_eq!((head.status, head.length, head.malformed), (Some(204), Some(12), false));
    }

    #[test]
    fn malformed_heads_are_recognised() {
        for fields in [
            &[(":status", "200"), (":status", "200")][..],
            &[("server", "x"), (":status", "200")],
            &[(":status", "20")],
            &[(":status", "2000")],
            &[(":path", "/")],
            &[(":status", "200"), ("Server", "x")],
            &[(":status", "200"), ("", "x")],
            &[(":status", "200"), ("connection", "close")],
            &[(":status", "200"), ("content-length", "+1")],
            &[(":status", "200"), ("content-length", "1"), ("content-length", "2")],
            &[(":status", "200"), ("content-length", "18446744073709551616")],
        ] {
            assert!(head(fields).malformed, "{fields:?}");
        }
    }
}
