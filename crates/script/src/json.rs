//! JSON to tables and back.

use mlua::{Lua, Result, Table, Value as Luau};
use serde_json::{Map, Number, Value};

/// The largest depth of nested tables.
const DEPTH_MAX: usize = 64;

/// A table, or the text's value; `null` is nil.
pub(crate) fn read(lua: &Lua, text: &[u8]) -> Result<std::result::Result<Luau, String>> {
    match serde_json::from_slice::<Value>(text) {
        Ok(value) => to_luau(lua, &value).map(Ok),
        Err(error) => Ok(Err(format!("the body is no JSON: {error}"))),
    }
}

/// The tables of a list of rows, each by the names of its columns.
pub(crate) fn rows(
    lua: &Lua,
    text: &[u8],
    most: usize,
) -> Result<std::result::Result<Table, String>> {
    match serde_json::from_slice::<Vec<Value>>(text) {
        Ok(rows) if rows.len() > most => Ok(Err(format!(
            "the answer has {} rows, and a script gets {most} at most: ask for fewer, as by \
             `limit`",
            rows.len()
        ))),
        Ok(rows) => {
            let table = lua.create_table_with_capacity(rows.len(), 0)?;
            for (at, row) in rows.iter().enumerate() {
                table.raw_set(at + 1, to_luau(lua, row)?)?;
            }
            Ok(Ok(table))
        }
        Err(error) => Ok(Err(format!("the rows cannot be read: {error}"))),
    }
}

fn to_luau(lua: &Lua, value: &Value) -> Result<Luau> {
    Ok(match value {
        Value::Null => Luau::Nil,
        Value::Bool(flag) => Luau::Boolean(*flag),
        Value::Number(number) => Luau::Number(number.as_f64().unwrap_or(f64::NAN)),
        Value::String(text) => Luau::String(lua.create_string(text)?),
        Value::Array(items) => {
            let table = lua.create_table_with_capacity(items.len(), 0)?;
            for (at, item) in items.iter().enumerate() {
                table.raw_set(at + 1, to_luau(lua, item)?)?;
            }
            Luau::Table(table)
        }
        Value::Object(entries) => {
            let table = lua.create_table_with_capacity(0, entries.len())?;
            for (key, item) in entries {
                table.raw_set(key.as_str(), to_luau(lua, item)?)?;
            }
            Luau::Table(table)
        }
    })
}

/// The JSON of a value. A table with a first item, or an empty one, is a list; any other is an
/// object, whose keys must be text.
pub(crate) fn write(value: &Luau) -> std::result::Result<String, String> {
    self::value(value).map(|value| value.to_string())
}

/// The same, not written yet.
pub(crate) fn value(value: &Luau) -> std::result::Result<Value, String> {
    from_luau(value, 0)
}

fn from_luau(value: &Luau, depth: usize) -> std::result::Result<Value, String> {
    if depth > DEPTH_MAX {
        return Err(format!("JSON of more than {DEPTH_MAX} tables in one another"));
    }
    match value {
        Luau::Nil => Ok(Value::Null),
        Luau::Boolean(flag) => Ok(Value::Bool(*flag)),
        Luau::Integer(number) => Ok(Value::from(*number)),
        Luau::Number(number) => whole_or_float(*number),
        Luau::String(text) => Ok(Value::String(text.to_string_lossy())),
        Luau::Table(table) if table.raw_len() > 0 || table.is_empty() => {
            let items = table.sequence_values::<Luau>();
            let item = |item: Result<Luau>| {
                from_luau(&item.map_err(|error| error.to_string())?, depth + 1)
            };
            items.map(item).collect::<std::result::Result<_, _>>().map(Value::Array)
        }
        Luau::Table(table) => {
            let mut entries = Map::new();
            for pair in table.pairs::<Luau, Luau>() {
                let (key, item) = pair.map_err(|error| error.to_string())?;
                let Luau::String(key) = key else {
                    return Err(format!("a key of JSON must be text, not {}", key.type_name()));
                };
                entries.insert(key.to_string_lossy(), from_luau(&item, depth + 1)?);
            }
            Ok(Value::Object(entries))
        }
        other => Err(format!("{} has no JSON", other.type_name())),
    }
}

fn whole_or_float(number: f64) -> std::result::Result<Value, String> {
    if number.fract() == 0.0 && number.abs() < 9e15 {
        return Ok(Value::from(number as i64));
    }
    Number::from_f64(number).map(Value::Number).ok_or_else(|| format!("{number} has no JSON"))
}
