//! Reading workload and system files: an error names file, line, key and remedy.
//!
//! Files are read in two steps. Their text becomes plain tables, which are the schema
//! (`WorkloadFile`, `SystemFile`); `thinktime-core` checks the values and builds what runs.

use std::fmt::{Display, Formatter};

use schemars::JsonSchema;
use serde::de::{DeserializeOwned, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use thiserror::Error;

use crate::error::Invalid;

mod duplicate_keys;
mod resolved;
mod words;

pub use resolved::resolved;
pub use words::{WholeNumber, with_remedy};

/// A value with a unit (`"5ms"`), or a bare number.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Scalar {
    /// A whole number without a unit.
    Whole(i64),
    /// A number without a unit.
    Number(f64),
    /// A number with a unit, or another notation.
    Text(String),
}

impl Scalar {
    /// As it would be written in quotes.
    #[must_use]
    pub fn text(&self) -> String {
        match self {
            Scalar::Whole(number) => number.to_string(),
            Scalar::Number(number) => number.to_string(),
            Scalar::Text(text) => text.clone(),
        }
    }
}

/// Written by hand for the sake of the message: the derived one names an unknown type.
impl<'de> Deserialize<'de> for Scalar {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Scalar, D::Error> {
        deserializer.deserialize_any(ScalarVisitor)
    }
}

struct ScalarVisitor;

impl Visitor<'_> for ScalarVisitor {
    type Value = Scalar;

    fn expecting(&self, out: &mut Formatter<'_>) -> std::fmt::Result {
        out.write_str(
            "a number, or a text such as \"5ms\" (a key with a dot goes in quotes: \"p99.9\")",
        )
    }

    fn visit_i64<E: serde::de::Error>(self, value: i64) -> Result<Scalar, E> {
        Ok(Scalar::Whole(value))
    }

    fn visit_u64<E: serde::de::Error>(self, value: u64) -> Result<Scalar, E> {
        Ok(i64::try_from(value).map_or(Scalar::Number(value as f64), Scalar::Whole))
    }

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<Scalar, E> {
        Ok(Scalar::Number(value))
    }

    fn visit_str<E: serde::de::Error>(self, value: &str) -> Result<Scalar, E> {
        Ok(Scalar::Text(value.to_owned()))
    }
}

impl<T: Display> From<T> for Scalar {
    fn from(value: T) -> Scalar {
        Scalar::Text(value.to_string())
    }
}

/// A workload or system file that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{}{}", self.place(), self.message)]
pub struct SchemaError {
    /// The name of the file.
    pub file: String,
    /// The line, counted from 1; 0 where the whole file is meant.
    pub line: usize,
    /// The key's path, as in `arrivals.rate`; empty where no key is meant.
    pub key: String,
    /// The error and its remedy.
    pub message: String,
}

impl SchemaError {
    fn place(&self) -> String {
        let mut place = self.file.clone();
        if self.line > 0 {
            place += &format!(":{}", self.line);
        }
        if !self.key.is_empty() {
            place += &format!(": {}", self.key);
        }
        if place.is_empty() { place } else { place + ": " }
    }
}

/// A file's name and text, for messages that point into it.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    /// The name of the file; empty without a file.
    pub file: &'a str,
    /// Its whole text.
    pub text: &'a str,
}

impl<'a> Source<'a> {
    /// Reads the plain tables of a file.
    ///
    /// # Errors
    /// When the text is not TOML, or has unknown, missing or mistyped keys.
    pub(crate) fn read<T: DeserializeOwned>(&self) -> Result<T, SchemaError> {
        toml::from_str(self.text).map_err(|error| self.explain(&error))
    }

    /// An error about the key at `path`, as in `request.0.weight`. If the key is absent, the error
    /// points at its nearest present table.
    #[must_use]
    pub fn error(&self, path: &str, error: &Invalid) -> SchemaError {
        SchemaError {
            file: self.file.to_owned(),
            line: self.line_of_key(path),
            key: readable(path),
            message: error.to_string(),
        }
    }

