//! Columns whose values show that they are dates: some programs call so what others call a
//! duration, as `requestTime`.

use super::column_names::{plain, without_mark};
use super::meanings::MEANINGS;
use crate::entry::Text;
use crate::time::{Clock, SECOND};

/// The begin of 2001, of which numbers of seconds and of finer units have their length.
const FIRST_S: i64 = 978_307_200;
/// Dates of one log lie no further apart, in seconds: three years. Durations differ by more.
const SPAN_MAX_S: i64 = 3 * 366 * 86_400;

/// Whether all values that are there are times: texts, or numbers since 1970.
pub(super) fn are_dates(values: &[Option<Text<'_>>]) -> bool {
    let mut clock = Clock::default();
    let there = values.iter().flatten().filter(|value| !value.is_empty());
    let dates: Option<Vec<i64>> = there.map(|value| date_s(value, &mut clock)).collect();
    let Some(dates) = dates.filter(|dates| !dates.is_empty()) else { return false };
    let (first, last) =
        dates.iter().fold((i64::MAX, 0), |(low, high), date| (low.min(*date), high.max(*date)));
    first >= FIRST_S && last - first <= SPAN_MAX_S
}

/// The seconds since 1970 of a date with all its digits.
fn date_s(value: &[u8], clock: &mut Clock) -> Option<i64> {
    let digits = value.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let is_number = value.iter().all(|byte| byte.is_ascii_digit() || *byte == b'.');
    let whole = !is_number || [10, 13, 16, 19].contains(&digits);
    (whole && value.len() >= 10).then(|| clock.any(value).ok())?.map(|stamp| stamp.ns / SECOND)
}

/// The names without those of durations whose values are dates, each replaced by an empty one; and
/// those names. What a mapping names says what it is.
pub(super) fn without_durations<'a>(
    names: &'a [String],
    mapping: Option<&str>,
    is_date: impl Fn(&str) -> bool,
) -> (Vec<String>, Vec<&'a str>) {
    let last = |name: &str| name.rsplit('.').next().map(plain);
    let is_duration = |name: &str| {
        let durations = MEANINGS.iter().filter(|one| one.key.starts_with("duration"));
        let mut usual = durations.flat_map(|meaning| meaning.usual);
        let ends = [Some(plain(name)), last(name), without_mark(name).map(plain)];
        usual.any(|known| ends.iter().flatten().any(|own| own == known && own.ends_with("time")))
    };
    let is_mapped = |name: &str| mapping.is_some_and(|mapping| mapping.contains(name));
    let dated: Vec<&str> = names
        .iter()
        .map(|name| &name[..])
        .filter(|name| is_duration(name) && !is_mapped(name) && is_date(name))
        .collect();
    let shown =
        |name: &String| if dated.contains(&&name[..]) { String::new() } else { name.clone() };
    (names.iter().map(shown).collect(), dated)
}

/// The only key whose values are all texts of a time, whatever its name.
pub(super) fn only<'a, 'v>(
    keys: &'a [String],
    values: impl Fn(&str) -> Vec<Option<Text<'v>>>,
) -> Option<&'a str> {
    let mut clock = Clock::default();
    let mut is_time = |value: Option<Text<'_>>| {
        value.is_some_and(|text| text.contains(&b':') && clock.any(&text).is_ok())
    };
    let mut times = keys.iter().filter(|key| values(key).into_iter().all(&mut is_time));
    times.next().filter(|_| times.next().is_none()).map(|key| &key[..])
}

/// What is said of such a key beside another time.
pub(super) fn doubt(format: &str, key: &str) -> String {
    format!(
        "the values of `{key}` are dates, and it is not taken for a duration; --format \
         {format}:time={key} takes it for the begin"
    )
}
