//! Tables without a header: columns have numbers, and their meanings follow from the values of all
//! of the first lines.

use std::sync::Arc;

use thinktime_core::error::Invalid;

use super::cells::Cells;
use super::{COLUMNS_MAX, Csv, SEPARATORS, Table};
use crate::field::Field;
use crate::formats::by_values::{self, Found, Open};
use crate::formats::column_names::{mapped, resolve};
use crate::formats::dates::are_dates;
use crate::formats::{Format, FormatOptions, Head};
use crate::reason::example;
use crate::source::PARQUET_SEPARATOR;

/// The lines whose values decide.
const LINES_TRIED: usize = 2000;
/// A table with fewer columns is no log.
const COLUMNS_LEAST: usize = 4;
/// The meanings of columns, in the order in which they are looked for.
const KEYS: [&str; 12] = [
    "stamp",
    "request",
    "method",
    "url",
    "status",
    "address",
    "forwarded",
    "duration",
    "protocol",
    "agent",
    "referrer",
    "host",
];

/// Whether the line that should name the columns has values: a time, or no name of the mapping's.
pub(super) fn has_values(table: &Table, argument: Option<&str>) -> bool {
    let is_number = |name: &str| !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_digit());
    // The reader that is opened next reports a wrong mapping.
    let given = mapped(argument).unwrap_or_default();
    let has = |name: &String| table.names.iter().any(|own| own == name);
    let by_number =
        !given.is_empty() && given.iter().all(|(_, name)| is_number(name) && !has(name));
    by_number || table.names.iter().any(|name| is_time(name))
}

/// Whether a text is a time: with its day, or that of a day alone.
fn is_time(text: &str) -> bool {
    are_dates(&[Some(text.as_bytes().into())]) || (is_time_of_day(text.as_bytes()))
}

fn is_time_of_day(text: &[u8]) -> bool {
    let digits = text.iter().take(8).filter(|byte| byte.is_ascii_digit()).count();
    text.len() >= 8 && text[2] == b':' && text[5] == b':' && digits == 6
}

/// The reader of a file by the values of its columns.
pub(super) fn open(
    head: &Head<'_>,
    wanted: &FormatOptions<'_>,
) -> Result<Option<Arc<dyn Format>>, Invalid> {
    let Some(table) = table(head) else { return Ok(None) };
    let given = mapped(wanted.argument)?;
    let is_free = |name: &&String| {
        given.iter().all(|(_, column)| column != *name) && wanted.user != Some(&name[..])
    };
    let open: Vec<Open<'_>> = (table.names.iter().zip(table.columns(head, LINES_TRIED)))
        .filter(|(name, _)| is_free(name))
        .map(|(name, values)| Open { name, values })
        .collect();
    let mut found = by_values::find(&lacking(&given, wanted), &open);
    if found.iter().any(|one| one.key == "request") {
        found.retain(|one| !["method", "url", "protocol"].contains(&one.key));
    }
    let doubts = doubts(&found, &open);
    let pairs = found.iter().map(|one| format!("{}={}", one.key, one.name));
    let given = wanted.argument.map(str::to_owned);
    let mapping: Vec<String> = given.into_iter().chain(pairs).collect();
    let mut resolved = resolve(&table.names, Some(&mapping.join(",")), wanted.user, true)?;
    // The time of day beside the day.
    let is_rest = |one: &&Open<'_>| one.values.iter().flatten().all(|value| is_time_of_day(value));
    let timed = resolved.columns.iter().position(|(field, _)| *field == Field::AnyTime);
    if let (Some(rest), Some(day)) = (open.iter().find(is_rest), timed)
        && table.columns(head, 1)[day].iter().flatten().all(|value| by_values::is_day(value))
        && let Some(rest) = place(&table, rest.name)
    {
        resolved.columns[rest].0 = Field::DayOrTime;
    }
    let is_whole = resolved.lacking().iter().all(|key| ["request", "method"].contains(key));
    Ok((resolved.timed && is_whole).then(|| Arc::new(Csv::new(table, resolved, doubts)) as Arc<_>))
}

fn place(table: &Table, name: &str) -> Option<usize> {
    table.names.iter().position(|own| own == name)
}

/// The columns by number, with the separator that gives most lines the same number of them.
fn table(head: &Head<'_>) -> Option<Table> {
    let lines: Vec<&[u8]> =
        head.lines().filter(|line| !line.is_empty() && line[0] != b'#').take(LINES_TRIED).collect();
    let columns = |separator: u8| {
        let count = |line: &&[u8]| Cells { rest: Some(line), separator }.count();
        let mut counts: Vec<usize> = lines.iter().map(count).collect();
        counts.sort_unstable();
        let middle = counts.get(counts.len() / 2).copied().unwrap_or(0);
        let alike = counts.iter().filter(|one| **one == middle).count();
        let is_table = 10 * alike >= 9 * counts.len();
        is_table.then_some(middle).filter(|one| (COLUMNS_LEAST..=COLUMNS_MAX).contains(one))
    };
    let separators = SEPARATORS.into_iter().filter(|one| *one != PARQUET_SEPARATOR);
    let (count, separator) = separators.filter_map(|one| Some((columns(one)?, one))).max()?;
    let names = (1..=count).map(|number| number.to_string()).collect();
    Some(Table { separator, header: None, names })
}

/// The meanings that the user has not given to a column.
fn lacking(given: &[(Field, String)], wanted: &FormatOptions<'_>) -> Vec<&'static str> {
    let has = |fields: &[Field]| given.iter().any(|(field, _)| fields.contains(field));
    let timed = has(&[Field::AnyTime]);
    let requested = has(&[Field::Request, Field::Url]);
    let lasts =
        given.iter().any(|(field, _)| matches!(field, Field::AnyDuration | Field::Duration(_)));
    let is_open = |key: &&'static str| match *key {
        "stamp" => !timed,
        "request" | "url" => !requested,
        "method" => !has(&[Field::Method, Field::Request]),
        "status" => !has(&[Field::Status]),
        "address" => !has(&[Field::Address, Field::User]) && wanted.user.is_none(),
        "duration" => !lasts,
        _ => true,
    };
    KEYS.into_iter().filter(is_open).collect()
}

/// What else the columns could be, and the options that decide.
fn doubts(found: &[Found<'_>], open: &[Open<'_>]) -> Vec<String> {
    let column = |name: &str| open.iter().find(|one| one.name == name);
    let several = found.iter().filter_map(|one| {
        let other = one.other?;
        let key = one.key;
        Some(format!(
            "column {} is taken as the {}, not column {other}; --format csv:{key}={other} takes it",
            one.name,
            if key == "stamp" { "time" } else { key }
        ))
    });
    let mut doubts: Vec<String> = several.collect();
    let of = |key: &str| found.iter().find(|one| one.key == key);
    if let (Some(time), Some(duration)) = (of("stamp"), of("duration"))
        && !column(duration.name).is_some_and(Open::is_of_nginx)
    {
        doubts.push(format!(
            "column {} is taken as the time of the request's end; --format csv:time={} takes it \
             for the begin",
            time.name, time.name
        ));
    }
    let is_open = |one: &&Open<'_>| found.iter().all(|found| found.name != one.name);
    let whole = open.iter().filter(is_open).filter(|one| one.is_whole());
    doubts.extend(whole.map(|one| {
        let shown = one.values.iter().flatten().next().map_or(String::new(), |text| example(text));
        format!(
            "column {} (`{shown}`) has whole numbers, and is not used; --format csv:bytes={} or \
             csv:duration_ms={} says what it is",
            one.name, one.name, one.name
        )
    }));
    doubts
}
