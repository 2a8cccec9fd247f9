//! Forms, as browsers send them: `application/x-www-form-urlencoded`.

use mlua::{Table, Value};
use thinktime_core::request::form_field;

/// The media type of a form's body.
pub(crate) const CONTENT_TYPE: &str = "application/x-www-form-urlencoded";

/// The body of a form, its fields in the order of their names.
pub(crate) fn encode(fields: &Table) -> Result<String, String> {
    let mut pairs = Vec::new();
    for pair in fields.pairs::<String, Value>() {
        let (name, value) = pair.map_err(|_| "the fields of a form have names".to_owned())?;
        let values: Vec<Value> = match value {
            Value::Table(list) => {
                let items = list.sequence_values().collect::<mlua::Result<_>>();
                items.map_err(|error| error.to_string())?
            }
            one => vec![one],
        };
        let texts = values.iter().map(|value| text_of(&name, value));
        pairs.push((name.clone(), texts.collect::<Result<Vec<_>, _>>()?));
    }
    // Tables have no order of their own.
    pairs.sort();
    let fields: Vec<String> = pairs
        .iter()
        .flat_map(|(name, values)| values.iter().map(move |value| form_field(name, value)))
        .collect();
    Ok(fields.join("&"))
}

fn text_of(name: &str, value: &Value) -> Result<Vec<u8>, String> {
    match value {
        Value::String(text) => Ok(text.as_bytes().to_vec()),
        Value::Integer(number) => Ok(number.to_string().into_bytes()),
        Value::Number(number) => Ok(number.to_string().into_bytes()),
        Value::Boolean(flag) => Ok(flag.to_string().into_bytes()),
        other => {
            let kind = other.type_name();
            Err(format!("the field `{name}` of a form is text, a number, or a list, not {kind}"))
        }
    }
}
