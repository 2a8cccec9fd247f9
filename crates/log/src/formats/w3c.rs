//! The extended log file format of the W3C (WD-logfile-960323): `#Fields` names the columns, at the
//! begin and at each change.

use std::sync::Arc;

use thinktime_core::error::{Invalid, unknown};

use super::{Format, FormatOptions, Head, Take};
use crate::field::{Draft, Field};
use crate::reason::Reason;
use crate::text::percent_decode;
use crate::time::{Clock, MILLISECOND, SECOND};

/// A server's form of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Dialect {
    /// The separator of values.
    pub(super) separator: u8,
    /// Whether spaces in values are written as `+`.
    pub(super) plus: bool,
    /// The unit of `time-taken`, in nanoseconds.
    pub(super) time_taken: i64,
}

/// Tabs, and seconds.
pub(super) const CLOUDFRONT: Dialect =
    Dialect { separator: b'\t', plus: false, time_taken: SECOND };
/// Spaces, and milliseconds.
pub(super) const IIS: Dialect = Dialect { separator: b' ', plus: true, time_taken: MILLISECOND };

/// Lines with the columns that the last `#Fields` has named.
#[derive(Debug)]
pub(super) struct W3c {
    dialect: Dialect,
    /// The meaning of each column, and whether it identifies the user.
    columns: Vec<(Field, bool)>,
    user: Option<String>,
    unused_fields: Vec<String>,
}

const FIELDS: &[u8] = b"#Fields:";

/// The reader of a file whose begin names columns.
pub(super) fn open(
    dialect: Dialect,
    head: &Head<'_>,
    wanted: &FormatOptions<'_>,
) -> Result<Option<Arc<dyn Format>>, Invalid> {
    let Some(line) = head.lines().find(|line| line.starts_with(FIELDS)) else { return Ok(None) };
    let format = W3c::new(dialect, line, wanted.user.map(str::to_owned));
    if let Some(user) = wanted.user
        && !format.columns.iter().any(|column| column.1)
    {
        let line = String::from_utf8_lossy(&line[FIELDS.len()..]);
        return Err(unknown("field for the user", user, line.split_whitespace()));
    }
    Ok(Some(Arc::new(format)))
}

impl W3c {
    fn new(dialect: Dialect, line: &[u8], user: Option<String>) -> W3c {
        let names = line[FIELDS.len()..].split(u8::is_ascii_whitespace);
        let column = |name: &[u8]| {
            let name = String::from_utf8_lossy(name).to_ascii_lowercase();
            let is_user = user.as_ref().is_some_and(|user| user.eq_ignore_ascii_case(&name));
            let field = match field(&name, dialect) {
                Field::User if user.is_some() => Field::Skip,
                field => field,
            };
            (field, is_user)
        };
        let names: Vec<&[u8]> = names.filter(|name| !name.is_empty()).collect();
        let columns: Vec<(Field, bool)> = names.iter().map(|name| column(name)).collect();
        let unused =
            names.iter().zip(&columns).filter(|(_, (field, user))| !user && *field == Field::Skip);
        let unused_fields =
            unused.map(|(name, _)| String::from_utf8_lossy(name).into_owned()).collect();
        W3c { dialect, columns, user, unused_fields }
    }
}

/// The meaning of a column, by its name in lower case.
fn field(name: &str, dialect: Dialect) -> Field {
    match name {
        "date" => Field::Date,
        "time" => Field::TimeOfDay,
        "timestamp" => Field::Epoch(SECOND),
        "timestamp(ms)" => Field::Epoch(MILLISECOND),
        "time-taken" => Field::Duration(dialect.time_taken),
        "c-ip" => Field::Address,
        "x-forwarded-for" | "cs(x-forwarded-for)" => Field::Forwarded,
        "cs(user-agent)" => Field::Agent,
        "cs(referer)" => Field::Referrer,
        "cs-username" => Field::User,
        "cs-method" => Field::Method,
        "cs-host" | "cs(host)" | "x-host-header" => Field::Host,
        "cs-uri-stem" | "cs-uri" => Field::Url,
        "cs-uri-query" => Field::Query,
        "cs-version" | "cs-protocol-version" => Field::Protocol,
        "sc-status" => Field::Status,
        "sc-bytes" => Field::Bytes,
        _ => Field::Skip,
    }
}

impl Format for W3c {
    fn read(&self, line: &[u8], clock: &mut Clock, take: &mut Take<'_>) -> Result<(), Reason> {
        let mut draft = Draft::default();
        let mut rest = Some(line);
        for (field, is_user) in &self.columns {
            let raw = rest.ok_or(Reason::NotThisFormat)?;
            let end = memchr::memchr(self.dialect.separator, raw);
            rest = end.map(|end| &raw[end + 1..]);
            if *field == Field::Skip && !is_user {
                continue;
            }
            let raw = &raw[..end.unwrap_or(raw.len())];
            let value = match field {
                Field::Agent | Field::Referrer => percent_decode(raw, self.dialect.plus),
                _ => raw.into(),
            };
            if *is_user {
                draft.set_user(&value);
            }
            draft.set(field, value, clock)?;
        }
        // The time is that of the request's end.
        take(draft.finish(true)?);
        Ok(())
    }

    fn unused_fields(&self) -> Vec<String> {
        self.unused_fields.clone()
    }

    fn has_directives(&self) -> bool {
        true
    }

    fn directive(&self, line: &[u8]) -> Option<Arc<dyn Format>> {
        let format = || W3c::new(self.dialect, line, self.user.clone());
        line.starts_with(FIELDS).then(|| Arc::new(format()) as Arc<dyn Format>)
    }
}
