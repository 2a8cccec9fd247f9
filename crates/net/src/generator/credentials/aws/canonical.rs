//! The parts of a request in the form for signing.

/// Unsigned fields: carriers may change them on the way.
const UNSIGNED: [&str; 9] = [
    "authorization",
    "connection",
    "expect",
    "keep-alive",
    "te",
    "transfer-encoding",
    "upgrade",
    "user-agent",
    "x-amzn-trace-id",
];

/// The signed fields, one a line, and their names.
pub(super) fn canonical_headers(host: &str, headers: &[(&str, &str)]) -> (String, String) {
    let mut fields: Vec<(String, String)> = Vec::with_capacity(headers.len() + 1);
    for (name, value) in headers {
        let name = name.to_ascii_lowercase();
        if UNSIGNED.contains(&name.as_str()) {
            continue;
        }
        let value = value.split_ascii_whitespace().collect::<Vec<_>>().join(" ");
        match fields.iter_mut().find(|(own, _)| *own == name) {
            Some((_, own)) => *own = format!("{own},{value}"),
            None => fields.push((name, value)),
        }
    }
    if !fields.iter().any(|(name, _)| name == "host") {
        fields.push(("host".to_owned(), host.to_owned()));
    }
    fields.sort_unstable();
    let lines = fields.iter().map(|(name, value)| format!("{name}:{value}\n")).collect();
    let names: Vec<&str> = fields.iter().map(|(name, _)| name.as_str()).collect();
    (lines, names.join(";"))
}

/// A path: with its segments encoded once more, without dots and empty segments; or `plain`,
/// encoded just once, as for S3.
pub(super) fn canonical_path(path: &str, plain: bool) -> String {
    if plain {
        return encoded(&decoded(path), b'/');
    }
    let mut segments: Vec<&str> = Vec::new();
    for segment in path.split('/') {
        match segment {
            "" | "." => {}
            ".." => drop(segments.pop()),
            _ => segments.push(segment),
        }
    }
    let end = if path.ends_with('/') && !segments.is_empty() { "/" } else { "" };
    encoded(format!("/{}{end}", segments.join("/")).as_bytes(), b'/')
}

/// A query: its fields encoded, in the order of their names and values.
pub(super) fn canonical_query(query: &str) -> String {
    let of_field = |field: &str| {
        let (name, value) = field.split_once('=').unwrap_or((field, ""));
        let one = |text: &str| encoded(&decoded(text), b'~');
        (one(name), one(value))
    };
    let mut fields: Vec<_> =
        query.split('&').filter(|field| !field.is_empty()).map(of_field).collect();
    fields.sort_unstable();
    let fields: Vec<String> =
        fields.iter().map(|(name, value)| format!("{name}={value}")).collect();
    fields.join("&")
}

/// Percent-encoded, except letters, digits, `-._~` and one more.
fn encoded(bytes: &[u8], free: u8) -> String {
    let mut text = String::with_capacity(bytes.len() + 16);
    for &byte in bytes {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) || byte == free {
            text.push(char::from(byte));
        } else {
            text.push_str(&format!("%{byte:02X}"));
        }
    }
    text
}

/// The bytes behind percent-encoding; text that only looks like it stays.
fn decoded(text: &str) -> Vec<u8> {
    let digit = |byte: &u8| char::from(*byte).to_digit(16);
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        if byte == b'%'
            && let Some(([high, low], after)) = after.split_first_chunk::<2>()
            && let (Some(high), Some(low)) = (digit(high), digit(low))
        {
            out.push((high * 16 + low) as u8);
            rest = after;
        } else {
            out.push(byte);
        }
    }
    out
}
