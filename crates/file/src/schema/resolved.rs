//! Tables without gaps: each key that a file leaves out has its default.

use schemars::{JsonSchema, schema_for};
use serde::Serialize;
use serde_json::{Map, Value};

/// The tables with all keys of their schema. An absent key has the `default` of the schema; else it
/// is null if the schema allows that, and an empty list or table, or false, if it does not.
///
/// # Panics
/// Never: the tables of files have texts as keys.
pub fn resolved<T: JsonSchema + Serialize>(tables: &T) -> Value {
    let schema = schema_for!(T).to_value();
    let value = serde_json::to_value(tables).expect("keys are texts");
    Resolver { root: &schema }.whole(value, &schema)
}

struct Resolver<'a> {
    /// The whole schema, which has the definitions.
    root: &'a Value,
}

impl<'a> Resolver<'a> {
    /// A value that is there, with all keys of the tables in it.
    fn whole(&self, value: Value, schema: &'a Value) -> Value {
        match value {
            Value::Array(all) => {
                let Some(list) = self.of_type("array", schema) else { return Value::Array(all) };
                all.into_iter().map(|one| self.whole(one, &list["items"])).collect()
            }
            Value::Object(table) => match self.of_type("object", schema) {
                Some(schema) => Value::Object(self.table(table, schema)),
                None => Value::Object(table),
            },
            other => other,
        }
    }

    fn table(&self, table: Map<String, Value>, schema: &'a Value) -> Map<String, Value> {
        let properties = schema["properties"].as_object();
        let of_key = |key: &str| properties.and_then(|all| all.get(key));
        let other = &schema["additionalProperties"];
        let absent: Vec<(String, Value)> = properties
            .filter(|_| *other == Value::Bool(false))
            .into_iter()
            .flatten()
            .filter(|(key, _)| !table.contains_key(*key))
            .map(|(key, schema)| (key.clone(), self.absent(schema)))
            .collect();
        let given = table.into_iter().map(|(key, value)| {
            let schema = of_key(&key).unwrap_or(other);
            let value = self.whole(value, schema);
            (key, value)
        });
        given.chain(absent).collect()
    }

    /// The value of a key that is not there.
    fn absent(&self, schema: &'a Value) -> Value {
        let is = |kind| self.of_type(kind, schema).is_some();
        match schema.get("default") {
            Some(default) => default.clone(),
            None if is("null") => Value::Null,
            None if is("array") => Value::Array(Vec::new()),
            None if is("object") => self.whole(Value::Object(Map::new()), schema),
            None if is("boolean") => Value::Bool(false),
            None => Value::Null,
        }
    }

    /// The part of a schema that describes values of this type, behind references and alternatives.
    fn of_type(&self, kind: &str, schema: &'a Value) -> Option<&'a Value> {
        if let Some(name) = schema["$ref"].as_str() {
            let name = name.rsplit('/').next()?;
            return self.of_type(kind, self.root["$defs"].get(name)?);
        }
        if let Some(alternatives) = schema["anyOf"].as_array() {
            return alternatives.iter().find_map(|one| self.of_type(kind, one));
        }
        let types = &schema["type"];
        let is = |one: &Value| one == kind;
        (is(types) || types.as_array().is_some_and(|all| all.iter().any(is))).then_some(schema)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::resolved;
    use crate::schema::Source;
    use crate::system::SystemFile;
    use crate::workload::WorkloadFile;

    #[test]
    fn an_absent_key_has_its_default() {
        let text = "name = 'w'\n[[population]]\nname = 'a'\narrivals = { model = 'closed' }\n\
                    [[population.request]]\nname = 'r'\nnext = { r = 1 }\n\
                    checks = { one = { of = 'status', is = 200 } }\n";
        let file = WorkloadFile::read(&Source { file: "", text }).unwrap();
        let all = resolved(&file);
        assert_eq!(
            (&all["seed"], &all["clients"], &all["request"]),
            (&json!(1), &json!(null), &json!([]))
        );
        let people = &all["population"][0];
        assert_eq!(people["arrivals"]["process"], "poisson");
        assert_eq!(people["arrivals"]["rate"], json!(null));
        assert_eq!(people["session"]["data"], json!([]));
        let request = &people["request"][0];
        assert_eq!(request["next"], json!({"r": 1.0}));
        assert_eq!((&request["objects"], &request["headers"]), (&json!(null), &json!({})));
        let check = &request["checks"]["one"];
        assert_eq!((&check["is"], &check.get("most")), (&json!(200), &Some(&json!(null))));
    }

    #[test]
    fn what_is_there_stays() {
        let text = "name = 's'\n[[station]]\nname = 'a'\nservers = 2\ndemand = { r = '1ms' }\n\
                    [[behaviour]]\nsteps = [{ fork = [[{ delay = '1s', disk = true }], []] }]\n";
        let file = SystemFile::read(&Source { file: "", text }).unwrap();
        let all = resolved(&file);
        let station = &all["station"][0];
        assert_eq!((&station["servers"], &station["policy"]), (&json!(2), &json!("fcfs")));
        assert_eq!(station["demand"], json!({"r": "1ms"}));
        let inner = &all["behaviour"][0]["steps"][0]["fork"][0][0];
        assert_eq!((&inner["disk"], &inner["use"]), (&json!(true), &json!(null)));
        assert_eq!(all["machine"], json!([]));
    }
}
