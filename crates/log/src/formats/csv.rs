//! Columns between separators, and Parquet, which arrives here as text.

mod untitled;

use std::borrow::Cow;
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

pub(super) static KNOWN: FormatEntry = FormatEntry {
    name: "csv",
    summary: "columns between commas, semicolons, tabs or bars, best with a header that names them",
    source: "https://www.rfc-editor.org/rfc/rfc4180",
    example: include_str!("examples/csv.csv"),
    argument: Some("csv:time=ts,user=ip"),
    open: |head, wanted| {
        let Some(line) = header(head) else { return Ok(None) };
        let table = Table::titled(line, separator(line));
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
            Table::titled(line, PARQUET_SEPARATOR).open(head, wanted, PARQUET.name)
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
    fn titled(header: &[u8], separator: u8) -> Table {
        let names = header.strip_prefix(b"#").unwrap_or(header);
        let names = Cells { rest: Some(names), separator }
            .map_while(Result::ok)
            .map(|cell| String::from_utf8_lossy(&cell).trim().to_owned())
            .collect();
        Table { separator, header: Some(header.to_owned()), names }
    }

    /// The reader of a file by the names of its columns; values decide where names do not.
    fn open(
        self,
        head: &Head<'_>,
        wanted: &FormatOptions<'_>,
        format: &str,
    ) -> Result<Option<Arc<dyn Format>>, Invalid> {
        let names = &self.names;
        let values = |name: &str| {
            let place = names.iter().position(|own| own == name);
            place.map_or_else(Vec::new, |place| self.column(head, place, LINES_TRIED))
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

    /// The values of a column in the first lines.
    fn column<'a>(&self, head: &Head<'a>, place: usize, most: usize) -> Vec<Option<Text<'a>>> {
        let cells = |line| Cells { rest: Some(line), separator: self.separator };
        let lines = self.lines(head).take(most);
        lines.map(|line| cells(line).nth(place).and_then(Result::ok)).collect()
    }

    /// The first lines behind the header.
    fn lines<'a>(&self, head: &Head<'a>) -> impl Iterator<Item = &'a [u8]> {
        let titles = usize::from(self.header.is_some());
        head.lines().filter(|line| !line.is_empty()).skip(titles)
    }
}

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

/// The values of a line.
struct Cells<'a> {
    rest: Option<&'a [u8]>,
    separator: u8,
}

impl<'a> Iterator for Cells<'a> {
    type Item = Result<Text<'a>, Reason>;

    fn next(&mut self) -> Option<Self::Item> {
        let rest = without_spaces(self.rest?);
        if let Some(inner) = rest.strip_prefix(b"\"") {
            // Nothing follows a bad value.
            self.rest = None;
            return Some(self.quoted(inner));
        }
        let end = memchr::memchr(self.separator, rest);
        self.rest = end.map(|end| &rest[end + 1..]);
        Some(Ok(Cow::Borrowed(rest[..end.unwrap_or(rest.len())].trim_ascii_end())))
    }
}

/// A text without the spaces before it, which some programs write around separators.
fn without_spaces(mut text: &[u8]) -> &[u8] {
    while let [b' ', rest @ ..] = text {
        text = rest;
    }
    text
}

impl<'a> Cells<'a> {
    /// A value after its first quote, up to a quote that is not doubled.
    fn quoted(&mut self, inner: &'a [u8]) -> Result<Text<'a>, Reason> {
        let mut value = Cow::Borrowed(&inner[..0]);
        let mut rest = inner;
        loop {
            let end = memchr::memchr(b'"', rest).ok_or(Reason::NotThisFormat)?;
            let after = &rest[end + 1..];
            if value.is_empty() {
                value = Cow::Borrowed(&rest[..end]);
            } else {
                value.to_mut().extend_from_slice(&rest[..end]);
            }
            match after.strip_prefix(b"\"") {
                Some(more) => {
                    value.to_mut().push(b'"');
                    rest = more;
                }
                None => {
                    self.rest = match without_spaces(after).split_first() {
                        None => None,
                        Some((byte, more)) if *byte == self.separator => Some(more),
                        Some(_) => return Err(Reason::NotThisFormat),
                    };
                    return Ok(value);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cells(line: &str) -> Result<Vec<String>, Reason> {
        let cells = Cells { rest: Some(line.as_bytes()), separator: b',' };
        cells.map(|cell| Ok(String::from_utf8(cell?.to_vec()).unwrap())).collect()
    }

    #[test]
    fn lines_are_split_as_rfc_4180_says() {
        assert_eq!(cells("a,,\"b,c\"").unwrap(), ["a", "", "b,c"]);
        assert_eq!(cells(" a b , \"c \" ,").unwrap(), ["a b", "c ", ""]);
        assert_eq!(cells("\"\",\"\"\"x\"\"\",").unwrap(), ["", "\"x\"", ""]);
        assert_eq!(cells("\"a\"\"b\"").unwrap(), ["a\"b"]);
        assert_eq!(cells("\"a"), Err(Reason::NotThisFormat));
        assert_eq!(cells("\"a\"b,c"), Err(Reason::NotThisFormat));
        let bad = Cells { rest: Some(b"\"a\" b;\"c\""), separator: b';' };
        assert_eq!(bad.take(9).count(), 1, "a bad value is the last one");
    }
}
