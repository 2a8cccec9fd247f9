//! How a value is written in its place.

/// The place of a value, which decides how it is written there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// In a body: as it is.
    Plain,
    /// Within a text of JSON.
    Json,
    /// In a field of a form, or in a query.
    Form,
    /// In the path of a target: characters not allowed there are percent-encoded.
    Path,
    /// In the value of a header field.
    Header,
}

/// Why a template cannot be written for a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unwritten {
    /// The session does not have this value, by its place among the names.
    Missing(usize),
    /// A value has control characters, and is in a header field; or it would end a part of a form.
    Unfit,
}

impl Place {
    pub(super) fn write(self, out: &mut Vec<u8>, value: &[u8]) -> Result<(), Unwritten> {
        match self {
            Place::Plain => out.extend_from_slice(value),
            Place::Json => {
                let text = serde_json::Value::from(String::from_utf8_lossy(value)).to_string();
                out.extend_from_slice(&text.as_bytes()[1..text.len() - 1]);
            }
            Place::Form => out.extend_from_slice(super::form::escape(value).as_bytes()),
            Place::Path => value.iter().for_each(|byte| match byte {
                b'#' => out.extend_from_slice(b"%23"),
                byte if byte.is_ascii_graphic() => out.push(*byte),
                byte => out.extend_from_slice(format!("%{byte:02X}").as_bytes()),
            }),
            Place::Header => {
                if value.iter().any(|byte| byte.is_ascii_control() && *byte != b'\t') {
                    return Err(Unwritten::Unfit);
                }
                out.extend_from_slice(value);
            }
        }
        Ok(())
    }
}
