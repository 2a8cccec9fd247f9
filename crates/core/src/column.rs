//! Columns of numbers.

use serde_json::{Map, Value};
use thinktime_file::error::{Invalid, unknown};
use toml::value::{Datetime, Offset};

/// The numbers of one column of a table.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Column {
    /// Its name in the table; `None` if the table names no columns.
    pub name: Option<String>,
    /// Its values, from the top.
    pub numbers: Vec<f64>,
    /// Whether they are stamps, in seconds since 1970.
    pub are_stamps: bool,
}

impl Column {
    /// The same, whose values are no stamps; `file` is for the message.
    ///
    /// # Errors
    /// If they are stamps.
    pub fn without_stamps(self, file: &str) -> Result<Column, Invalid> {
        if self.are_stamps {
            let name = self.name.map_or_else(String::new, |name| format!(" `{name}`"));
            return Err(Invalid::new(format!(
                "{file}: the column{name} has stamps, where numbers belong: name another column"
            )));
        }
        Ok(self)
    }
}

/// The values of a column so far, which are all numbers or all stamps.
#[derive(Default)]
struct Values {
    numbers: Vec<f64>,
    are_stamps: bool,
}

impl Values {
    fn add(&mut self, field: &str, file: &str, line: usize) -> Result<(), Invalid> {
        let number = field.parse().ok();
        let value = number.or_else(|| stamp_s(field));
        let first = self.numbers.is_empty();
        let alike = first || self.are_stamps == number.is_none();
        let Some(value) = value.filter(|_| alike) else {
            let kind = if self.are_stamps { "stamp" } else { "number" };
            return Err(Invalid::new(format!("{file}:{line}: `{field}` is not a {kind}")));
        };
        self.are_stamps = number.is_none();
        self.numbers.push(value);
        Ok(())
    }
}

/// Reads one column of comma-separated values, or of JSON lines. Values are numbers, or stamps such
/// as `2026-11-30 08:15:00.25`, which count from 1970 in seconds. Of comma-separated values a first
/// line that does not begin with a value names the columns; lines that are empty or begin with `#`
/// are skipped.
///
/// # Errors
/// When there is no such column, a value is neither a number nor a stamp, or some are the one and
/// some the other.
pub fn numbers_of(text: &str, file: &str, column: Option<&str>) -> Result<Column, Invalid> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let lines = text.lines().map(str::trim).zip(1usize..);
    let mut lines = lines.filter(|(line, _)| !line.is_empty() && !line.starts_with('#')).peekable();
    if lines.peek().is_some_and(|(line, _)| line.starts_with('{')) {
        return members_of(lines, file, column);
    }
    let fields = |line: &str| line.split(',').map(|one| one.trim().to_owned()).collect::<Vec<_>>();
    let is_value = |field: &str| field.parse::<f64>().is_ok() || stamp_s(field).is_some();
    let header = lines.next_if(|(line, _)| !is_value(&fields(line)[0]));
    let names = header.map(|(line, _)| fields(line));
    let place = match (&names, column) {
        (_, None) => 0,
        (Some(names), Some(name)) => {
            names.iter().position(|other| other == name).ok_or_else(|| {
                let error = unknown("column", name, names.iter().map(String::as_str));
                Invalid::new(format!("{file}: {error}"))
            })?
        }
        (None, Some(name)) => {
            return Err(Invalid::new(format!("{file}: has no line that names `{name}`")));
        }
    };
    let mut values = Values::default();
    for (line, at) in lines {
        // A line that is too short has an empty field there, which is refused as no number.
        values.add(&fields(line).into_iter().nth(place).unwrap_or_default(), file, at)?;
    }
    let name = names.map(|mut names| names.swap_remove(place));
    Ok(Column { name, numbers: values.numbers, are_stamps: values.are_stamps })
}

/// A member of JSON objects, one a line.
fn members_of<'a>(
    lines: impl Iterator<Item = (&'a str, usize)>,
    file: &str,
    column: Option<&str>,
) -> Result<Column, Invalid> {
    let Some(name) = column else {
        return Err(Invalid::new(format!(
            "{file}: has lines of JSON: name the member, as in column=timestamp"
        )));
    };
    let mut values = Values::default();
    for (line, at) in lines {
        let object: Map<String, Value> = serde_json::from_str(line)
            .map_err(|error| Invalid::new(format!("{file}:{at}: is no JSON object: {error}")))?;
        let value = object.get(name).ok_or_else(|| {
            let error = unknown("column", name, object.keys().map(String::as_str));
            Invalid::new(format!("{file}:{at}: {error}"))
        })?;
        match value.as_str() {
            Some(text) => values.add(text, file, at)?,
            None => values.add(&value.to_string(), file, at)?,
        }
    }
    let Values { numbers, are_stamps } = values;
    Ok(Column { name: Some(name.to_owned()), numbers, are_stamps })
}

