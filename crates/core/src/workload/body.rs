//! Bodies of requests: as they are, as JSON, as forms, or out of a file.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::header::header_field;
use super::request_table::RequestTable;
use crate::error::Invalid;
use crate::files::Files;
use crate::schema::Scalar;

/// The value of a field of a form.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum FormValue {
    /// One value.
    One(Scalar),
    /// Several, each in a field of this name.
    Many(Vec<Scalar>),
}

/// The value of a field of a form with files.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum MultipartValue {
    /// A text.
    Text(Scalar),
    /// A file.
    File(FilePart),
}

/// A file in a form.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub struct FilePart {
    /// Its path, from the workload file.
    pub file: String,
    /// Its media type; `application/octet-stream` by default.
    #[serde(default, rename = "type", skip_serializing_if = "Option::is_none")]
    pub media_type: Option<String>,
}

/// A body, and the media type that goes with it unless the request says another.
#[derive(Debug, Default)]
pub(super) struct Body {
    pub(super) bytes: Vec<u8>,
    pub(super) media_type: Option<String>,
}

impl Body {
    /// The body of a table; an error comes with its key.
    pub(super) fn from_table(
        table: &RequestTable,
        files: &dyn Files,
    ) -> Result<Body, (&'static str, Invalid)> {
        if let [first, second, ..] = Body::keys(table).as_slice() {
            let message = format!("a request has one body, and `{first}` is given already");
            return Err((second, Invalid::new(message)));
        }
        let typed =
            |bytes, media_type: &str| Ok(Body { bytes, media_type: Some(media_type.to_owned()) });
        if let Some(json) = &table.json {
            return typed(json.to_string().into_bytes(), "application/json");
        }
        if let Some(form) = &table.form {
            let fields: Vec<String> = form.iter().flat_map(|(name, of)| fields(name, of)).collect();
            return typed(fields.join("&").into_bytes(), "application/x-www-form-urlencoded");
        }
        if let Some(parts) = &table.multipart {
            let (bytes, boundary) =
                multipart(parts, files).map_err(|error| ("multipart", error))?;
            return typed(bytes, &format!("multipart/form-data; boundary={boundary}"));
        }
        let bytes = match &table.body_file {
            Some(name) => files.bytes(name).map_err(|error| ("body_file", error))?,
            // Without any of the keys there is no body.
            None => table.body.clone().unwrap_or_default().into_bytes(),
        };
        Ok(Body { bytes, media_type: None })
    }

    /// The keys that say what the body is, of those that are given.
    pub(super) fn keys(table: &RequestTable) -> Vec<&'static str> {
        [
            ("body", table.body.is_some()),
            ("json", table.json.is_some()),
            ("form", table.form.is_some()),
            ("multipart", table.multipart.is_some()),
            ("body_file", table.body_file.is_some()),
        ]
        .into_iter()
        .filter_map(|(key, given)| given.then_some(key))
        .collect()
    }
}

fn fields(name: &str, value: &FormValue) -> Vec<String> {
    let values = match value {
        FormValue::One(one) => std::slice::from_ref(one),
        FormValue::Many(many) => many.as_slice(),
    };
    values.iter().map(|value| form_field(name, value.text().as_bytes())).collect()
}

/// A field of a form as it is sent: `name=value`, with `+` for blanks and `%XX` for all but
/// letters, digits and `*-._` (`application/x-www-form-urlencoded` of the URL standard).
#[must_use]
pub fn form_field(name: &str, value: &[u8]) -> String {
    format!("{}={}", escape(name.as_bytes()), escape(value))
}

fn escape(text: &[u8]) -> String {
    let one = |byte: &u8| match byte {
        b' ' => "+".to_owned(),
        b'*' | b'-' | b'.' | b'_' => char::from(*byte).to_string(),
        _ if byte.is_ascii_alphanumeric() => char::from(*byte).to_string(),
        _ => format!("%{byte:02X}"),
    };
    text.iter().map(one).collect()
}

