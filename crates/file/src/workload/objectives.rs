//! The table `[slo]` as a file has it.

use std::collections::BTreeMap;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::figure::{CHECK, Figure};
use crate::schema::Scalar;

/// The objectives that a result is judged by: response times not to be exceeded, the largest share
/// of requests that may fail, the least share of checks that must pass; for all requests, or for
/// those of a population or a name as in `visitors.p99 = "1s"`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SloTable {
    /// Those of all requests, by name.
    pub all: BTreeMap<String, Limit>,
    /// Those of populations, requests and checks, by their names.
    pub parts: BTreeMap<String, BTreeMap<String, Limit>>,
}

/// A limit, alone or in a table that says more of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Limit {
    /// The limit as it is written.
    pub value: Scalar,
    /// Whether a run ends once it cannot be kept any more.
    pub abort: bool,
}

/// The keys of a limit's table.
const LIMIT: &str = "limit";
const ABORT: &str = "abort";

const EMPTY: &str = "is an empty table: give a limit, as in \"250ms\", or the objectives of a \
                     population, a request or a check, as in { p99 = \"1s\" } or \
                     { \"has a price\" = \"99%\" }";

/// The value of a key: a limit, or the objectives of a part.
enum Entry {
    Limit(Limit),
    Part(BTreeMap<String, Limit>),
}

/// The value in a table: a limit, alone or in a table of its own, or whether it aborts.
enum Value {
    Flag(bool),
    Limit(Limit),
    Table(Limit),
}

struct EntryVisitor;

impl<'de> Visitor<'de> for EntryVisitor {
    type Value = Entry;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(
            "a number, a text such as \"250ms\", { limit = \"250ms\", abort = true }, or the \
             objectives of a population or a request",
        )
    }

    fn visit_i64<E: serde::de::Error>(self, value: i64) -> Result<Entry, E> {
        Ok(Entry::Limit(Limit { value: Scalar::Whole(value), abort: false }))
    }

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<Entry, E> {
        Ok(Entry::Limit(Limit { value: Scalar::Number(value), abort: false }))
    }

    fn visit_str<E: serde::de::Error>(self, value: &str) -> Result<Entry, E> {
        Ok(Entry::Limit(Limit { value: Scalar::Text(value.to_owned()), abort: false }))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Entry, A::Error> {
        let mut values = BTreeMap::new();
        while let Some((key, value)) = map.next_entry::<String, Value>()? {
            values.insert(key, value);
        }
        entry(values).map_err(serde::de::Error::custom)
    }
}

/// A table is a limit if it has the key `limit` or `abort`, else the objectives of a part.
fn entry(mut values: BTreeMap<String, Value>) -> Result<Entry, String> {
    let limit = values.remove(LIMIT);
    let flag = values.remove(ABORT);
    let abort = match flag {
        None => false,
        Some(Value::Flag(abort)) => abort,
        Some(_) => return Err(format!("`{ABORT}` is true or false")),
    };
    if limit.is_none() && flag.is_none() && values.is_empty() {
        return Err(EMPTY.to_owned());
    }
    match (limit, values.first_key_value()) {
        (Some(Value::Limit(Limit { value, .. })), None) => Ok(Entry::Limit(Limit { value, abort })),
        (Some(_), Some((other, _))) => {
            Err(format!("unknown key `{other}`; a limit has `{LIMIT}` and `{ABORT}`"))
        }
        (Some(_), None) => Err(format!("`{LIMIT}` is one time or share, as in \"1s\"")),
        (None, _) if flag_given(&values, abort) => {
            Err(format!("`{ABORT}` goes with `{LIMIT}`, as in {{ limit = \"1s\", abort = true }}"))
        }
        (None, _) => part(values),
    }
}

fn flag_given(values: &BTreeMap<String, Value>, abort: bool) -> bool {
    abort || values.is_empty()
}

fn part(values: BTreeMap<String, Value>) -> Result<Entry, String> {
    let one = |(key, value)| match value {
        Value::Limit(limit) | Value::Table(limit) => Ok((key, limit)),
        Value::Flag(_) => Err(format!("`{key}` is a time or a share, not true or false")),
    };
    Ok(Entry::Part(values.into_iter().map(one).collect::<Result<_, String>>()?))
}

impl<'de> Deserialize<'de> for Entry {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Entry, D::Error> {
        deserializer.deserialize_any(EntryVisitor)
    }
}

struct ValueVisitor;

