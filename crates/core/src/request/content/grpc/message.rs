//! Outgoing messages: the JSON that is valid for one, and its bytes.

use prost_reflect::prost::Message as _;
use prost_reflect::{DynamicMessage, Kind, MessageDescriptor};
use serde_json::{Map, Value};
use thinktime_file::error::Invalid;

use super::super::template::Template;
use super::GrpcCall;
use crate::random::{Purpose, Stream};

/// The beginning of prost-reflect's error about an unknown field of a message.
const UNKNOWN_FIELD: &str = "unrecognized field name";
/// A value with which messages are tried out before a session supplies one.
const TRIED: &[u8] = b"1";

impl GrpcCall {
    /// Appends the bytes of a message, with the prefix that gives their length and marks them as
    /// uncompressed.
    pub(crate) fn encode(&self, json: &[u8], out: &mut Vec<u8>) -> Result<(), Invalid> {
        let message = self.read(json).map_err(|error| self.wrong(&error.to_string()))?;
        let length = message.encoded_len();
        let length = u32::try_from(length).map_err(|_| self.wrong("it is too long"))?;
        out.push(0);
        out.extend_from_slice(&length.to_be_bytes());
        message.encode(out).map_err(|error| self.wrong(&error.to_string()))
    }

    fn read(&self, json: &[u8]) -> Result<DynamicMessage, serde_json::Error> {
        let mut reader = serde_json::Deserializer::from_slice(json);
        let message = DynamicMessage::deserialize(self.method.input(), &mut reader)?;
        reader.end().map(|()| message)
    }

    fn wrong(&self, why: &str) -> Invalid {
        let input = self.method.input();
        Invalid::new(format!("is no `{}` in JSON: {why}", input.full_name()))
    }

    /// Tries a message out. If values stand in it, only errors that do not depend on them count.
    pub(crate) fn check(&self, message: &Template) -> Result<(), Invalid> {
        let (mut json, mut stream) = (Vec::new(), Stream::new(0, 0, Purpose::Target));
        let written = message.write(&mut json, &mut stream, &|_| Some(TRIED));
        debug_assert!(written.is_ok(), "anything can stand in JSON");
        match self.read(&json) {
            Err(error)
                if !message.has_values()
                    || !error.is_data()
                    || error.to_string().starts_with(UNKNOWN_FIELD) =>
            {
                Err(self.wrong(&error.to_string()))
            }
            _ => Ok(()),
        }
    }
}

/// Makes an empty list a table, if only a table can stand there: languages with one kind of empty
/// table cannot distinguish them. Lists and any values of JSON are left as they are.
pub(crate) fn complete(value: &mut Value, message: &MessageDescriptor) {
    let own = message.full_name().strip_prefix("google.protobuf.");
    if matches!(own, Some("ListValue" | "Value")) {
        return;
    }
    if value.as_array().is_some_and(Vec::is_empty) {
        *value = Value::Object(Map::new());
    }
    let Some(fields) = value.as_object_mut().filter(|_| own.is_none()) else { return };
    for (name, value) in fields {
        let field = message.get_field_by_json_name(name).or(message.get_field_by_name(name));
        let Some((field, Kind::Message(kind))) = field.map(|it| (it.clone(), it.kind())) else {
            continue;
        };
        match value {
            Value::Array(items) if field.is_list() => {
                items.iter_mut().for_each(|item| complete(item, &kind));
            }
            Value::Array(items) if field.is_map() && items.is_empty() => {
                *value = Value::Object(Map::new());
            }
            Value::Object(entries) if field.is_map() => {
                if let Kind::Message(kind) = kind.map_entry_value_field().kind() {
                    entries.values_mut().for_each(|item| complete(item, &kind));
                }
            }
            one if !field.is_list() && !field.is_map() => complete(one, &kind),
            _ => {}
        }
    }
}
