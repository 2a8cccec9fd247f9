//! Requests of SQL: a statement, or a transaction of several, with parameters.

mod text;

use thinktime_file::error::Invalid;
use thinktime_file::workload::{Isolation, RequestTable};

use super::message::Message;
use super::template::{Place, Template, braced_name};
use crate::distribution::ENTRIES;
use crate::files::Files;
use text::Text;

/// The most parameters of a request: the protocol of PostgreSQL counts them in 16 bits.
const PARAMETERS_MAX: usize = 65_535;

/// The content of a request of SQL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sql {
    /// Its statements, each sent after the answer to the one before; empty only if a program gives
    /// them one after another.
    pub statements: Vec<Statement>,
    /// The statement that begins a transaction around them; `None` for one statement by itself,
    /// which is a transaction of its own.
    pub begin: Option<&'static str>,
}

/// A statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// Its text, in which parameters are numbered from `$1` on without a gap.
    pub text: String,
    /// For each of these, its place among the parameters of the request.
    pub parameters: Vec<usize>,
}

/// The part of a table that was read; an error comes with its key.
pub(crate) type Keyed<T> = Result<T, (&'static str, Invalid)>;

impl Sql {
    /// A statement that a program sends, whose parameters are those in its text.
    ///
    /// # Errors
    /// When it is not exactly one statement, begins or ends a transaction, or leaves out a
    /// parameter, as `$2` beside `$3`.
    pub fn statement(text: &str) -> Result<Sql, Invalid> {
        let read = Text::read(text)?;
        let last = read.marks.iter().map(|mark| mark.number).max().unwrap_or(0);
        if last > PARAMETERS_MAX {
            return Err(Invalid::new(format!(
                "`${last}` is too many: at most {PARAMETERS_MAX} are allowed"
            )));
        }
        let mut used = vec![false; last];
        let statement = read.statement(&mut used).map_err(|(_, error)| error)?;
        if let Some(place) = used.iter().position(|used| !used) {
            let why = format!("`${last}` stands in the statement, and `${}` does not", place + 1);
            return Err(Invalid::new(why));
        }
        Ok(Sql { statements: vec![statement], begin: None })
    }

    /// A transaction whose statements a program gives one after another, perhaps of this
    /// [`Isolation`].
    ///
    /// # Errors
    /// When that is not the name of one.
    pub fn transaction(isolation: Option<&str>) -> Result<Sql, Invalid> {
        let isolation = isolation.map(Isolation::of).transpose()?;
        Ok(Sql { statements: Vec::new(), begin: Some(Isolation::begin(isolation)) })
    }

    /// The SQL of a request's table, if it has any, with its parameters as messages; an error comes
    /// with its key.
    pub(crate) fn from_table(
        table: &RequestTable,
        names: &[String],
        files: &dyn Files,
    ) -> Keyed<Option<(Sql, Message)>> {
        let (key, texts) = match (&table.sql, &table.transaction) {
            (Some(text), _) => ("sql", std::slice::from_ref(text)),
            (None, Some(texts)) => ("transaction", texts.as_slice()),
            (None, None) => return alone(table).map(|()| None),
        };
        if texts.is_empty() {
            return Err((key, Invalid::new("is a list without a statement")));
        }
        if table.isolation.is_some() && key == "sql" {
            return Err(("isolation", Invalid::new("goes with a `transaction` only")));
        }
        let of_key = |error| (key, error);
        let mut used = vec![false; table.parameters.len()];
        let mut statements = Vec::with_capacity(texts.len());
        for text in texts {
            let read = Text::read(text).map_err(of_key)?;
            statements.push(read.statement(&mut used)?);
        }
        if let Some(place) = used.iter().position(|used| !used) {
            let why =
                format!("no statement has `${}`, the place of {}", place + 1, quoted(table, place));
            return Err(("parameters", Invalid::new(why)));
        }
        let parameter =
            |scalar: &thinktime_file::schema::Scalar| parameter(&scalar.text(), names, files);
        let parameters = table.parameters.iter().map(parameter).collect::<Result<_, _>>();
        let parameters = parameters.map_err(|error| ("parameters", error))?;
        let begin = table.transaction.as_ref().map(|_| Isolation::begin(table.isolation));
        Ok(Some((Sql { statements, begin }, Message::of_parameters(parameters))))
    }
}

/// Refuses keys that go with SQL only.
fn alone(table: &RequestTable) -> Keyed<()> {
    let why = || Invalid::new("goes with `sql` or `transaction` only");
    if !table.parameters.is_empty() {
        return Err(("parameters", why()));
    }
    table.isolation.map_or(Ok(()), |_| Err(("isolation", why())))
}

fn quoted(table: &RequestTable, place: usize) -> String {
    format!("the parameter `{}`", table.parameters[place].text())
}

/// A distribution, or a text that may have draws and values in braces.
fn parameter(text: &str, names: &[String], files: &dyn Files) -> Result<Template, Invalid> {
    if names.is_empty()
        && let Some(name) = braced_name(text)
    {
        return Err(Invalid::new(format!(
            "`{{{name}}}` is a value of the session, and sessions have none, by `data` or `take`; \
             an array is written `{{\"{name}\"}}`"
        )));
    }
    let law = text.split_once('(').map(|(name, _)| name.trim());
    if law.is_some_and(|law| ENTRIES.iter().any(|entry| entry.name == law)) {
        return Template::varying(text, Place::Plain, names, files);
    }
    Template::parse(text, Place::Plain, names, files)
}

impl Text<'_> {
    /// The statement with its parameters renumbered without a gap; those of the request's that it
    /// has are marked as `used`.
    fn statement(&self, used: &mut [bool]) -> Keyed<Statement> {
        let (mut text, mut parameters) = (String::with_capacity(self.whole.len()), Vec::new());
        let mut from = 0;
        for mark in &self.marks {
            let Some(used) =
                (mark.number - 1 < PARAMETERS_MAX).then(|| used.get_mut(mark.number - 1)).flatten()
            else {
                let given = used.len();
                let why =
                    format!("`${}` stands in a statement, and there are {given}", mark.number);
                return Err(("parameters", Invalid::new(why)));
            };
            *used = true;
            let place = mark.number - 1;
            let own = parameters.iter().position(|other| *other == place).unwrap_or_else(|| {
                parameters.push(place);
                parameters.len() - 1
            });
            text.push_str(&self.whole[from..mark.begin]);
            text.push_str(&format!("${}", own + 1));
            from = mark.end;
        }
        text.push_str(&self.whole[from..]);
        Ok(Statement { text, parameters })
    }
}

#[cfg(test)]
mod tests;
