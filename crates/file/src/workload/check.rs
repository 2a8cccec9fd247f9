//! Checks of responses as a file has them.

use schemars::JsonSchema;
use serde::de::value::MapAccessDeserializer;
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use crate::schema::Scalar;

/// A check: a part of the response that must be there, or what must hold of it.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum CheckValue {
    /// This part is there, as in `"json:$.token"`.
    There(String),
    /// All that this says holds of the part.
    Holds(CheckTable),
}

/// Written by hand, so that the message names an error within the table, and not that neither form
/// fits.
impl<'de> Deserialize<'de> for CheckValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<CheckValue, D::Error> {
        deserializer.deserialize_any(CheckVisitor)
    }
}

struct CheckVisitor;

impl<'de> Visitor<'de> for CheckVisitor {
    type Value = CheckValue;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a part of the response, as in \"json:$.id\", or a table with `of`")
    }

    fn visit_str<E>(self, text: &str) -> Result<CheckValue, E> {
        Ok(CheckValue::There(text.to_owned()))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<CheckValue, A::Error> {
        CheckTable::deserialize(MapAccessDeserializer::new(map)).map(CheckValue::Holds)
    }
}

/// What must hold of a part of the response; all that is given.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a part of the response, or a table with `of`")]
pub struct CheckTable {
    /// The part: `"status"`, `"time"`, `"body"`, `"header:NAME"`, `"json:PATH"` or
    /// `"regex:PATTERN"`.
    pub of: String,
    /// It is this, or one of these.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub is: Option<Value>,
    /// It contains this text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contains: Option<String>,
    /// This regular expression is found in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub matches: Option<String>,
    /// It is a number, and no smaller than this; of a time, as in `"10ms"`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub least: Option<Scalar>,
    /// It is a number, and no larger than this; of a time, as in `"250ms"`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub most: Option<Scalar>,
    /// It is not there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missing: Option<bool>,
}
