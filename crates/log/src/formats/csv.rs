//! CSV with a header, and Parquet, which arrives here as text.

use std::borrow::Cow;
use std::sync::Arc;

use thinktime_core::error::Invalid;

use super::column_names::{Resolved, resolve, unit_open};
use super::{Format, FormatEntry, FormatOptions, Head, Take, dates, misnomers};
use crate::entry::Text;
use crate::field::{Draft, Field};
use crate::reason::Reason;
use crate::source::PARQUET_SEPARATOR;
use crate::time::Clock;

pub(super) static KNOWN: FormatEntry = FormatEntry {
    name: "csv",
    summary: "CSV whose header names the columns, with commas, semicolons, tabs or bars",
    source: "https://www.rfc-editor.org/rfc/rfc4180",
    example: include_str!("examples/csv.csv"),
    argument: Some("csv:time=ts,user=ip"),
    open: |head, wanted| {
        let Some(line) = header(head) else { return Ok(None) };
        // The most frequent separator in the header.
        let count = |byte: &u8| line.iter().filter(|other| *other == byte).count();
        let separators = [PARQUET_SEPARATOR, b'|', b'\t', b';', b','];
        let separator = separators.into_iter().max_by_key(count).unwrap_or(b',');
        open(head, line, separator, wanted)
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
            open(head, line, PARQUET_SEPARATOR, wanted)
        }
        _ => Ok(None),
    },
};

fn header<'a>(head: &Head<'a>) -> Option<&'a [u8]> {
    head.lines().find(|line| !line.is_empty())
}

fn open(
    head: &Head<'_>,
    header: &[u8],
    separator: u8,
    wanted: &FormatOptions<'_>,
) -> Result<Option<Arc<dyn Format>>, Invalid> {
    let names: Vec<String> = Cells { rest: Some(header), separator }
        .map_while(Result::ok)
        .map(|cell| String::from_utf8_lossy(&cell).trim().to_owned())
        .collect();
    let values = |name: &str| {
        let place = names.iter().position(|own| own == name);
        place.map_or_else(Vec::new, |place| column(head, separator, place))
    };
    let is_date = |name: &str| dates::are_dates(&values(name));
    let (told, dated) = dates::without_durations(&names, wanted.argument, is_date);
    let told = misnomers::without(told, wanted.argument, values);
    let mut resolved = resolve(&told, wanted.argument, wanted.user, false)?;
    if let (false, Some(key)) = (resolved.timed, dated.first()) {
        let mapping = format!("{},time={key}", wanted.argument.unwrap_or(""));
        resolved = resolve(&names, Some(&mapping), wanted.user, false)?;
    }
    if !resolved.timed {
        return Ok(None);
    }
    let header = header.to_owned();
    let unused = |(_, column): &(&String, &(Field, bool))| column.0 == Field::Skip && !column.1;
    let unused_fields = names.iter().zip(&resolved.columns).filter(unused);
    let unused_fields = unused_fields.map(|(name, _)| name.clone()).filter(|name| !name.is_empty());
    let unused_fields = unused_fields.collect();
    let unit_open = names.iter().zip(&resolved.columns).any(|(name, of)| unit_open(name, &of.0));
    let of_method = |column: &(Field, bool)| matches!(column.0, Field::Method | Field::Request);
    let tells_method = resolved.columns.iter().any(of_method);
    Ok(Some(Arc::new(Csv { separator, header, resolved, unused_fields, unit_open, tells_method })))
}

/// The values of a column in the first lines.
fn column<'a>(head: &Head<'a>, separator: u8, place: usize) -> Vec<Option<Text<'a>>> {
    let lines = head.lines().filter(|line| !line.is_empty()).skip(1).take(LINES_TRIED);
    let cells = |line| Cells { rest: Some(line), separator };
    lines.map(|line| cells(line).nth(place).and_then(Result::ok)).collect()
}

/// The lines whose values are tried.
const LINES_TRIED: usize = 20;

/// Lines with the columns that the header has named.
#[derive(Debug)]
struct Csv {
    separator: u8,
    header: Vec<u8>,
    resolved: Resolved,
    unused_fields: Vec<String>,
    unit_open: bool,
    /// Whether a column has the method, or the request line.
    tells_method: bool,
}

/// The method for tables without one: they list pages.
const GET: &[u8] = b"GET";

impl Format for Csv {
    fn read(&self, line: &[u8], clock: &mut Clock, take: &mut Take<'_>) -> Result<(), Reason> {
        if line == self.header {
            return Ok(());
        }
        let mut draft = Draft::default();
        if !self.tells_method {
            draft.entry.method = GET.into();
        }
        let mut cells = Cells { rest: Some(line), separator: self.separator };
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
        take(draft.finish(self.resolved.ends, clock)?);
        Ok(())
    }

    fn unused_fields(&self) -> Vec<String> {
        self.unused_fields.clone()
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
        let rest = self.rest?;
        if let Some(inner) = rest.strip_prefix(b"\"") {
            return Some(self.quoted(inner));
        }
        let end = memchr::memchr(self.separator, rest);
        self.rest = end.map(|end| &rest[end + 1..]);
        Some(Ok(Cow::Borrowed(&rest[..end.unwrap_or(rest.len())])))
    }
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
                    self.rest = match after.split_first() {
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
        assert_eq!(cells("\"\",\"\"\"x\"\"\",").unwrap(), ["", "\"x\"", ""]);
        assert_eq!(cells("\"a\"\"b\"").unwrap(), ["a\"b"]);
        assert_eq!(cells("\"a"), Err(Reason::NotThisFormat));
        assert_eq!(cells("\"a\"b,c"), Err(Reason::NotThisFormat));
    }
}
