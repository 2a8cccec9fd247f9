//! Rows as JSON: a list of objects, whose keys are the names of the columns.

use fallible_iterator::FallibleIterator;
use postgres_protocol::message::backend::{DataRowBody, RowDescriptionBody};
use serde_json::Value;

use super::PostgresError;

/// Rows of one statement, as a text of JSON.
#[derive(Debug, Default)]
pub struct Rows {
    /// For each column, its name as a text of JSON, and the form of its values.
    columns: Vec<(String, Kind)>,
    json: Vec<u8>,
    /// The most bytes of it.
    limit: usize,
    cut: bool,
}

/// The form of a column's values in JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Number,
    Truth,
    Json,
    Text,
}

impl Kind {
    /// For a type by its number (PostgreSQL's `pg_type.dat`).
    fn of(number: u32) -> Kind {
        match number {
            16 => Kind::Truth,
            20 | 21 | 23 | 26 | 700 | 701 | 1700 => Kind::Number,
            114 | 3802 => Kind::Json,
            _ => Kind::Text,
        }
    }
}

impl Rows {
    /// No rows yet, with a limit in bytes.
    pub(super) fn of(limit: usize) -> Rows {
        Rows { limit, ..Rows::default() }
    }

    /// The answer of a statement begins, with these columns.
    pub(super) fn columns(&mut self, body: &RowDescriptionBody) -> Result<(), PostgresError> {
        let named = |field: postgres_protocol::message::backend::Field<'_>| {
            Ok((Value::from(field.name()).to_string(), Kind::of(field.type_oid())))
        };
        self.columns = body.fields().map(named).collect()?;
        self.json.clear();
        self.cut = false;
        Ok(())
    }

    /// A row is too long to be read.
    pub(super) fn skip(&mut self) {
        self.cut = true;
    }

    pub(super) fn row(&mut self, body: &DataRowBody) -> Result<(), PostgresError> {
        if self.cut {
            return Ok(());
        }
        let before = self.json.len();
        let mut separator = if before == 0 { "[{" } else { ",{" };
        let (mut ranges, mut columns) = (body.ranges(), self.columns.iter());
        while let Some(range) = ranges.next()? {
            let (name, kind) = columns.next().ok_or(PostgresError::Malformed)?;
            self.json.extend_from_slice(separator.as_bytes());
            self.json.extend_from_slice(name.as_bytes());
            self.json.push(b':');
            let value = range.map(|range| &body.buffer()[range]);
            kind.write(value, &mut self.json);
            separator = ",";
        }
        if separator != "," {
            self.json.extend_from_slice(separator.as_bytes());
        }
        self.json.push(b'}');
        if self.json.len() >= self.limit {
            self.json.truncate(before);
            self.cut = true;
        }
        Ok(())
    }

    /// The text, and whether rows are missing for lack of room.
    pub(super) fn take(&mut self) -> (Vec<u8>, bool) {
        let mut json = std::mem::take(&mut self.json);
        json.extend_from_slice(if json.is_empty() { b"[]" } else { b"]" });
        (json, std::mem::take(&mut self.cut))
    }
}

impl Kind {
    fn write(self, value: Option<&[u8]>, out: &mut Vec<u8>) {
        let Some(value) = value else { return out.extend_from_slice(b"null") };
        match self {
            Kind::Truth => out.extend_from_slice(if value == b"t" { b"true" } else { b"false" }),
            // NaN and infinity are texts, as in PostgreSQL's own JSON.
            Kind::Number | Kind::Json if serde_json::from_slice::<Value>(value).is_ok() => {
                out.extend_from_slice(value);
            }
            _ => {
                let text = Value::from(String::from_utf8_lossy(value)).to_string();
                out.extend_from_slice(text.as_bytes());
            }
        }
    }
}
