//! A message, from a script's call.

use std::collections::BTreeMap;

use mlua::{Table, Value};
use thinktime_core::request::{Call, Expect, Method};

use crate::call::body_of;

/// The known options of a message.
const OPTIONS: &str = "name, expect and binary";

/// The scripts' expectations so far: each text is parsed once, because a pattern takes long to
/// parse.
#[derive(Debug, Default)]
pub(crate) struct Expectations(BTreeMap<String, Expect>);

impl Expectations {
    fn read(&mut self, text: &str) -> Result<Expect, String> {
        if let Some(known) = self.0.get(text) {
            return Ok(known.clone());
        }
        let expect = Expect::parse(text).map_err(|error| error.to_string())?;
        self.0.insert(text.to_owned(), expect.clone());
        Ok(expect)
    }

    /// The call with the request's name, if it has one.
    pub(crate) fn send(
        &mut self,
        options: Option<&Table>,
        message: &Value,
    ) -> Result<(Call, Option<String>), String> {
        if message.is_nil() {
            return Err("a message is text, or a table for JSON".to_owned());
        }
        let (body, _) = body_of(message)?;
        let mut call = Call {
            method: Method::Send,
            target: String::new(),
            headers: Vec::new(),
            body,
            cuts: Vec::new(),
            binary: false,
            expect: None,
            grpc: None,
            sql: None,
        };
        let mut name = None;
        let pairs = options.into_iter().flat_map(|table| table.pairs::<String, Value>());
        for pair in pairs {
            let (key, value) = pair.map_err(|_| format!("options are {OPTIONS}"))?;
            match (key.as_str(), value) {
                ("name", Value::String(text)) => name = Some(text.to_string_lossy()),
                ("expect", Value::String(text)) => {
                    call.expect = Some(self.read(&text.to_string_lossy())?);
                }
                ("binary", Value::Boolean(binary)) => call.binary = binary,
                (key, value) => {
                    return Err(format!(
                        "`{key}` as {} is no option of a message: there are {OPTIONS}",
                        value.type_name()
                    ));
                }
            }
        }
        Ok((call, name))
    }
}