/// The body of a form with files, and the boundary between its parts, which none of them holds
/// (RFC 7578).
fn multipart(
    parts: &BTreeMap<String, MultipartValue>,
    files: &dyn Files,
) -> Result<(Vec<u8>, String), Invalid> {
    let part = |(name, value): (&String, &MultipartValue)| match value {
        MultipartValue::Text(text) => Ok((disposition(name, None), text.text().into_bytes())),
        MultipartValue::File(part) => {
            let media_type = part.media_type.as_deref().unwrap_or("application/octet-stream");
            header_field("Content-Type", media_type)?;
            let file = part.file.rsplit('/').next().unwrap_or(&part.file);
            let head = format!("{}Content-Type: {media_type}\r\n", disposition(name, Some(file)));
            Ok((head, files.bytes(&part.file)?))
        }
    };
    let written: Vec<(String, Vec<u8>)> = parts.iter().map(part).collect::<Result<_, Invalid>>()?;
    let boundary = free_boundary(&written);
    let mut out = Vec::new();
    for (head, bytes) in &written {
        out.extend_from_slice(format!("--{boundary}\r\n{head}\r\n").as_bytes());
        out.extend_from_slice(bytes);
        out.extend_from_slice(b"\r\n");
    }
    out.extend_from_slice(format!("--{boundary}--\r\n").as_bytes());
    Ok((out, boundary))
}

/// A boundary that stands in none of the parts.
fn free_boundary(parts: &[(String, Vec<u8>)]) -> String {
    let mut number = 0_u32;
    loop {
        let boundary = format!("thinktime-boundary-{number}");
        let bytes = boundary.as_bytes();
        if !parts.iter().any(|(_, part)| part.windows(bytes.len()).any(|it| it == bytes)) {
            return boundary;
        }
        number += 1;
    }
}

/// The first field of a part. Names are escaped as browsers do it (the HTML standard).
fn disposition(name: &str, file: Option<&str>) -> String {
    let escaped = |text: &str| text.replace('"', "%22").replace('\r', "%0D").replace('\n', "%0A");
    let file = file.map_or_else(String::new, |file| format!("; filename=\"{}\"", escaped(file)));
    format!("Content-Disposition: form-data; name=\"{}\"{file}\r\n", escaped(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Given;

    impl Files for Given {
        fn read(&self, name: &str) -> Result<String, Invalid> {
            Ok(format!("[{name}] thinktime-boundary-0"))
        }
    }

    fn body(text: &str) -> Result<(String, Option<String>), String> {
        let table: RequestTable = toml::from_str(&format!("name = \"a\"\n{text}")).unwrap();
        match Body::from_table(&table, &Given) {
            Ok(body) => Ok((String::from_utf8(body.bytes).unwrap(), body.media_type)),
            Err((key, error)) => Err(format!("{key}: {error}")),
        }
    }

    #[test]
    fn a_value_is_sent_as_json() {
        let (text, kind) =
            body("json = { id = 7, tags = [\"a\\\"b\"], deep = { x = 1.5 } }").unwrap();
        assert_eq!(text, r#"{"deep":{"x":1.5},"id":7,"tags":["a\"b"]}"#);
        assert_eq!(kind.as_deref(), Some("application/json"));
    }

    #[test]
    fn a_form_is_sent_as_browsers_send_it() {
        let (text, kind) = body("form = { \"a b\" = \"x&y=\u{e4}\", n = 7, l = [1, 2] }").unwrap();
        assert_eq!(text, "a+b=x%26y%3D%C3%A4&l=1&l=2&n=7");
        assert_eq!(kind.as_deref(), Some("application/x-www-form-urlencoded"));
    }

    #[test]
    fn parts_stand_between_boundaries_that_none_of_them_holds() {
        let (text, kind) = body(
            "multipart = { a = 1, \"f\\\"\" = { file = \"d/p.txt\", type = \"text/plain\" } }",
        )
        .unwrap();
        assert_eq!(kind.as_deref(), Some("multipart/form-data; boundary=thinktime-boundary-1"));
        assert_eq!(
            text,
            "--thinktime-boundary-1\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1\r\n\
             --thinktime-boundary-1\r\nContent-Disposition: form-data; name=\"f%22\"; \
             filename=\"p.txt\"\r\nContent-Type: text/plain\r\n\r\n[d/p.txt] \
             thinktime-boundary-0\r\n--thinktime-boundary-1--\r\n"
        );
    }

    #[test]
    fn there_is_one_body() {
        assert_eq!(body("body_file = \"a.json\"").unwrap().0, "[a.json] thinktime-boundary-0");
        let message = body("body = \"x\"\njson = 1").unwrap_err();
        assert_eq!(message, "json: a request has one body, and `body` is given already");
        let typed = "multipart = { a = { file = \"x\", type = \"a\\nb\" } }";
        assert!(body(typed).unwrap_err().contains("control characters"));
    }
}
