//! The request's time among the fields added behind a layout, by its form in the first lines.

use super::added::{Added, DECIDES, Word};
use crate::field::{Field, any_duration, unit_ns};
use crate::number::{decimal, integer};
use crate::time::{MILLISECOND, SECOND};

/// The place and the meaning of the request's time without a name, and what else the lines could
/// mean. A time with a unit says what it is.
pub(super) fn find(
    columns: &[Added<'_>],
    lines: &[Vec<Word<'_>>],
) -> (Option<(usize, Field)>, Option<String>) {
    let place = |column: &Added<'_>| column.place;
    // A unit may be a word of its own, as in `12.390 ms`.
    let unit = |column: &Added<'_>| {
        let next = columns.iter().find(|next| next.place == column.place + 1)?;
        let unit = unit_ns(next.first()?).filter(|unit| *unit <= SECOND)?;
        let is_number = column.most(|word| decimal(word, SECOND).is_some());
        // In some formats slow requests have another unit.
        let has_other = next.any(|word| unit_ns(word).is_some_and(|other| other != unit));
        let is_unit = next.most(|word| unit_ns(word) == Some(unit)) && !has_other;
        (is_number && is_unit).then_some(unit)
    };
    let apart = columns.iter().find_map(|column| Some((column.place, unit(column)?)));
    if let Some((place, unit)) = apart {
        return (Some((place, Field::Duration(unit))), None);
    }
    if let Some(column) = columns.iter().find(|column| column.most(has_unit)) {
        return (Some((column.place, Field::AnyDuration)), None);
    }
    let bare: Vec<_> = columns.iter().filter(|column| column.most(is_bare_time)).collect();
    if !bare.is_empty() {
        let (chosen, doubt) = longest(&bare, lines);
        return (Some((chosen.place, Field::Duration(SECOND))), doubt);
    }
    let of = |column| (Some((place(column), Field::Duration(SECOND))), None);
    if let Some(column) = only(columns, |word| is_seconds(word, 4)) {
        return of(column);
    }
    only(columns, |word| is_seconds(word, 6)).map_or((None, None), |column| {
        (of(column).0, Some(other(column, "that until the first byte, as Varnish's")))
    })
}

/// The same of a field with a name, as `rt=0.012`. nginx's times have digits after the point: those
/// of others may be in any unit.
pub(super) fn named(
    column: &Added<'_>,
    value_of: impl Fn(&[u8]) -> &[u8],
) -> (Option<(usize, Field)>, Option<String>) {
    let is_whole =
        |word: &[u8]| matches!(value_of(word), b"-") || integer(value_of(word)).is_some();
    if column.any(|word| !is_whole(word)) {
        let with_unit = column.most(|word| has_unit(value_of(word)));
        let field = if with_unit { Field::AnyDuration } else { Field::Duration(SECOND) };
        return (Some((column.place, field)), None);
    }
    let doubt = format!(
        "{} is a time in an unknown unit, and not used: in a LogFormat after --format \
         'apache:...' it is `%D` in microseconds, `%{{ms}}T` in milliseconds, `%T` in seconds",
        column.name()
    );
    (None, Some(doubt))
}

/// The only field that is so, if no other is a number: Rack's has four digits after the point, and
/// Gunicorn's `%(L)s` six. Beside others, six may be those of another time, as of Varnish's.
fn only<'a>(columns: &'a [Added<'a>], holds: impl Fn(&[u8]) -> bool) -> Option<&'a Added<'a>> {
    let is_number = |column: &&Added<'_>| column.most(|word| decimal(word, SECOND).is_some());
    let mut numbers = columns.iter().filter(is_number);
    let first = numbers.next()?;
    (numbers.next().is_none() && first.most(holds)).then_some(first)
}

/// The longest of several times in seconds: parts of the request's time are shorter.
fn longest<'a>(
    times: &[&'a Added<'a>],
    lines: &[Vec<Word<'_>>],
) -> (&'a Added<'a>, Option<String>) {
    let value = |line: &[Word<'_>], place: usize| {
        let ns = |part| decimal(part, SECOND).map_or(0, |ns| ns.0);
        line.get(place).map_or(0, |word| parts(word.text).map(ns).sum())
    };
    // nginx rounds each time for itself.
    let exceeds = |one: &Added<'_>, other: &Added<'_>| {
        lines.iter().any(|line| value(line, one.place) > value(line, other.place) + MILLISECOND)
    };
    let is_whole = |one: &&&Added<'_>| times.iter().all(|other| !exceeds(other, one));
    let Some(whole) = times.iter().copied().find(|one| is_whole(&one)) else {
        let doubt = format!(
            "{} is taken for the request's time in seconds, not {}; {DECIDES}",
            times[0].name(),
            times[1].name()
        );
        return (times[0], Some(doubt));
    };
    let mut ns: Vec<i64> = lines.iter().map(|line| value(line, whole.place)).collect();
    let middle = ns.len() / 2;
    let slow = *ns.select_nth_unstable(middle).1 >= SECOND;
    let name = whole.name();
    let doubt = match times.len() {
        _ if slow => Some(format!(
            "{name} is taken for the request's time in seconds, of which half of the first lines \
             have one or more; if it is in milliseconds, it is `%{{ms}}T` in a LogFormat after \
             --format 'apache:...'"
        )),
        1 if whole.any(|word| word == b"-" || is_list(word)) => Some(format!(
            "{name} is taken for the request's time, and some lines have none or several, as if it \
             were that of servers behind nginx; {DECIDES}"
        )),
        1 => Some(other(whole, "that of a server behind nginx ($upstream_response_time)")),
        _ => None,
    };
    (whole, doubt)
}

/// What else the only time behind a line could be.
fn other(column: &Added<'_>, reading: &str) -> String {
    let name = column.name();
    format!("{name} is taken for the request's time in seconds, and could be {reading}; {DECIDES}")
}

/// As nginx writes `$request_time`: always with three digits after the point. A day or more is no
/// request's time: `$msec`, the seconds since 1970, looks the same.
fn is_bare_time(word: &[u8]) -> bool {
    parts(word).all(|part| is_seconds(part, 3) || (part == b"-" && is_list(word)))
}

/// Whether this is a list of times, as of several servers behind nginx, which were tried one after
/// another: `0.002, 0.010`, or `0.002 : 0.010` after a redirect within nginx.
pub(super) fn is_list(word: &[u8]) -> bool {
    memchr::memchr2(b',', b':', word).is_some() && parts(word).all(is_time_or_none)
}

/// The times of a list.
pub(super) fn parts(word: &[u8]) -> impl Iterator<Item = &[u8]> {
    word.split(|byte| matches!(byte, b',' | b':')).map(<[u8]>::trim_ascii)
}

fn is_time_or_none(word: &[u8]) -> bool {
    word == b"-" || decimal(word, SECOND).is_some()
}

fn is_seconds(word: &[u8], wanted: usize) -> bool {
    const DAY: i64 = 86_400 * SECOND;
    let plain = word.iter().all(|byte| byte.is_ascii_digit() || *byte == b'.');
    let value = decimal(word, SECOND).filter(|_| plain);
    matches!(value, Some((0..DAY, digits)) if digits == wanted)
}

/// Whether this is a time with a unit, as in `12ms` or `1m2.5s`.
fn has_unit(word: &[u8]) -> bool {
    let begins = word.first().is_some_and(u8::is_ascii_digit);
    begins
        && integer(word).is_none()
        && decimal(word, SECOND).is_none()
        && any_duration(word).is_ok()
}
