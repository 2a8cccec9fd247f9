//! The content of requests, as a file has it.

use std::fmt::Formatter;

use crate::error::Invalid;

use schemars::JsonSchema;
use serde::de::Visitor;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

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

/// The messages of a request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum MessagesValue {
    /// One.
    One(String),
    /// Several, one after another.
    Many(Vec<String>),
}

impl MessagesValue {
    /// The messages.
    pub fn texts(&self) -> &[String] {
        match self {
            MessagesValue::One(text) => std::slice::from_ref(text),
            MessagesValue::Many(texts) => texts,
        }
    }
}

/// The messages of a call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "a message is a table, or JSON as a text; a list is several")]
pub enum GrpcMessages {
    /// One.
    One(GrpcMessage),
    /// Several, one after another.
    Many(Vec<GrpcMessage>),
}

/// A message of a call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum GrpcMessage {
    /// As JSON.
    Text(String),
    /// As its fields.
    Fields(Map<String, Value>),
}

impl GrpcMessages {
    /// One or many, as a list.
    #[must_use]
    pub fn all(&self) -> &[GrpcMessage] {
        match self {
            GrpcMessages::One(one) => std::slice::from_ref(one),
            GrpcMessages::Many(many) => many,
        }
    }
}

impl GrpcMessage {
    /// The message as JSON text.
    #[must_use]
    pub fn json(&self) -> String {
        match self {
            GrpcMessage::Text(text) => text.clone(),
            GrpcMessage::Fields(fields) => {
                serde_json::to_string(fields).expect("texts are its keys")
            }
        }
    }
}

/// What transactions that run at the same time see of each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Isolation {
    /// Each statement sees what was committed before it began.
    ReadCommitted,
    /// All statements see what was committed before the first one began.
    RepeatableRead,
    /// As if transactions had run one after another.
    Serializable,
}

impl Isolation {
    /// The isolation of this name.
    ///
    /// # Errors
    /// When no isolation has this name.
    pub fn of(word: &str) -> Result<Isolation, Invalid> {
        match word {
            "read-committed" => Ok(Isolation::ReadCommitted),
            "repeatable-read" => Ok(Isolation::RepeatableRead),
            "serializable" => Ok(Isolation::Serializable),
            _ => Err(Invalid::new(format!(
                "`{word}` is no isolation: write \"read-committed\", \"repeatable-read\" or \
                 \"serializable\""
            ))),
        }
    }

    /// The statement that begins such a transaction.
    #[must_use]
    pub fn begin(this: Option<Isolation>) -> &'static str {
        match this {
            None => "begin",
            Some(Isolation::ReadCommitted) => "begin isolation level read committed",
            Some(Isolation::RepeatableRead) => "begin isolation level repeatable read",
            Some(Isolation::Serializable) => "begin isolation level serializable",
        }
    }
}

/// Reads one statement; for a list of them, the message names the key that takes lists.
pub fn one_statement<'de, D>(from: D) -> Result<Option<String>, D::Error>
where
    D: Deserializer<'de>,
{
    struct Statement;

    impl Visitor<'_> for Statement {
        type Value = String;

        fn expecting(&self, out: &mut Formatter<'_>) -> std::fmt::Result {
            out.write_str("one statement, as a text: a list of them is a `transaction`")
        }

        fn visit_str<E>(self, text: &str) -> Result<String, E> {
            Ok(text.to_owned())
        }
    }

    from.deserialize_str(Statement).map(Some)
}
