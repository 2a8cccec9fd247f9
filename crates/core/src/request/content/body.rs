//! Bodies of requests: as they are, as JSON, as forms, or out of a file.

use std::collections::BTreeMap;

use thinktime_file::error::Invalid;
use thinktime_file::workload::RequestTable;
use thinktime_file::workload::{FormValue, MultipartValue};

use super::form::escape;
use super::header::header_field;
use super::template::{Place, Template};
use crate::files::Files;

/// A body, and its media type unless the request has another.
#[derive(Debug, Default)]
pub(crate) struct Body {
    pub(crate) bytes: Template,
    pub(crate) media_type: Option<String>,
}

impl Body {
    /// The body of a table; an error comes with its key.
    pub(crate) fn from_table(
        table: &RequestTable,
        names: &[String],
        files: &dyn Files,
    ) -> Result<Body, (&'static str, Invalid)> {
        if let [first, second, ..] = Body::keys(table).as_slice() {
            let message = format!("a request has one body, and `{first}` is given already");
            return Err((second, Invalid::new(message)));
        }
        let typed =
            |bytes, media_type: &str| Ok(Body { bytes, media_type: Some(media_type.to_owned()) });
        let texts = Texts { names, files };
        if let Some(json) = &table.json {
            let bytes = Template::parse_json(&json.to_string(), names, files);
            return typed(bytes.map_err(|error| ("json", error))?, "application/json");
        }
        if let Some(form) = &table.form {
            let bytes = texts.form(form).map_err(|error| ("form", error))?;
            return typed(bytes, "application/x-www-form-urlencoded");
        }
        if let Some(parts) = &table.multipart {
            let (bytes, boundary) = texts.multipart(parts).map_err(|error| ("multipart", error))?;
            return typed(bytes, &format!("multipart/form-data; boundary={boundary}"));
        }
        let bytes = match (&table.body_file, &table.body) {
            (Some(name), _) => {
                Template::fixed(files.bytes(name).map_err(|error| ("body_file", error))?)
            }
            (None, Some(text)) => texts.plain(text).map_err(|error| ("body", error))?,
            // Without any of the keys there is no body.
            (None, None) => Template::default(),
        };
        Ok(Body { bytes, media_type: None })
    }

    /// The given keys that define the body.
    pub(crate) fn keys(table: &RequestTable) -> Vec<&'static str> {
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

/// Texts of bodies, which may contain values of the session and draws.
struct Texts<'a> {
    names: &'a [String],
    files: &'a dyn Files,
}

impl Texts<'_> {
    fn plain(&self, text: &str) -> Result<Template, Invalid> {
        Template::parse(text, Place::Plain, self.names, self.files)
    }

    fn form(&self, form: &BTreeMap<String, FormValue>) -> Result<Template, Invalid> {
        let mut out = Template::default();
        let fields = form.iter().flat_map(|(name, value)| {
            let values = match value {
                FormValue::One(one) => std::slice::from_ref(one),
                FormValue::Many(many) => many.as_slice(),
            };
            values.iter().map(move |value| (name, value))
        });
        for (at, (name, value)) in fields.enumerate() {
            let sign = if at == 0 { "" } else { "&" };
            let before = format!("{sign}{}=", escape(name.as_bytes()));
            out.append(Template::fixed(before.into_bytes()));
            let value = Template::parse(&value.text(), Place::Form, self.names, self.files)?;
            out.append(value.map_literals(|bytes| escape(bytes).into_bytes()));
        }
        Ok(out)
    }

    /// The body of a form with files, and the boundary between its parts, which does not occur in
    /// the parts of the file (RFC 7578).
    fn multipart(
        &self,
        parts: &BTreeMap<String, MultipartValue>,
    ) -> Result<(Template, String), Invalid> {
        let part = |(name, value): (&String, &MultipartValue)| match value {
            MultipartValue::Text(text) => {
                Ok((disposition(name, None), text.text().into_bytes(), self.plain(&text.text())?))
            }
            MultipartValue::File(part) => {
                let media_type = part.media_type.as_deref().unwrap_or("application/octet-stream");
                header_field("Content-Type", media_type)?;
                let file = part.file.rsplit('/').next().unwrap_or(&part.file);
                let head =
                    format!("{}Content-Type: {media_type}\r\n", disposition(name, Some(file)));
                let bytes = self.files.bytes(&part.file)?;
                Ok((head, bytes.clone(), Template::fixed(bytes)))
            }
        };
        let written: Vec<(String, Vec<u8>, Template)> =
            parts.iter().map(part).collect::<Result<_, Invalid>>()?;
        let boundary = free_boundary(written.iter().map(|(_, bytes, _)| bytes.as_slice()));
        let mut out = Template::default();
        for (head, _, bytes) in written {
            out.append(Template::fixed(format!("--{boundary}\r\n{head}\r\n").into_bytes()));
            // A value inserted when the request is sent may come from a server, and must not make
            // parts of its own.
            out.append(bytes.without(boundary.clone().into_bytes()));
            out.append(Template::fixed(b"\r\n".to_vec()));
        }
        out.append(Template::fixed(format!("--{boundary}--\r\n").into_bytes()));
        Ok((out, boundary))
    }
}

/// A boundary that occurs in none of the parts.
fn free_boundary<'a>(parts: impl Iterator<Item = &'a [u8]> + Clone) -> String {
    let mut number = 0_u32;
    loop {
        let boundary = format!("thinktime-boundary-{number}");
        let bytes = boundary.as_bytes();
        if !parts.clone().any(|part| part.windows(bytes.len()).any(|it| it == bytes)) {
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
    use super::super::template::Unwritten;
    use super::*;
    use crate::random::{Purpose, StreamFamily};

    struct Given;

    impl Files for Given {
        fn read(&self, name: &str) -> Result<String, Invalid> {
            Ok(format!("[{name}] thinktime-boundary-0"))
        }
    }

    fn body(text: &str) -> Result<(String, Option<String>), String> {
        let table: RequestTable = toml::from_str(&format!("name = \"a\"\n{text}")).unwrap();
        match Body::from_table(&table, &[], &Given) {
            Ok(body) => {
                let bytes = body.bytes.as_fixed().unwrap();
                Ok((String::from_utf8(bytes).unwrap(), body.media_type))
            }
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
    fn values_make_no_parts_of_their_own() {
        let table = "name = \"a\"\nmultipart = { t = \"<{one}{other}>\", u = \"fixed\" }";
        let table: RequestTable = toml::from_str(table).unwrap();
        let names = ["one".to_owned(), "other".to_owned()];
        let body = Body::from_table(&table, &names, &Given).unwrap().bytes;
        assert!(body.has_values());
        let written = |one: &'static [u8], other: &'static [u8]| {
            let mut out = Vec::new();
            let stream = &mut StreamFamily::new(1, Purpose::Target).substream(0, 0);
            let value = |name: usize| Some([one, other][name]);
            body.write(&mut out, stream, &value).map(|()| out)
        };
        let harmless = written(b"\r\n--x", b"--thinktime-boundary").unwrap();
        assert!(String::from_utf8(harmless).unwrap().contains("<\r\n--x--thinktime-boundary>"));
        let field = b"\r\n--thinktime-boundary-0\r\nContent-Disposition: form-data; name=\"x\"";
        assert_eq!(written(b"", field), Err(Unwritten::Unfit));
        assert_eq!(written(b"\r\n--thinktime-bou", b"ndary-0--"), Err(Unwritten::Unfit));
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
