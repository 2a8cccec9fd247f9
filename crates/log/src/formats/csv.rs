//! Columns between separators, and Parquet, which arrives here as text.

mod cells;
mod untitled;

use std::sync::Arc;

use thinktime_core::error::Invalid;

use super::by_values::{self, Open};
use super::column_names::{Resolved, resolve, unit_open};
use super::{Format, FormatEntry, FormatOptions, Head, Take, dates, misnomers};
use crate::entry::Text;
use crate::field::{Draft, Field};
use crate::reason::Reason;
use crate::source::PARQUET_SEPARATOR;
use crate::time::Clock;
use cells::Cells;

pub(super) static KNOWN: FormatEntry = FormatEntry {
    name: "csv",
    summary: "columns between commas, semicolons, tabs or bars, best with a header that names them",
    source: "https://www.rfc-editor.org/rfc/rfc4180",
    example: include_str!("examples/csv.csv"),
    argument: Some("csv:time=ts,user=ip"),
    open: |head, wanted| {
        let Some(line) = header(head) else { return Ok(None) };
        let table = Table::titled(line, separator(line))?;
        if untitled::has_values(&table, wanted.argument) {
            return untitled::open(head, wanted);
        }
        table.open(head, wanted, KNOWN.name)
    },
};

pub(super) static PARQUET: FormatEntry = FormatEntry {
    name: "parquet",
    summary: "Parquet whose columns have names",
    source: "https://parquet.apache.org/docs/file-format/",
    example: "",
    argument: Some("parquet:time=ts,user=ip"),
    open: |head, wanted| match header(head) {
        Some(line) if line.contains(&PARQUET_SEPARATOR) => {
            Table::titled(line, PARQUET_SEPARATOR)?.open(head, wanted, PARQUET.name)
        }
        _ => Ok(None),
    },
};

/// The separators of columns; the last of equally frequent ones is taken.
const SEPARATORS: [u8; 8] = [PARQUET_SEPARATOR, 0x01, b'^', b'~', b'|', b'\t', b';', b','];

/// The most frequent separator in the header.
fn separator(line: &[u8]) -> u8 {
    let count = |byte: &u8| line.iter().filter(|other| *other == byte).count();
    SEPARATORS.into_iter().max_by_key(count).unwrap_or(b',')
}

fn header<'a>(head: &Head<'a>) -> Option<&'a [u8]> {
    head.lines().find(|line| !line.is_empty())
}

/// The columns of a file.
#[derive(Clone, Debug)]
struct Table {
    separator: u8,
    /// The line that names the columns, if there is one.
    header: Option<Vec<u8>>,
    names: Vec<String>,
}

impl Table {
    /// The columns that a line names. Some programs write it as a comment.
    ///
    /// # Errors
    /// If they are more than [`COLUMNS_MAX`].
    fn titled(header: &[u8], separator: u8) -> Result<Table, Invalid> {
        let names = header.strip_prefix(b"#").unwrap_or(header);
        let names: Vec<String> = Cells { rest: Some(names), separator }
            .map_while(Result::ok)
            .map(|cell| String::from_utf8_lossy(&cell).trim().to_owned())
            .take(COLUMNS_MAX + 1)
            .collect();
        if names.len() > COLUMNS_MAX {
            return Err(Invalid::new(format!("the table has more than {COLUMNS_MAX} columns")));
        }
        Ok(Table { separator, header: Some(header.to_owned()), names })
    }

    /// The reader of a file by the names of its columns; values decide where names do not.
    fn open(
        self,
        head: &Head<'_>,
        wanted: &FormatOptions<'_>,
        format: &str,
    ) -> Result<Option<Arc<dyn Format>>, Invalid> {
        let names = &self.names;
        let columns = self.columns(head, LINES_TRIED);
        let values = |name: &str| {
            let place = names.iter().position(|own| own == name);
            place.map_or_else(Vec::new, |place| columns[place].clone())
        };
        let is_date = |name: &str| dates::are_dates(&values(name));
        let (told, dated) = dates::without_durations(names, wanted.argument, is_date);
        let told = misnomers::without(told, wanted.argument, values);
        let mut resolved = resolve(&told, wanted.argument, wanted.user, false)?;
        if let (false, Some(key)) = (resolved.timed, dated.first()) {
            let mapping = format!("{},time={key}", wanted.argument.unwrap_or(""));
            resolved = resolve(names, Some(&mapping), wanted.user, false)?;
        }
        // Columns of Parquet have types, and names that somebody chose.
        let (mapping, doubts) = match format == KNOWN.name && self.separator != PARQUET_SEPARATOR {
            true => self.completed(&resolved, wanted, values),
            false => (None, Vec::new()),
        };
        if let Some(mapping) = mapping {
            resolved = resolve(&told, Some(&mapping), wanted.user, false)?;
        }
        if !resolved.timed {
            return Ok(None);
        }
        Ok(Some(Arc::new(Csv::new(self, resolved, doubts))))
    }

