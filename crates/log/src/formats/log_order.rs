//! The unit of whole numbers behind a line, by the order of lines: a server writes a line when its
//! request has ended, and Apache stamps it with the begin. Begin and duration together are then in
//! order along the file, and nothing else is: no other unit, and no size, port or count.

use super::added::{Added, DECIDES, Word};
use crate::field::Field;
use crate::number::integer;
use crate::time::{MICROSECOND, MILLISECOND, SECOND};

/// A line's own time: in nanoseconds since 1970, and the steps of its clock.
pub(super) type LineTime = Option<(i64, u64)>;

/// The units of `%D`, `%{ms}T` and `%T`, with their names, the finest first.
const UNITS: [(i64, &str); 3] =
    [(MICROSECOND, "microseconds"), (MILLISECOND, "milliseconds"), (SECOND, "seconds")];
/// A server may write the lines of two requests that end together in either order, in nanoseconds.
const SLACK: i64 = MILLISECOND;
/// The fewest lines out of order that speak against a reading, and how many times as many as those
/// that speak against the one that is taken.
const AGAINST_LEAST: usize = 12;
const AGAINST_TIMES: usize = 10;
/// The fewest requests of a second and more whose seconds and microseconds agree.
const SECONDS_LEAST: usize = 3;

/// The request's time among whole numbers.
#[derive(Debug, PartialEq)]
pub(super) struct Found {
    pub(super) place: usize,
    pub(super) field: Field,
    /// Whether the line's stamp is that of the request's begin.
    pub(super) begins: bool,
    /// What is said of it.
    pub(super) doubt: String,
}

