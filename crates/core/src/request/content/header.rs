//! The header fields of requests: their names and values.

use std::collections::BTreeMap;

use thinktime_file::error::Invalid;

/// Fields about the framing or transport of a message, which the workload does not control.
const CARRIED: [&str; 7] =
    ["content-length", "transfer-encoding", "connection", "keep-alive", "te", "trailer", "upgrade"];

/// A checked header field: a name that is a token, and a value without control characters except
/// tabs (RFC 9110, section 5), so that it cannot smuggle anything into a message.
///
/// # Errors
/// When it is invalid; the message gives the reason.
pub fn header_field(name: &str, value: &str) -> Result<(String, String), Invalid> {
    if !is_token(name) {
        return Err(Invalid::new(format!("`{name}` is no name of a header field")));
    }
    if value.chars().any(|c| c.is_control() && c != '\t') {
        return Err(Invalid::new(format!(
            "the header field value {value:?} holds control characters"
        )));
    }
    Ok((name.to_owned(), value.to_owned()))
}

/// Whether a text is a token, as names of header fields and methods are.
pub(crate) fn is_token(text: &str) -> bool {
    let token = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c);
    !text.is_empty() && text.chars().all(token)
}

/// The header fields of a table, in the order of their names.
pub(crate) fn fields_of(
    table: &BTreeMap<String, String>,
) -> Result<Vec<(String, String)>, Invalid> {
    let mut found: Vec<(String, String)> = Vec::new();
    for (name, value) in table {
        let field = header_field(name, value)?;
        if CARRIED.iter().any(|carried| name.eq_ignore_ascii_case(carried)) {
            return Err(Invalid::new(format!(
                "`{name}` cannot be given: it follows from the body, and from `connections` of \
                 `[clients]`"
            )));
        }
        if found.iter().any(|(other, _)| other.eq_ignore_ascii_case(name)) {
            return Err(Invalid::new(format!("`{name}` is given twice, in different letters")));
        }
        found.push(field);
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_smuggled_into_a_message() {
        assert!(header_field("X-Trace", "a b\tc").is_ok());
        for name in ["", "A B", "A:", "A\r\nB", "\u{e4}"] {
            let message = header_field(name, "x").unwrap_err().to_string();
            assert!(message.contains("no name of a header field"), "{message}");
        }
        for value in ["a\r\nHost: evil", "a\nb", "a\0b", "\u{85}"] {
            let message = header_field("X", value).unwrap_err().to_string();
            assert!(message.contains("control characters"), "{message}");
        }
    }

    #[test]
    fn how_a_message_is_carried_is_not_the_workloads_to_say() {
        for name in ["Content-Length", "transfer-ENCODING", "Connection"] {
            let table = BTreeMap::from([(name.to_owned(), "1".to_owned())]);
            assert!(fields_of(&table).unwrap_err().to_string().contains("cannot be given"));
        }
        let twice = BTreeMap::from([("A".to_owned(), "1".to_owned()), ("a".into(), "2".into())]);
        assert!(fields_of(&twice).unwrap_err().to_string().contains("given twice"));
    }
}
