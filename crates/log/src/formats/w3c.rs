//! The extended log file format of the W3C (WD-logfile-960323): `#Fields` names the columns, at the
//! begin and at each change.

use std::sync::Arc;

use thinktime_core::error::{Invalid, unknown};

use super::column_names::mapped;
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
    /// Whether other programs that write it have another unit.
    pub(super) unit_varies: bool,
    /// Whether times are those of the begin.
    pub(super) begins: bool,
    /// The begin of the line that names the columns.
    pub(super) fields: &'static [u8],
}

/// Tabs, and seconds.
pub(super) const CLOUDFRONT: Dialect = Dialect {
    separator: b'\t',
    plus: false,
    time_taken: SECOND,
    unit_varies: false,
    begins: false,
    fields: FIELDS,
};
/// Spaces, and milliseconds.
pub(super) const IIS: Dialect = Dialect {
    separator: b' ',
    plus: true,
    time_taken: MILLISECOND,
    unit_varies: true,
    begins: false,
    fields: FIELDS,
};
/// Tabs, and no duration.
pub(super) const ZEEK: Dialect = Dialect { fields: b"#fields\t", ..CLOUDFRONT };

/// Lines with the columns that the last `#Fields` has named.
#[derive(Debug)]
pub(super) struct W3c {
    dialect: Dialect,
    /// The meaning of each column up to the last one that is used, and whether it identifies the
    /// user.
    columns: Vec<(Field, bool)>,
    wanted: Wanted,
    unused_fields: Vec<String>,
    doubts: Vec<String>,
}

/// The user's choices of columns.
#[derive(Clone, Debug)]
struct Wanted {
    user: Option<String>,
    /// Meanings of columns by their names.
    meanings: Vec<(Field, String)>,
}

const FIELDS: &[u8] = b"#Fields:";
const SOFTWARE: &[u8] = b"#Software:";
/// The duration's column.
const TIME_TAKEN: &str = "time-taken";
/// The programs whose `time-taken` is in milliseconds; the W3C's draft has seconds.
const OF_MILLISECONDS: [&str; 2] = ["microsoft", "sgos"];

/// The reader of a file whose begin names columns.
pub(super) fn open(
    dialect: Dialect,
    head: &Head<'_>,
    wanted: &FormatOptions<'_>,
) -> Result<Option<Arc<dyn Format>>, Invalid> {
    let Some(line) = head.lines().find(|line| line.starts_with(dialect.fields)) else {
        return Ok(None);
    };
    let names = String::from_utf8_lossy(&line[dialect.fields.len()..]);
    let meanings = mapped(wanted.argument)?;
    let lacks = |wanted: &str| !names.split_whitespace().any(|name| same(name, wanted));
    if let Some((_, column)) = meanings.iter().find(|(_, column)| lacks(column)) {
        return Err(unknown("column", column, names.split_whitespace()));
    }
    if let Some(user) = wanted.user.filter(|user| lacks(user)) {
        return Err(unknown("field for the user", user, names.split_whitespace()));
    }
    let (time_taken, doubt) = unit(dialect, head, &names);
    let is_given = |(_, column): &(Field, String)| same(column, TIME_TAKEN);
    let doubt = doubt.filter(|_| !meanings.iter().any(is_given));
    let wanted = Wanted { user: wanted.user.map(str::to_owned), meanings };
    let begins = of_aspnet(head);
    let mut format = W3c::new(Dialect { time_taken, begins, ..dialect }, line, wanted);
    format.doubts.extend(doubt);
    Ok(Some(Arc::new(format)))
}

fn same(name: &str, other: &str) -> bool {
    name.eq_ignore_ascii_case(other)
}

/// Whether ASP.NET Core's logger wrote the file: it names its start and no program. Its times are
/// those of the begin, and its milliseconds have a fraction.
/// <https://learn.microsoft.com/en-us/aspnet/core/fundamentals/w3c-logger/>
fn of_aspnet(head: &Head<'_>) -> bool {
    let has = |mark: &[u8]| head.lines().any(|line| line.starts_with(mark));
    has(b"#Start-Date:") && !has(SOFTWARE)
}

