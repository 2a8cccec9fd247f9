//! Changing one value of a workload or system by its key, as sweeps do.

use serde::Serialize;
use serde::de::DeserializeOwned;
use thinktime_file::error::{Invalid, unknown};
use thinktime_file::schema::with_remedy;
use toml::Value;

/// The tables with the value at `key` replaced, or added: `arrivals.rate`, or
/// `station.database.servers`, where `database` is the name of one of several tables, or its number
/// from 0. The text is a TOML value; anything else is a string.
///
/// # Errors
/// When a table on the way does not exist, or the tables with the new value are not valid. The
/// value itself is checked when the model is built.
pub fn with_value<T: Serialize + DeserializeOwned>(
    tables: &T,
    key: &str,
    text: &str,
) -> Result<T, Invalid> {
    let wrong = |error: String| Invalid::new(format!("{key}: {error}"));
    let mut whole = Value::try_from(tables).map_err(|error| wrong(error.to_string()))?;
    let parts: Vec<&str> = key.split('.').collect();
    let Some((last, path)) = parts.split_last() else {
        return Err(wrong("names no key".to_owned()));
    };
    let mut at = &mut whole;
    for part in path {
        at = step(at, part).map_err(|error| wrong(error.to_string()))?;
    }
    match at {
        Value::Table(table) => {
            table.insert((*last).to_owned(), parse(text));
        }
        other => *step(other, last).map_err(|error| wrong(error.to_string()))? = parse(text),
    }
    whole.try_into().map_err(|error: toml::de::Error| wrong(with_remedy(error.message())))
}

/// The value as TOML has it, or as a string.
fn parse(text: &str) -> Value {
    let line = format!("value = {text}");
    let parsed = toml::from_str::<toml::Table>(&line).ok();
    parsed
        .and_then(|mut table| table.remove("value"))
        .unwrap_or_else(|| Value::String(text.to_owned()))
}

fn step<'a>(at: &'a mut Value, part: &str) -> Result<&'a mut Value, Invalid> {
    match at {
        // A table that does not exist yet may be begun.
        Value::Table(table) => {
            Ok(table.entry(part).or_insert_with(|| Value::Table(toml::Table::new())))
        }
        Value::Array(list) => {
            let names: Vec<String> = list.iter().map(name_of).collect();
            let numbered = part.parse().ok().filter(|number| *number < list.len());
            let place = names.iter().position(|name| name == part).or(numbered);
            let known = || names.iter().map(String::as_str);
            place.map(|place| &mut list[place]).ok_or_else(|| unknown("table", part, known()))
        }
        _ => Err(Invalid::new(format!("there is no table that holds `{part}`"))),
    }
}

/// The key that distinguishes tables of one kind.
fn name_of(table: &Value) -> String {
    let name = ["name", "request"].into_iter().find_map(|key| table.get(key)?.as_str());
    name.unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::NoFiles;
    use crate::system::{SystemFile, SystemModel};
    use thinktime_file::schema::Source;
    use thinktime_file::workload::WorkloadFile;

    const SYSTEM: &str = "name = 's'\n[[station]]\nname = 'web'\ndemand = '1ms'\n\
                          [[station]]\nname = 'db'\ndemand = '1ms'";

    fn system(key: &str, text: &str) -> Result<SystemFile, String> {
        let file = SystemFile::read(&Source { file: "", text: SYSTEM }).unwrap();
        with_value(&file, key, text).map_err(|error| error.to_string())
    }

    #[test]
    fn values_are_found_by_name_and_by_number() {
        assert_eq!(system("station.db.servers", "4").unwrap().station[1].servers, Some(4));
        let changed = system("station.0.policy", "rr(1ms, switch=5us)").unwrap();
        assert_eq!(changed.station[0].policy.as_deref(), Some("rr(1ms, switch=5us)"));
        SystemModel::from_file(&changed, &NoFiles).unwrap();
    }

    #[test]
    fn tables_may_be_begun() {
        let text = "name = 'w'\n[arrivals]\nmodel = 'open'\nrate = 1";
        let file = WorkloadFile::read(&Source { file: "", text }).unwrap();
        let changed = with_value(&file, "clients.concurrency", "10").unwrap();
        assert_eq!(changed.clients.unwrap().concurrency, Some(10));
        assert_eq!(with_value(&file, "seed", "7").unwrap().seed, 7);
    }

    #[test]
    fn slips_are_named() {
        assert!(system("station.wep.servers", "4").unwrap_err().contains("did you mean `web`?"));
        assert!(system("station.db.severs", "4").unwrap_err().contains("did you mean `servers`?"));
        assert!(system("name.x", "4").unwrap_err().contains("no table that holds `x`"));
        let message = system("station.db.servers", "many").unwrap_err();
        assert!(message.starts_with("station.db.servers: must be a whole number"), "{message}");
    }
}
