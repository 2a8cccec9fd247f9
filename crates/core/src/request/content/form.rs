//! Fields of forms as they are sent.

/// A field of a form as it is sent: `name=value`, with `+` for blanks and `%XX` for all but
/// letters, digits and `*-._` (`application/x-www-form-urlencoded` of the URL standard).
#[must_use]
pub fn form_field(name: &str, value: &[u8]) -> String {
    format!("{}={}", escape(name.as_bytes()), escape(value))
}

pub(crate) fn escape(text: &[u8]) -> String {
    let one = |byte: &u8| match byte {
        b' ' => "+".to_owned(),
        b'*' | b'-' | b'.' | b'_' => char::from(*byte).to_string(),
        _ if byte.is_ascii_alphanumeric() => char::from(*byte).to_string(),
        _ => format!("%{byte:02X}"),
    };
    text.iter().map(one).collect()
}