    /// The mapping with the columns that every request has and no usual name explains, if values
    /// do; and what else they could be.
    fn completed<'v>(
        &self,
        resolved: &Resolved,
        wanted: &FormatOptions<'_>,
        values: impl Fn(&str) -> Vec<Option<Text<'v>>>,
    ) -> (Option<String>, Vec<String>) {
        let lacking = resolved.lacking();
        let columns = self.names.iter().zip(&resolved.columns);
        let open: Vec<Open<'_>> = columns
            .filter(|(name, (field, user))| !name.is_empty() && !user && *field == Field::Skip)
            .map(|(name, _)| Open { name, values: values(name) })
            .collect();
        let found = by_values::find(&lacking, &open);
        if found.is_empty() {
            return (None, Vec::new());
        }
        let pairs = found.iter().map(|one| format!("{}={}", one.key, one.name));
        let given = wanted.argument.map(str::to_owned);
        let all: Vec<String> = given.into_iter().chain(pairs).collect();
        let doubts = found.iter().map(|one| one.doubt(KNOWN.name)).collect();
        (Some(all.join(",")), doubts)
    }

    /// The values of each column in the first lines; a short line lacks the last ones.
    fn columns<'a>(&self, head: &Head<'a>, most: usize) -> Vec<Vec<Option<Text<'a>>>> {
        let mut columns = vec![Vec::new(); self.names.len()];
        for line in self.lines(head).take(most) {
            let mut cells = Cells { rest: Some(line), separator: self.separator };
            for column in &mut columns {
                column.push(cells.next().and_then(Result::ok));
            }
        }
        columns
    }

    /// The first lines behind the header.
    fn lines<'a>(&self, head: &Head<'a>) -> impl Iterator<Item = &'a [u8]> {
        let titles = usize::from(self.header.is_some());
        head.lines().filter(|line| !line.is_empty()).skip(titles)
    }
}

/// A table with more columns is no log.
const COLUMNS_MAX: usize = 1000;
/// The lines whose values are tried.
const LINES_TRIED: usize = 20;

/// Lines with the columns of a table.
#[derive(Debug)]
struct Csv {
    table: Table,
    resolved: Resolved,
    unused_fields: Vec<String>,
    unit_open: bool,
    /// Whether a column has the method, or the request line.
    tells_method: bool,
    doubts: Vec<String>,
}

impl Csv {
    fn new(table: Table, resolved: Resolved, doubts: Vec<String>) -> Csv {
        let columns = || table.names.iter().zip(&resolved.columns);
        let is_unused = |(name, (field, user)): &(&String, &(Field, bool))| {
            *field == Field::Skip && !user && !name.is_empty()
        };
        let unused_fields =
            columns().filter(is_unused).map(|(name, _)| name.clone()).collect::<Vec<_>>();
        let unit_open = columns().any(|(name, of)| unit_open(name, &of.0));
        let of_method = |column: &(Field, bool)| matches!(column.0, Field::Method | Field::Request);
        let tells_method = resolved.columns.iter().any(of_method);
        Csv { table, resolved, unused_fields, unit_open, tells_method, doubts }
    }
}

/// The method for tables without one: they list pages.
const GET: &[u8] = b"GET";

impl Format for Csv {
    fn read(&self, line: &[u8], clock: &mut Clock, take: &mut Take<'_>) -> Result<(), Reason> {
        if self.table.header.as_deref() == Some(line) {
            return Ok(());
        }
        let mut draft = Draft::default();
        if !self.tells_method {
            draft.entry.method = GET.into();
        }
        let mut cells = Cells { rest: Some(line), separator: self.table.separator };
        for (field, is_user) in &self.resolved.columns {
            let value = cells.next().ok_or(Reason::NotThisFormat)??;
            if *is_user {
                draft.set_user(&value);
            }
            // A gap is a `-` in other formats.
            if *field != Field::Skip && (!value.is_empty() || *field == Field::AnyTime) {
                draft.set(field, value, clock)?;
            }
        }
        // Without names nothing else says that a value has the separator in it.
        if self.table.header.is_none() && cells.next().is_some() {
            return Err(Reason::NotThisFormat);
        }
        take(draft.finish(self.resolved.ends, clock)?);
        Ok(())
    }

    fn unused_fields(&self) -> Vec<String> {
        self.unused_fields.clone()
    }

    fn doubts(&self) -> Vec<String> {
        self.doubts.clone()
    }

    fn unit_open(&self) -> bool {
        self.unit_open
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_many_words_between_bars_is_no_table() {
        let options = FormatOptions { argument: None, user: None };
        let opened = |columns: usize| {
            let line = format!("time{}\n", "|ip".repeat(columns - 1));
            (KNOWN.open)(&Head::new(line.as_bytes()), &options)
        };
        assert!(opened(COLUMNS_MAX).unwrap().is_some());
        let message = opened(COLUMNS_MAX + 1).unwrap_err().to_string();
        assert_eq!(message, "the table has more than 1000 columns");
    }
}