/// The unit of `time-taken`, and whether it could be another one: a fraction is one of seconds, and
/// most programs besides Microsoft's keep to the W3C's seconds.
fn unit(dialect: Dialect, head: &Head<'_>, names: &str) -> (i64, Option<String>) {
    let place = names.split_whitespace().position(|name| same(name, TIME_TAKEN));
    let Some(place) = place.filter(|_| dialect.unit_varies) else {
        return (dialect.time_taken, None);
    };
    let software = head.lines().find_map(|line| line.strip_prefix(SOFTWARE));
    let software = software.map(|name| String::from_utf8_lossy(name).to_lowercase());
    let has = |part: &&str| software.as_ref().is_some_and(|name| name.contains(*part));
    if OF_MILLISECONDS.iter().any(has) || of_aspnet(head) {
        return (MILLISECOND, None);
    }
    let value = |line: &'_ [u8]| {
        line.split(|byte| *byte == dialect.separator)
            .nth(place)
            .is_some_and(|one| one.contains(&b'.'))
    };
    if head.lines().filter(|line| !line.starts_with(b"#")).any(value) {
        return (SECOND, None);
    }
    let (unit, taken, other) = match software {
        Some(_) => (SECOND, "seconds, as the W3C has them", "duration_ms"),
        None => (MILLISECOND, "milliseconds, as IIS has them", "duration_s"),
    };
    let other_unit = if unit == SECOND { "milliseconds" } else { "seconds" };
    let doubt = format!(
        "time-taken is taken for {taken}: nothing in the file says so; if it has \
         {other_unit}: --format iis:{other}={TIME_TAKEN}"
    );
    (unit, Some(doubt))
}

impl W3c {
    fn new(dialect: Dialect, line: &[u8], wanted: Wanted) -> W3c {
        let names = String::from_utf8_lossy(&line[dialect.fields.len()..]).into_owned();
        let names: Vec<&str> = names.split_ascii_whitespace().collect();
        let has_response_size = names.iter().any(|name| same(name, "sc-bytes"));
        let column = |name: &str| {
            let is_user = wanted.user.as_ref().is_some_and(|user| same(user, name));
            let given = wanted.meanings.iter().find(|(_, column)| same(column, name));
            let field = match field(&name.to_ascii_lowercase(), dialect) {
                Field::User if wanted.user.is_some() => Field::Skip,
                Field::Bytes if has_response_size && !same(name, "sc-bytes") => Field::Skip,
                field => field,
            };
            (given.map_or(field, |given| given.0.clone()), is_user)
        };
        let mut columns: Vec<(Field, bool)> = names.iter().map(|name| column(name)).collect();
        let unused =
            names.iter().zip(&columns).filter(|(_, (field, user))| !user && *field == Field::Skip);
        let unused_fields = unused.map(|(name, _)| (*name).to_owned()).collect();
        // Lines may lack columns behind these: servers add columns without a new directive.
        let used = columns.iter().rposition(|(field, user)| *user || *field != Field::Skip);
        columns.truncate(used.map_or(0, |last| last + 1));
        W3c { dialect, columns, wanted, unused_fields, doubts: Vec::new() }
    }
}

/// The meaning of a column, by its name in lower case.
fn field(name: &str, dialect: Dialect) -> Field {
    match name {
        "date" => Field::Date,
        "time" => Field::TimeOfDay,
        "timestamp" | "ts" => Field::Epoch(SECOND),
        "timestamp(ms)" => Field::Epoch(MILLISECOND),
        TIME_TAKEN => Field::Duration(dialect.time_taken),
        "c-ip" | "id.orig_h" => Field::Address,
        "x-forwarded-for" | "cs(x-forwarded-for)" => Field::Forwarded,
        "cs(user-agent)" | "user_agent" => Field::Agent,
        "cs(referer)" | "referrer" => Field::Referrer,
        "cs-username" | "username" => Field::User,
        "cs-method" | "method" => Field::Method,
        "cs-host" | "host" | "cs(host)" | "x-host-header" => Field::Host,
        "cs-uri-stem" | "cs-uri" | "uri" => Field::Url,
        "cs-uri-query" => Field::Query,
        "cs-version" | "cs-protocol-version" => Field::Protocol,
        "sc-status" | "status_code" => Field::Status,
        "sc-bytes" | "bytes" | "response_body_len" => Field::Bytes,
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
        take(draft.finish(!self.dialect.begins, clock)?);
        Ok(())
    }

    fn unused_fields(&self) -> Vec<String> {
        self.unused_fields.clone()
    }

    fn doubts(&self) -> Vec<String> {
        self.doubts.clone()
    }

    fn has_directives(&self) -> bool {
        true
    }

    fn directive(&self, line: &[u8]) -> Option<Arc<dyn Format>> {
        let format = || W3c::new(self.dialect, line, self.wanted.clone());
        line.starts_with(self.dialect.fields).then(|| Arc::new(format()) as Arc<dyn Format>)
    }
}
