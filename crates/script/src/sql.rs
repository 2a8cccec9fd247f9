//! Statements of SQL and transactions, from a script's calls, and the rows for it.

use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use mlua::{Lua, Result, Table, Value};
use thinktime_core::request::{Call, Method, Sql, SqlCall};

use crate::functions::Maker;
use crate::host::{Answer, Host};
use crate::json;

/// The number of different statements that are kept, and stay prepared on connections. Further
/// ones, as of a script that writes values into their texts, are prepared each time.
const STATEMENTS_MAX: usize = 1000;
/// The most rows that a script receives.
const ROWS_MAX: usize = 10_000;
/// The default number of attempts at a transaction.
const ATTEMPTS: u32 = 10;
/// The largest number of attempts that may be given.
const ATTEMPTS_MAX: f64 = 1e6;

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
    fn call(&mut self, text: &Value, parameters: &Value, attempts: u32) -> Answer<Call> {
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

fn call(sql: SqlCall, body: Vec<u8>, cuts: Vec<usize>) -> Call {
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

/// A script's options of a statement or a transaction.
struct Options {
    name: Option<String>,
    attempts: u32,
    isolation: Option<String>,
}

impl Options {
    /// `known` lists them, in words.
    fn read(table: Option<&Table>, attempts: u32, known: &str) -> Answer<Options> {
        let mut options = Options { name: None, attempts, isolation: None };
        let pairs = table.into_iter().flat_map(|table| table.pairs::<String, Value>());
        for pair in pairs {
            let (key, value) = pair.map_err(|_| format!("options are {known}"))?;
            let number = value.as_number().or(value.as_integer().map(|whole| whole as f64));
            match (key.as_str(), value) {
                ("name", Value::String(text)) => options.name = Some(text.to_string_lossy()),
                ("isolation", Value::String(word)) if known.contains("isolation") => {
                    options.isolation = Some(word.to_string_lossy());
                }
                ("attempts", value) => {
                    let whole = number.filter(|number| number.fract() == 0.0);
                    let whole = whole.filter(|number| (1.0..=ATTEMPTS_MAX).contains(number));
                    options.attempts = whole.map(|number| number as u32).ok_or_else(|| {
                        let value = value.to_string().unwrap_or_default();
                        format!(
                            "`attempts` is a whole number from 1 to {ATTEMPTS_MAX}, not {value}"
                        )
                    })?;
                }
                (key, value) => {
                    let kind = value.type_name();
                    return Err(format!("`{key}` as {kind} is no option here: there are {known}"));
                }
            }
        }
        Ok(options)
    }
}

impl Host {
    /// The session asks for a statement: as a request, or as the next one of its transaction.
    fn sql(
        &mut self,
        (text, parameters): (&Value, &Value),
        options: Option<&Table>,
        within: bool,
    ) -> Answer<()> {
        if within && options.is_some() {
            return Err(
                "the statements of a transaction have no options: those of the transaction apply \
                 to all"
                    .to_owned(),
            );
        }
        let options = Options::read(options, 1, "name and attempts")?;
        let kind = self.kind_of(options.name.as_deref())?;
        let call = Rc::new(self.statements.call(text, parameters, options.attempts)?);
        let session = self.session();
        if within {
            session.statement = Some(call);
        } else {
            (session.kind, session.call) = (kind, Some(call));
        }
        Ok(())
    }

    /// The session asks for a transaction.
    fn transaction(&mut self, options: Option<&Table>) -> Answer<()> {
        let options = Options::read(options, ATTEMPTS, "name, attempts and isolation")?;
        let sql = Sql::transaction(options.isolation.as_deref());
        let sql = Arc::new(sql.map_err(|error| error.to_string())?);
        let kind = self.kind_of(options.name.as_deref())?;
        let sql = SqlCall { sql, place: None, nulls: Vec::new(), attempts: options.attempts };
        let session = self.session();
        (session.kind, session.call) = (kind, Some(Rc::new(call(sql, Vec::new(), Vec::new()))));
        Ok(())
    }

    /// The rows of the last answer: a list of tables by the names of columns.
    fn rows(&self, lua: &Lua) -> Result<Answer<Table>> {
        if self.cut {
            return Ok(Err(
                "the rows exceed the 1 MiB that is kept of an answer: ask for fewer of them, or \
                 for fewer columns"
                    .to_owned(),
            ));
        }
        if self.body.is_empty() {
            return lua.create_table().map(Ok);
        }
        json::rows(lua, &self.body, ROWS_MAX)
    }
}

/// The functions for SQL.
pub(crate) fn functions(made: &Maker<'_>) -> Result<()> {
    made.set("null", Value::NULL)?;
    type Asked = (Value, Value, Option<Table>, bool);
    made.add("sql", |_, host, (text, parameters, options, within): Asked| {
        Ok(host.sql((&text, &parameters), options.as_ref(), within))
    })?;
    made.add("transaction", |_, host, options: Option<Table>| {
        Ok(host.transaction(options.as_ref()))
    })?;
    made.add("sql_rows", |lua, host, ()| host.rows(lua))?;
    made.add("sql_message", |lua, host, ()| lua.create_string(&host.body).map(Ok))
}