/// The column that is the request's time by the order of these lines, or because another one has it
/// in seconds.
pub(super) fn find(
    columns: &[Added<'_>],
    times: &[LineTime],
    lines: &[Vec<Word<'_>>],
) -> Option<Found> {
    let whole = |column: &&Added<'_>| column.most(|word| integer(word).is_some());
    let series = columns.iter().filter(whole).map(|column| Series::of(column, times, lines));
    let series: Vec<Series<'_>> = series.collect();
    in_seconds_too(&series).or_else(|| by_order(&series))
}

/// A column's numbers with the times of their lines.
struct Series<'a> {
    column: &'a Added<'a>,
    /// The number of a line, if it has one.
    numbers: Vec<Option<u64>>,
    /// The times and numbers of lines that have both, in nanoseconds and in the column's unit.
    pairs: Vec<(i64, i64)>,
    /// The steps of the stamps, in nanoseconds.
    steps_ns: i64,
}

impl<'a> Series<'a> {
    fn of(column: &'a Added<'a>, times: &[LineTime], lines: &[Vec<Word<'_>>]) -> Series<'a> {
        let number = |line: &Vec<Word<'_>>| integer(line.get(column.place)?.text);
        let numbers: Vec<Option<u64>> = lines.iter().map(number).collect();
        let both = times
            .iter()
            .zip(&numbers)
            .filter_map(|(time, number)| Some(((*time)?.0, i64::try_from((*number)?).ok()?)));
        let pairs = both.collect();
        let steps = times.iter().flatten().map(|time| time.1).min();
        let steps_ns = steps.and_then(|steps| i64::try_from(steps).ok()).unwrap_or(SECOND);
        Series { column, numbers, pairs, steps_ns }
    }

    /// The lines that would come after one that ended later, if numbers are durations in `unit`,
    /// times a factor. Stamps and numbers are rounded down.
    fn out_of_order(&self, unit: i64, (times, over): (i64, i64)) -> usize {
        let tolerance = self.steps_ns.saturating_add(unit + SLACK);
        let (mut latest, mut count) = (i64::MIN, 0);
        for (begin, number) in &self.pairs {
            let duration = number.saturating_mul(unit).saturating_mul(times) / over;
            let end = begin.saturating_add(duration);
            count += usize::from(latest.saturating_sub(end) >= tolerance);
            latest = latest.max(end);
        }
        count
    }

    /// Whether numbers are durations in this unit. Stamps alone must be out of order, and so must
    /// they be with half and with twice the durations: sizes that grow with durations are not both.
    fn fits(&self, unit: i64) -> bool {
        let against = [(0, 1), (1, 2), (2, 1)].map(|factor| self.out_of_order(unit, factor));
        let least = against.into_iter().min().unwrap_or(0);
        least >= AGAINST_LEAST && AGAINST_TIMES * self.out_of_order(unit, (1, 1)) <= least
    }

    /// Whether the other column has the same durations in microseconds, and this one in seconds.
    fn is_seconds_of(&self, other: &Series<'_>) -> bool {
        let pairs = || {
            let both = self.numbers.iter().zip(&other.numbers);
            both.filter_map(|(seconds, micros)| Some(((*seconds)?, (*micros)?)))
        };
        let long = pairs().filter(|(seconds, _)| *seconds > 0).count();
        long >= SECONDS_LEAST && pairs().all(|(seconds, micros)| seconds == micros / 1_000_000)
    }
}

/// Microseconds beside the same in seconds, as Apache's `%T %D`. Gunicorn's have these names, too,
/// and its stamps are those of the end: the order of lines says so.
fn in_seconds_too(series: &[Series<'_>]) -> Option<Found> {
    let pair = |micros| Some((micros, series.iter().find(|one| one.is_seconds_of(micros))?));
    let (micros, seconds) = series.iter().find_map(pair)?;
    let with = micros.out_of_order(MICROSECOND, (1, 1));
    let alone = micros.out_of_order(MICROSECOND, (0, 1));
    let ends = with >= AGAINST_LEAST && AGAINST_TIMES * alone <= with;
    let doubt = format!(
        "{} is taken for the request's time in microseconds, since {} is the same in seconds; \
         {DECIDES}",
        micros.column.name(),
        seconds.column.name()
    );
    Some(Found {
        place: micros.column.place,
        field: Field::Duration(MICROSECOND),
        begins: !ends,
        doubt,
    })
}

/// The only column and unit that fits; of two that are the same, the finer one.
fn by_order(series: &[Series<'_>]) -> Option<Found> {
    let all = series.iter().flat_map(|one| UNITS.iter().map(move |unit| (one, *unit)));
    let mut fitting: Vec<_> = all.filter(|(one, unit)| one.fits(unit.0)).collect();
    fitting.sort_by_key(|(_, unit)| unit.0);
    let (finest, (unit, name)) = *fitting.first()?;
    let is_same = |(other, (coarse, _)): &(&Series<'_>, (i64, &str))| {
        let both = finest.numbers.iter().zip(&other.numbers);
        let mut pairs = both.filter_map(|(fine, coarse)| Some(((*fine)?, (*coarse)?)));
        let ratio = u64::try_from(coarse / unit).unwrap_or(1);
        std::ptr::eq(finest, *other) && ratio == 1
            || pairs.all(|(fine, coarse)| fine / ratio == coarse)
    };
    if !fitting.iter().all(is_same) {
        return None;
    }
    let doubt = format!(
        "{} is taken for the request's time in {name}, since begins and such times together are in \
         the order of the lines, and in no other unit; {DECIDES}",
        finest.column.name()
    );
    Some(Found { place: finest.column.place, field: Field::Duration(unit), begins: true, doubt })
}

#[cfg(test)]
mod tests {
    use thinktime_core::random::{Purpose, Stream};

    use super::*;
    use crate::formats::{Choice, Head, find as find_format};

    /// The words behind the line of a request, by its number.
    type Words = fn(usize, (i64, i64, u64)) -> String;

    /// Requests in the order in which they end: begin and end in nanoseconds, and the size.
    fn requests(seed: u64, count: usize, gap_s: f64, mean_s: f64) -> Vec<(i64, i64, u64)> {
        let mut stream = Stream::new(seed, 0, Purpose::Target);
        let mut exponential = |mean: f64| -mean * (1.0 - stream.uniform()).ln();
        let mut at = 1.79e9;
        let request = |_| {
            at += exponential(gap_s);
            let duration = exponential(mean_s);
            // Longer answers take longer.
            let size = 2e4 * duration / mean_s + exponential(1e4);
            ((at * 1e9) as i64, ((at + duration) * 1e9) as i64, size as u64)
        };
        let mut all: Vec<_> = (0..count).map(request).collect();
        all.sort_by_key(|one| one.1);
        all
    }

    /// What is found in lines with these words behind them, with stamps of these steps.
    fn found(
        requests: &[(i64, i64, u64)],
        steps: i64,
        of_end: bool,
        words: impl Fn(usize, (i64, i64, u64)) -> String,
    ) -> Option<Found> {
        let texts: Vec<String> =
            requests.iter().enumerate().map(|(n, one)| words(n, *one)).collect();
        let word = |text| Word { text, quoted: false };
        let split = |text: &'static str| text.split(' ').map(|one| word(one.as_bytes())).collect();
        let lines: Vec<Vec<Word<'_>>> =
            texts.into_iter().map(|text| split(Box::leak(text.into_boxed_str()))).collect();
        let columns: Vec<_> = (0..4).filter_map(|place| Added::of_most(place, &lines)).collect();
        let time = |one: &(i64, i64, u64)| {
            let at = if of_end { one.1 } else { one.0 };
            Some((at / steps * steps, u64::try_from(steps).unwrap()))
        };
        let times: Vec<LineTime> = requests.iter().map(time).collect();
        find(&columns, &times, &lines)
    }

    fn taken(one: (i64, i64, u64), unit: i64) -> i64 {
        (one.1 - one.0) / unit
    }

    #[test]
    fn the_order_of_lines_tells_the_unit() {
        for seed in 0..10 {
            let fine = requests(seed, 1500, 0.005, 0.1);
            let coarse = requests(seed, 1500, 0.2, 4.0);
            for (unit, _) in UNITS.into_iter().take(2) {
                for (all, steps) in [(&fine, MILLISECOND), (&coarse, SECOND)] {
                    let found = found(all, steps, false, |_, one| {
                        format!("{} {}", one.2, taken(one, unit))
                    });
                    let found = found.unwrap();
                    assert_eq!((found.place, found.begins), (1, true));
                    assert_eq!(found.field, Field::Duration(unit), "{seed} {steps}");
                    assert!(found.doubt.contains("--format"), "{}", found.doubt);
                }
            }
        }
    }

    #[test]
    fn what_is_no_duration_is_not_taken_for_one() {
        let words: [Words; 10] = [
            |_, one| one.2.to_string(),
            |_, one| format!("{} {}", one.2, one.2 + 300),
            |n, _| (1024 + 7919 * n % 60_000).to_string(),
            |n, _| (1024 + n).to_string(),
            |n, _| if n % 9 == 0 { "404" } else { "200" }.to_owned(),
            |n, _| [3001, 3002, 3017, 4410][n * 7 % 4].to_string(),
            |n, _| (n * n % 7).to_string(),
            |_, one| (one.1 / SECOND).to_string(),
            |_, _| "443".to_owned(),
            // Durations in a unit that no server writes.
            |_, one| taken(one, 100 * MICROSECOND).to_string(),
        ];
        for seed in 0..10 {
            let fine = requests(seed, 1500, 0.005, 0.1);
            let coarse = requests(seed, 1500, 0.2, 4.0);
            for (all, steps) in [(&fine, MILLISECOND), (&fine, SECOND), (&coarse, SECOND)] {
                for (kind, words) in words.iter().enumerate() {
                    assert_eq!(found(all, steps, false, words), None, "{kind} {seed} {steps}");
                    assert_eq!(found(all, steps, true, words), None, "{kind} {seed} {steps}");
                }
            }
            // Stamps of the end are in order by themselves.
            let micros = |_, one| taken(one, MICROSECOND).to_string();
            assert_eq!(found(&fine, MILLISECOND, true, micros), None);
            // All durations are within the steps of the clock.
            assert_eq!(found(&fine, SECOND, false, micros), None);
        }
    }

    #[test]
    fn seconds_beside_microseconds_tell_the_unit() {
        let all = requests(1, 200, 0.2, 1.0);
        for of_end in [false, true] {
            let both = |_, one| format!("{} x {}", taken(one, SECOND), taken(one, MICROSECOND));
            let found = found(&all, SECOND, of_end, both).unwrap();
            assert_eq!((found.place, found.begins), (2, !of_end));
            assert!(found.doubt.contains("since field 1 of those added"), "{}", found.doubt);
        }
        // No request took a second.
        let brief = requests(1, 200, 0.2, 0.01);
        let both = |_, one| format!("{} {}", taken(one, SECOND), taken(one, MICROSECOND));
        assert_eq!(found(&brief, SECOND, false, both), None);
    }

    #[test]
    fn apaches_begins_stay_begins() {
        let all = requests(3, 1500, 0.2, 4.0);
        let line = |one: &(i64, i64, u64)| {
            let (minute, second) = (one.0 / SECOND / 60 % 60, one.0 / SECOND % 60);
            format!(
                "192.0.2.7 - - [22/Nov/2026:10:{minute:02}:{second:02} +0000] \"GET / HTTP/1.1\" \
                 200 {} \"-\" \"a\" {}\n",
                one.2,
                taken(*one, MICROSECOND)
            )
        };
        let text: String = all.iter().map(line).collect();
        let (_, format) = find_format(&Head::new(text.as_bytes()), &Choice::default()).unwrap();
        let mut clock = crate::time::Clock::default();
        for (line, one) in text.lines().zip(&all) {
            let mut taken_ns = None;
            let read = format.read(line.as_bytes(), &mut clock, &mut |entry| {
                taken_ns = Some((entry.time_ns % (60 * SECOND), entry.duration.unwrap().0));
            });
            read.unwrap();
            let duration = u64::try_from(taken(*one, MICROSECOND) * MICROSECOND).unwrap();
            assert_eq!(taken_ns, Some((one.0 / SECOND % 60 * SECOND, duration)));
        }
        assert_eq!(format.doubts().len(), 1);
    }
}
