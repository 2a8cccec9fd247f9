//! Statements of SQL and transactions, from a script's calls, and the rows for it.

use std::rc::Rc;
use std::sync::Arc;

use mlua::{Lua, Result, Table, Value};
use thinktime_core::request::{Sql, SqlCall};

use crate::answer::Answer;
use crate::function_factory::FunctionFactory;
use crate::host::Host;
use crate::json;
use crate::statements::call;

/// The most rows that a script receives.
const ROWS_MAX: usize = 10_000;
/// The default number of attempts at a transaction.
const ATTEMPTS: u32 = 10;
/// The largest number of attempts that may be given.
const ATTEMPTS_MAX: f64 = 1e6;

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
pub(crate) fn functions(made: &FunctionFactory<'_>) -> Result<()> {
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