    /// The place of a key, as in `shop.toml:7: clients.bearer`; its name without a file.
    #[must_use]
    pub fn place(&self, path: &str) -> String {
        match self.file {
            "" => readable(path),
            file => format!("{file}:{}: {}", self.line_of_key(path), readable(path)),
        }
    }

    fn explain(&self, error: &toml::de::Error) -> SchemaError {
        let line = error.span().map_or(0, |span| self.line_at(span.start));
        let message = error.message();
        let of_value =
            ["invalid ", words::NO_VARIANT].iter().any(|begin| message.starts_with(begin));
        let value = error.span().filter(|_| of_value);
        let key = value.and_then(|span| key_before(self.text.get(..span.start)?));
        let (key, message) = match self.listed_table(line, message) {
            Some(table) => (table, format!("is one table, no list of them: write [{table}]")),
            // An error that concerns no value has no key.
            None => match duplicate_keys::one_or_each(self.text, line, message) {
                Some(remedy) => ("", remedy),
                None => (key.unwrap_or_default(), with_remedy(message)),
            },
        };
        SchemaError {
            file: self.file.to_owned(),
            line,
            // An empty key is left out: the message names it itself, or no key is concerned.
            key: key.to_owned(),
            message,
        }
    }

    /// The key of a list of tables, as in `[[arrivals]]`, that begins in this line in place of
    /// another value.
    fn listed_table(&self, line: usize, message: &str) -> Option<&str> {
        let signs = ["invalid type: map", "invalid type: sequence", "wanted exactly 1 element"];
        let header = self.text.lines().nth(line.checked_sub(1)?)?.trim_start();
        let (key, _) = header.strip_prefix("[[")?.split_once("]]")?;
        signs.iter().any(|sign| message.starts_with(sign)).then(|| key.trim())
    }

    fn line_at(&self, offset: usize) -> usize {
        1 + self.text.as_bytes()[..offset.min(self.text.len())]
            .iter()
            .filter(|byte| **byte == b'\n')
            .count()
    }

    fn line_of_key(&self, path: &str) -> usize {
        let Ok(root) = toml::de::DeTable::parse(self.text) else { return 0 };
        let mut offset = None;
        let mut here = toml::de::DeValue::Table(root.into_inner());
        for part in path.split('.') {
            let next = match &here {
                toml::de::DeValue::Table(table) => table
                    .iter()
                    .find(|(key, _)| key.get_ref() == part)
                    .map(|(key, value)| (key.span().start, value.get_ref().clone())),
                toml::de::DeValue::Array(array) => part
                    .parse::<usize>()
                    .ok()
                    .and_then(|at| array.get(at))
                    .map(|value| (value.span().start, value.get_ref().clone())),
                _ => None,
            };
            let Some((start, value)) = next else { break };
            offset = Some(start);
            here = value;
        }
        offset.map_or(0, |start| self.line_at(start))
    }
}

/// The key whose value begins where the text ends.
fn key_before(text: &str) -> Option<&str> {
    let before = text.trim_end().strip_suffix('=')?.trim_end();
    let is_of_key = |one: char| one.is_alphanumeric() || "_-.\"'".contains(one);
    before.rsplit(|one| !is_of_key(one)).next().filter(|key| !key.is_empty())
}

/// `request.0.weight`, counted from 1: `request[1].weight`.
fn readable(path: &str) -> String {
    let mut out = String::new();
    for part in path.split('.') {
        match part.parse::<usize>() {
            Ok(at) => out += &format!("[{}]", at + 1),
            Err(_) if out.is_empty() => out += part,
            Err(_) => out += &format!(".{part}"),
        }
    }
    out
}

/// Plain tables as TOML text.
///
/// # Errors
/// When a value cannot be written, such as an infinite number.
pub(crate) fn to_toml<T: serde::Serialize>(tables: &T) -> Result<String, SchemaError> {
    toml::to_string(tables).map_err(|error| SchemaError {
        file: String::new(),
        line: 0,
        key: String::new(),
        message: error.to_string(),
    })
}
