//! A request, from a script's call.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use mlua::{Table, Value};
use thinktime_core::request::{Call, GrpcCall, Method, header_field};

use crate::{form, json};

/// The known options of a request.
const OPTIONS: &str = "name, headers, basic, bearer and form";

/// The call with the request's name, if it has one.
pub(crate) fn call(
    method: &str,
    target: &Value,
    options: Option<&Table>,
    body: &Value,
) -> Result<(Call, Option<String>), String> {
    let method = method_of(method)?;
    let target = target_of(target)?;
    let (mut body, mut content_type) = body_of(body)?;
    let Options { name, mut headers, form } = Options::read(options)?;
    if let Some(form) = form {
        if !body.is_empty() || !matches!(method, Method::Post | Method::Put) {
            return Err("a form is for `post` or `put` without a body".to_owned());
        }
        (body, content_type) = (form.into_bytes(), Some(form::CONTENT_TYPE));
    }
    if let Some(kind) = content_type {
        headers.insert(0, ("Content-Type".to_owned(), kind.to_owned()));
    }
    let (cuts, binary, expect) = (Vec::new(), false, None);
    let (grpc, sql) = (None, None);
    Ok((Call { method, target, headers, body, cuts, binary, expect, grpc, sql }, name))
}

/// A call of gRPC with this message; `None` is the workload's.
pub(crate) fn grpc(
    known: &GrpcCall,
    options: Option<&Table>,
    message: &Value,
) -> Result<Call, String> {
    let message = match message {
        Value::Nil => None,
        Value::Table(_) => Some(json::value(message)?),
        _ => {
            let kind = message.type_name();
            return Err(format!("a message is a table of its fields, not {kind}"));
        }
    };
    let Options { name, headers, form } = Options::read(options)?;
    if name.is_some() || form.is_some() {
        return Err("options of a call are headers, basic and bearer".to_owned());
    }
    known.with(message, headers).map_err(|error| format!("the message {error}"))
}

/// A script's options of a request.
#[derive(Default)]
struct Options {
    name: Option<String>,
    headers: Vec<(String, String)>,
    /// The body of its form.
    form: Option<String>,
}

impl Options {
    fn read(table: Option<&Table>) -> Result<Options, String> {
        let mut options = Options::default();
        let Some(table) = table else { return Ok(options) };
        for pair in table.pairs::<String, Value>() {
            let (key, value) = pair.map_err(|_| format!("options are {OPTIONS}"))?;
            options.take(&key, value)?;
        }
        Ok(options)
    }

    fn take(&mut self, key: &str, value: Value) -> Result<(), String> {
        match (key, value) {
            ("name", Value::String(text)) => self.name = Some(text.to_string_lossy()),
            ("headers", Value::Table(table)) => add_headers(&mut self.headers, &table)?,
            ("bearer", Value::String(token)) => {
                let value = format!("Bearer {}", token.to_string_lossy());
                let field = header_field("Authorization", &value);
                self.headers.push(field.map_err(|error| error.to_string())?);
            }
            ("basic", Value::String(pair)) => {
                let value = format!("Basic {}", STANDARD.encode(&*pair.as_bytes()));
                self.headers.push(("Authorization".to_owned(), value));
            }
            ("form", Value::Table(fields)) => self.form = Some(form::encode(&fields)?),
            (key, value) => {
                return Err(format!(
                    "`{key}` as {} is no option of a request: there are {OPTIONS}",
                    value.type_name()
                ));
            }
        }
        Ok(())
    }
}

fn method_of(word: &str) -> Result<Method, String> {
    let all = [Method::Get, Method::Head, Method::Post, Method::Put, Method::Delete];
    let known = all.into_iter().find(|method| method.word() == word);
    known.ok_or_else(|| format!("no method `{word}`"))
}

/// The name of a request of the workload.
pub(crate) fn name_of(value: &Value) -> Result<String, String> {
    match value {
        Value::String(text) => Ok(text.to_string_lossy()),
        other => Err(format!(
            "a call is the name of a request of the workload, as in \"place\", not {}",
            other.type_name()
        )),
    }
}

fn target_of(value: &Value) -> Result<String, String> {
    let Value::String(text) = value else {
        return Err(format!("a target is text, as in \"/item/7\", not {}", value.type_name()));
    };
    let text = text.to_string_lossy();
    if !text.starts_with('/') || !text.chars().all(|c| c.is_ascii_graphic()) {
        return Err(format!(
            "the target `{text}` must begin with `/`, and blanks in it be percent-encoded"
        ));
    }
    // A fragment never goes to a server: RFC 9110, section 4.2.5.
    Ok(text.split('#').next().unwrap_or_default().to_owned())
}

/// The bytes of a body, and their type: text as it is, a table as JSON.
pub(crate) fn body_of(value: &Value) -> Result<(Vec<u8>, Option<&'static str>), String> {
    match value {
        Value::Nil => Ok((Vec::new(), None)),
        Value::String(text) => Ok((text.as_bytes().to_vec(), None)),
        Value::Table(_) => Ok((json::write(value)?.into_bytes(), Some("application/json"))),
        other => Err(format!("a body is text, or a table for JSON, not {}", other.type_name())),
    }
}

fn add_headers(headers: &mut Vec<(String, String)>, table: &Table) -> Result<(), String> {
    for pair in table.pairs::<String, String>() {
        let (name, value) = pair.map_err(|_| "header fields are text by name".to_owned())?;
        headers.push(header_field(&name, &value).map_err(|error| error.to_string())?);
    }
    // Tables have no order of their own.
    headers.sort();
    Ok(())
}
