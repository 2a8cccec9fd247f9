//! The place of the variables that scripts share, as a file has it.

use std::fmt;

use schemars::JsonSchema;
use serde::de::value::MapAccessDeserializer;
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

use crate::schema::Scalar;

/// The place of the variables that scripts share.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum SharedValue {
    /// On this server, as in `"redis://127.0.0.1:6379"`.
    Url(String),
    /// On a server that needs more settings.
    Table(SharedTable),
}

/// A server that keeps the variables of scripts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "the url of a server, or a table with `url`")]
pub struct SharedTable {
    /// The server, as in `"redis://127.0.0.1:6379"`, or with `/NUMBER` of a database after it;
    /// `valkey://` says the same.
    pub url: String,
    /// The user's name, if the server has several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
    /// The place of the password, as in `"env:REDIS_PASSWORD"` or `"file:PATH"`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub password: Option<String>,
    /// The wait for the server after which a session fails, 10ms to 1h; 5s by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wait: Option<Scalar>,
    /// The silence of a generator after which its locks go to others, 100ms to 1h; 10s by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lease: Option<Scalar>,
}

/// Written by hand, so that the message names an error within the table, and not that neither form
/// fits.
impl<'de> Deserialize<'de> for SharedValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<SharedValue, D::Error> {
        deserializer.deserialize_any(SharedVisitor)
    }
}

struct SharedVisitor;

impl<'de> Visitor<'de> for SharedVisitor {
    type Value = SharedValue;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the url of a server, as in \"redis://127.0.0.1:6379\", or a table with `url`")
    }

    fn visit_str<E>(self, text: &str) -> Result<SharedValue, E> {
        Ok(SharedValue::Url(text.to_owned()))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<SharedValue, A::Error> {
        SharedTable::deserialize(MapAccessDeserializer::new(map)).map(SharedValue::Table)
    }
}