impl<'de> Visitor<'de> for ValueVisitor {
    type Value = Value;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(
            "a number, a text such as \"250ms\", or { limit = \"250ms\", abort = true } (a key \
             with a dot goes in quotes: \"p99.9\")",
        )
    }

    fn visit_bool<E: serde::de::Error>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Flag(value))
    }

    fn visit_i64<E: serde::de::Error>(self, value: i64) -> Result<Value, E> {
        limit_of(EntryVisitor.visit_i64(value)?)
    }

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<Value, E> {
        limit_of(EntryVisitor.visit_f64(value)?)
    }

    fn visit_str<E: serde::de::Error>(self, value: &str) -> Result<Value, E> {
        limit_of(EntryVisitor.visit_str(value)?)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Value, A::Error> {
        match EntryVisitor.visit_map(map)? {
            Entry::Limit(limit) => Ok(Value::Table(limit)),
            part @ Entry::Part(_) => limit_of(part),
        }
    }
}

fn limit_of<E: serde::de::Error>(entry: Entry) -> Result<Value, E> {
    match entry {
        Entry::Limit(limit) => Ok(Value::Limit(limit)),
        Entry::Part(_) => {
            let right = "is a limit and no table (a key with a dot goes in quotes: \"p99.9\")";
            Err(E::custom(right))
        }
    }
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(ValueVisitor)
    }
}

impl<'de> Deserialize<'de> for SloTable {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<SloTable, D::Error> {
        let mut table = SloTable::default();
        for (key, entry) in BTreeMap::<String, Entry>::deserialize(deserializer)? {
            match entry {
                Entry::Limit(limit) => {
                    table.all.insert(key, limit);
                }
                Entry::Part(limits) => {
                    table.parts.insert(key, limits);
                }
            }
        }
        Ok(table)
    }
}

impl Serialize for Limit {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeMap;
        if !self.abort {
            return self.value.serialize(serializer);
        }
        let mut map = serializer.serialize_map(Some(2))?;
        map.serialize_entry(LIMIT, &self.value)?;
        map.serialize_entry(ABORT, &true)?;
        map.end()
    }
}

impl Serialize for SloTable {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeMap;
        let mut map = serializer.serialize_map(Some(self.all.len() + self.parts.len()))?;
        for (key, limit) in &self.all {
            map.serialize_entry(key, limit)?;
        }
        for (name, limits) in &self.parts {
            map.serialize_entry(name, limits)?;
        }
        map.end()
    }
}

impl JsonSchema for SloTable {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "SloTable".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let limit = limit_schema(generator);
        let mut properties = serde_json::Map::new();
        for figure in Figure::all() {
            let mut one = limit.clone();
            one["description"] = in_words(figure).into();
            properties.insert(figure.key(), one);
        }
        let part = |text: &str| {
            serde_json::json!({
                "type": "object",
                "description": text,
                "additionalProperties": limit,
            })
        };
        let checks = part("The least share of the check of this name that must pass.");
        properties.insert(CHECK.to_owned(), checks);
        json_schema!({
            "type": "object",
            "description": "The objectives that a result is judged by: response times not to be \
                exceeded, the largest share of requests that may fail, the least share of checks \
                that must pass; for all requests, or for those of a population or a name as in \
                `visitors.p99 = \"1s\"`.",
            "properties": properties,
            "additionalProperties": part(
                "The same objectives of the population, or of the requests, of this name."
            ),
        })
    }
}

/// A limit alone, or in a table.
fn limit_schema(generator: &mut SchemaGenerator) -> serde_json::Value {
    let scalar = generator.subschema_for::<Scalar>().to_value();
    serde_json::json!({ "anyOf": [scalar, {
        "type": "object",
        "required": [LIMIT],
        "additionalProperties": false,
        "properties": {
            LIMIT: scalar,
            ABORT: {
                "type": "boolean",
                "description": "Whether a run ends once the limit can no longer be kept.",
            },
        },
    }]})
}

fn in_words(figure: Figure) -> String {
    let (name, of) = match figure {
        Figure::Response(name) => (name, "response time"),
        Figure::Page(name) => (name, "page response time"),
        Figure::FirstEvent(name) => (name, "time to the first event of a streamed response"),
        Figure::EventGap(name) => (name, "time between events of streamed responses"),
        Figure::Goodput => {
            return "The least share of requests that succeed within the limits of all objectives \
                    of times, as in `\"95%\"`; of several percentiles within the largest limit."
                .into();
        }
        Figure::Errors => return "The largest share of requests that fail, as in `\"1%\"`.".into(),
        Figure::Checks => return "The least share of checks that pass, as in `\"99%\"`.".into(),
    };
    let name = match name.strip_prefix('p') {
        None => "mean".to_owned(),
        Some("50") => "median".to_owned(),
        Some(percent) => format!("{percent}th percentile of the"),
    };
    format!("The largest {name} {of}.")
}
