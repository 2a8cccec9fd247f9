//! Keys of usual names whose values say something else, beside another key of the same meaning
//! whose values fit: `time` with durations beside `timestamp`, `status` with words beside
//! `status_code`.

use super::column_names::{plain, without_mark};
use super::dates::are_dates;
use super::meanings::{MEANINGS, Meaning};
use crate::entry::Text;
use crate::field::Field;
use crate::number::{decimal, integer};
use crate::time::SECOND;

/// The names without those keys, each replaced by an empty one. What a mapping names says what it
/// is.
pub(super) fn without<'v>(
    names: Vec<String>,
    mapping: Option<&str>,
    values: impl Fn(&str) -> Vec<Option<Text<'v>>>,
) -> Vec<String> {
    let is_mapped = |name: &str| mapping.is_some_and(|mapping| mapping.contains(name));
    let mut names = names;
    for Kind { is_of, fits, speaks_against } in KINDS {
        let is_of = |place: &usize| !is_mapped(&names[*place]) && is_of(&names[*place]);
        let places: Vec<usize> = (0..names.len()).filter(is_of).collect();
        let held: Vec<_> = places.iter().map(|place| values(&names[*place])).collect();
        if held.iter().any(|values| fits(values)) {
            let others = places.iter().zip(&held).filter(|(_, held)| speaks_against(held));
            others.for_each(|(place, _)| names[*place].clear());
        }
    }
    names
}

type Test = fn(&[Option<Text<'_>>]) -> bool;

/// A meaning of which a key may have the name alone.
struct Kind {
    is_of: fn(&str) -> bool,
    /// Whether values have it.
    fits: Test,
    /// Whether values have another one.
    speaks_against: Test,
}

const KINDS: [Kind; 2] = [
    Kind {
        is_of: |name| is_usual(name, |meaning| meaning.field == Field::AnyTime),
        fits: are_dates,
        // A day, or a time of day, is a part of a time.
        speaks_against: |values| are_numbers(values) && !are_dates(values),
    },
    Kind {
        is_of: |name| is_usual(name, |meaning| meaning.field == Field::Status),
        fits: are_statuses,
        speaks_against: |values| !are_statuses(values),
    },
];

/// Whether a name, or its end behind groups, is usual for a meaning.
fn is_usual(name: &str, is_meant: impl Fn(&Meaning) -> bool) -> bool {
    let last = name.rsplit('.').next().map(plain);
    let ends = [Some(plain(name)), last, without_mark(name).map(plain)];
    let mut usual = MEANINGS.iter().filter(|one| is_meant(one)).flat_map(|one| one.usual);
    usual.any(|known| ends.iter().flatten().any(|own| own == known))
}

fn are_statuses(values: &[Option<Text<'_>>]) -> bool {
    all(values, |value| matches!(integer(value), Some(100..=999)))
}

fn are_numbers(values: &[Option<Text<'_>>]) -> bool {
    all(values, |value| decimal(value, SECOND).is_some())
}

/// Whether all values that are there are so, and some are there.
fn all(values: &[Option<Text<'_>>], is_so: impl Fn(&[u8]) -> bool) -> bool {
    let mut there = values.iter().flatten().filter(|value| !matches!(&value[..], b"" | b"-"));
    there.clone().next().is_some() && there.all(|value| is_so(value))
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use super::*;

    /// The names that are left of keys with these values.
    fn left(keys: &[(&str, &str)], mapping: Option<&str>) -> Vec<String> {
        let names = keys.iter().map(|(name, _)| (*name).to_owned()).collect();
        let value = |name: &str| keys.iter().find(|key| key.0 == name).map(|key| key.1);
        let values = |name: &str| vec![value(name).map(|text| Cow::Borrowed(text.as_bytes()))];
        without(names, mapping, values)
    }

    #[test]
    fn values_decide_between_keys_of_one_meaning() {
        let stamp = "2026-11-22T10:00:00Z";
        assert_eq!(left(&[("time", "0.12"), ("timestamp", stamp)], None), ["", "timestamp"]);
        assert_eq!(left(&[("time", "12"), ("a.ts", "1795341600123")], None), ["", "a.ts"]);
        assert_eq!(left(&[("status", "ok"), ("status_code", "200")], None), ["", "status_code"]);
        // Nothing is better, or the user has said it.
        assert_eq!(left(&[("time", "0.12"), ("date", "0.3")], None), ["time", "date"]);
        assert_eq!(left(&[("status", "ok"), ("code", "x")], None), ["status", "code"]);
        let mapping = Some("time=time");
        assert_eq!(left(&[("time", "0.12"), ("timestamp", stamp)], mapping)[0], "time");
        // A day and a time of day are both parts of one.
        assert_eq!(left(&[("date", "2026-11-22"), ("time", "10:00:00")], None), ["date", "time"]);
    }
}
