//! The statements of a script, each with its parameters.

use std::collections::BTreeMap;
use std::sync::Arc;

use mlua::Value;
use thinktime_core::request::{Call, Method, Sql, SqlCall};

use crate::answer::Answer;
use crate::json;

/// The number of different statements that are kept, and stay prepared on connections. Further
/// ones, as of a script that writes values into their texts, are prepared each time.
const STATEMENTS_MAX: usize = 1000;

/// The statements of a script, each with its place.
#[derive(Debug, Default)]
pub(crate) struct Statements(BTreeMap<String, (u32, Arc<Sql>)>);

impl Statements {
    fn get(&mut self, text: &str) -> Answer<(Option<u32>, Arc<Sql>)> {
        if let Some((place, known)) = self.0.get(text) {
            return Ok((Some(*place), Arc::clone(known)));
        }
        let sql = Sql::statement(text).map_err(|error| format!("the statement: {error}"))?;
        let (place, sql) = (self.0.len(), Arc::new(sql));
        if place == STATEMENTS_MAX {
            return Ok((None, sql));
        }
        self.0.insert(text.to_owned(), (place as u32, Arc::clone(&sql)));
        Ok((Some(place as u32), sql))
    }

    /// A statement with its parameters.
    pub(crate) fn call(&mut self, text: &Value, parameters: &Value, attempts: u32) -> Answer<Call> {
        let Value::String(text) = text else {
            let kind = text.type_name();
            return Err(format!("a statement is text, as in \"select 1\", not {kind}"));
        };
        let (place, sql) = self.get(&text.to_string_lossy())?;
        let wanted = sql.statements[0].parameters.len();
        let Parameters { bytes, cuts, nulls } = Parameters::of(parameters, wanted)?;
        Ok(call(SqlCall { sql, place, nulls, attempts }, bytes, cuts))
    }
}

/// A statement or transaction as the program wants it sent.
pub(crate) fn call(sql: SqlCall, body: Vec<u8>, cuts: Vec<usize>) -> Call {
    Call {
        method: Method::Sql,
        target: String::new(),
        headers: Vec::new(),
        body,
        cuts,
        binary: false,
        expect: None,
        grpc: None,
        sql: Some(sql),
    }
}

/// The values of `$1`, `$2` and so on, as texts.
#[derive(Default)]
struct Parameters {
    bytes: Vec<u8>,
    /// The beginning of each but the first.
    cuts: Vec<usize>,
    nulls: Vec<usize>,
}

impl Parameters {
    fn of(value: &Value, wanted: usize) -> Answer<Parameters> {
        let mut parameters = Parameters::default();
        let given = match value {
            Value::Nil => 0,
            Value::Table(list) => {
                let given = list.raw_len();
                if list.pairs::<Value, Value>().count() != given {
                    return Err("parameters are a list without gaps, in which client.null stands \
                                for a null"
                        .to_owned());
                }
                for (place, value) in list.sequence_values::<Value>().enumerate() {
                    parameters.add(&value.map_err(|error| error.to_string())?, place)?;
                }
                given
            }
            other => {
                return Err(format!("parameters are a list, not {}", other.type_name()));
            }
        };
        if given == wanted {
            return Ok(parameters);
        }
        let has = match wanted {
            0 => "no parameter".to_owned(),
            1 => "the parameter $1".to_owned(),
            last => format!("the parameters $1 to ${last}"),
        };
        Err(format!("the statement has {has}, and {given} given"))
    }

    fn add(&mut self, value: &Value, place: usize) -> Answer<()> {
        if place > 0 {
            self.cuts.push(self.bytes.len());
        }
        let text = match value {
            Value::String(text) => {
                self.bytes.extend_from_slice(&text.as_bytes());
                return Ok(());
            }
            value if value.is_null() => {
                self.nulls.push(place);
                return Ok(());
            }
            Value::Integer(number) => number.to_string(),
            Value::Number(number) => number.to_string(),
            Value::Boolean(flag) => flag.to_string(),
            Value::Table(_) => json::write(value)?,
            other => {
                let kind = other.type_name();
                return Err(format!(
                    "a parameter is text, a number, a boolean, client.null or a table for JSON, \
                     not {kind}"
                ));
            }
        };
        self.bytes.extend_from_slice(text.as_bytes());
        Ok(())
    }
}