/// The seconds from 1970 to a stamp, which is of Greenwich unless it has an offset.
fn stamp_s(field: &str) -> Option<f64> {
    let Datetime { date: Some(date), time: Some(time), offset } = field.parse().ok()? else {
        return None;
    };
    let offset_min = match offset {
        Some(Offset::Custom { minutes }) => i64::from(minutes),
        Some(Offset::Z) | None => 0,
    };
    let days = days_since_1970(date.year.into(), date.month.into(), date.day.into());
    let minutes = (days * 24 + i64::from(time.hour)) * 60 + i64::from(time.minute) - offset_min;
    let seconds = minutes * 60 + i64::from(time.second.unwrap_or(0));
    Some(seconds as f64 + f64::from(time.nanosecond.unwrap_or(0)) * 1e-9)
}

/// By years that begin with March, of which four hundred have the same number of days.
fn days_since_1970(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let of_years = year * 365 + year / 4 - year / 100 + year / 400;
    of_years + of_year - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(text: &str, column: Option<&str>) -> Result<Vec<f64>, String> {
        let found = numbers_of(text, "f", column).map_err(|error| error.to_string())?;
        Ok(found.numbers)
    }

    #[test]
    fn stamps_are_seconds_since_1970() {
        // By `date -u -d ... +%s.%N`.
        for (stamp, seconds) in [
            ("1970-01-01T00:00:00Z", 0.0),
            ("2000-02-29 12:00:00", 951_825_600.0),
            ("2023-11-16 18:17:03.9799600", 1_700_158_623.979_96),
            ("2024-05-10 02:00:00.009930+02:00", 1_715_299_200.009_93),
            ("2100-03-01 00:00:00", 4_107_542_400.0),
        ] {
            assert_eq!(stamp_s(stamp), Some(seconds), "{stamp}");
        }
        assert_eq!(stamp_s("2023-11-16"), None);
        assert_eq!(stamp_s("18:17:03"), None);
    }

    #[test]
    fn a_trace_of_stamps_has_its_header_or_none() {
        let lines = "2023-11-16 18:17:03,9\n2023-11-16 18:17:04.5,8\n";
        let named = format!("TIMESTAMP,ContextTokens\n{lines}");
        let times = Ok(vec![1_700_158_623.0, 1_700_158_624.5]);
        assert_eq!(numbers(lines, None), times);
        assert_eq!(numbers(&named, Some("TIMESTAMP")), times);
        assert_eq!(numbers(&named, Some("ContextTokens")), Ok(vec![9.0, 8.0]));
        let marked = format!("\u{feff}{named}");
        assert_eq!(numbers(&marked, Some("TIMESTAMP")), times);
        let mixed = numbers(&format!("{lines}5,7\n"), None).unwrap_err();
        assert!(mixed.contains("f:3: `5` is not a stamp"), "{mixed}");
        let refused = numbers_of(&named, "f", None).unwrap().without_stamps("f").unwrap_err();
        assert!(refused.to_string().contains("the column `TIMESTAMP` has stamps"), "{refused}");
    }

    #[test]
    fn lines_of_json_have_members() {
        let lines = "{\"timestamp\": 0, \"input_length\": 6955, \"hash_ids\": [1, 2]}\n\
                     {\"timestamp\": 3052, \"input_length\": 6472}\n";
        assert_eq!(numbers(lines, Some("timestamp")), Ok(vec![0.0, 3052.0]));
        assert_eq!(numbers(lines, Some("input_length")), Ok(vec![6955.0, 6472.0]));
        let error = |text: &str, column| numbers(text, column).unwrap_err();
        assert!(error(lines, None).contains("name the member"));
        assert!(error(lines, Some("input")).contains("f:1: unknown column `input`"));
        assert!(error(lines, Some("hash_ids")).contains("f:1: `[1,2]` is not a number"));
        assert!(error("{\"a\": 1}\nx", Some("a")).contains("f:2: is no JSON object"));
    }
}
