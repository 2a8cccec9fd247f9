//! The times of logs as nanoseconds since 1970.

mod asctime;
mod calendar;
mod pattern;

pub(crate) use calendar::day_ns;
pub(crate) use pattern::{Parts, Pattern};

use crate::number::{decimal, digit, integer, two_digits};
use crate::reason::Reason;

/// A second in nanoseconds.
pub(crate) const SECOND: i64 = 1_000_000_000;
/// A millisecond in nanoseconds.
pub(crate) const MILLISECOND: i64 = 1_000_000;
/// A microsecond in nanoseconds.
pub(crate) const MICROSECOND: i64 = 1_000;

/// A point in time, with the resolution of its clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stamp {
    /// Nanoseconds since 1970-01-01 00:00 UTC.
    pub ns: i64,
    /// The resolution, in nanoseconds.
    pub resolution_ns: u64,
}

/// Reads times. It remembers the last day, because the next line mostly has the same one.
#[derive(Debug, Default)]
pub(crate) struct Clock {
    /// The time before a line, as a container's log has it, for lines without one.
    pub(crate) outer: Option<Stamp>,
    clf_date: [u8; 12],
    clf_zone: [u8; 6],
    clf_ns: i64,
    iso_date: [u8; 10],
    iso_ns: i64,
}

/// The length of a time such as `17/May/2015:10:05:03 +0000`.
pub(crate) const CLF_LENGTH: usize = 26;

impl Clock {
    /// A time such as `17/May/2015:10:05:03 +0000`, as in the Common Log Format.
    #[inline]
    pub(crate) fn clf(&mut self, text: &[u8]) -> Result<Stamp, Reason> {
        let text: &[u8; CLF_LENGTH] = text.try_into().map_err(|_| Reason::NoTime)?;
        if text[..12] != self.clf_date || text[20..] != self.clf_zone {
            self.clf_ns = clf_midnight(text)?;
            self.clf_date.copy_from_slice(&text[..12]);
            self.clf_zone.copy_from_slice(&text[20..]);
        }
        let seconds = time_of_day(&text[12..20])?;
        Ok(Stamp { ns: self.clf_ns + seconds * SECOND, resolution_ns: SECOND as u64 })
    }

    /// A time such as `17/May/2015:10:05:03.123`, read as UTC, as in HAProxy's logs.
    pub(crate) fn clf_millis(&mut self, text: &[u8]) -> Result<Stamp, Reason> {
        if text.contains(&b' ') { Err(Reason::NoTime) } else { self.clf_varied(text) }
    }

    /// A time such as `17/May/2015:10:05:03.123 +0200`: the fraction and the zone may be missing
    /// (it is then in UTC), and a space may stand before the hour.
    fn clf_varied(&mut self, text: &[u8]) -> Result<Stamp, Reason> {
        let (seconds, rest) = text.split_at_checked(CLF_LENGTH - 6).ok_or(Reason::NoTime)?;
        let (fraction_ns, digits, zone) = fraction(rest)?;
        let mut whole = *b"dd/Mmm/yyyy:hh:mm:ss +0000";
        whole[..seconds.len()].copy_from_slice(seconds);
        if whole[11] == b' ' {
            whole[11] = b':';
        }
        let ns = self.clf(&whole)?.ns + fraction_ns - offset(zone)? * SECOND;
        Ok(Stamp { ns, resolution_ns: resolution(digits) })
    }

    /// A time such as `2015-05-17T10:05:03.123456Z` (ISO 8601): with a space in place of `T`,
    /// without fraction, with an offset or without (then in UTC).
    #[inline]
    pub(crate) fn iso(&mut self, text: &[u8]) -> Result<Stamp, Reason> {
        if text.len() < 19 || !matches!(text[10], b'T' | b't' | b' ') {
            return Err(Reason::NoTime);
        }
        let midnight = self.date(&text[..10])?;
        let seconds = time_of_day(&text[11..19])?;
        let (fraction, digits, zone) = fraction(&text[19..])?;
        let ns = midnight + (seconds - offset(zone)?) * SECOND + fraction;
        Ok(Stamp { ns, resolution_ns: resolution(digits) })
    }

    /// The begin of a day such as `2015-05-17` or `2015/05/17`, in UTC.
    #[inline]
    pub(crate) fn date(&mut self, text: &[u8]) -> Result<i64, Reason> {
        let text: &[u8; 10] = text.try_into().map_err(|_| Reason::NoTime)?;
        if !matches!((text[4], text[7]), (b'-', b'-') | (b'/', b'/')) {
            return Err(Reason::NoTime);
        }
        if *text != self.iso_date {
            let part = |from: usize, to: usize| integer(&text[from..to]).ok_or(Reason::NoTime);
            self.iso_ns = day_ns(part(0, 4)?, part(5, 7)?, part(8, 10)?)?;
            self.iso_date = *text;
        }
        Ok(self.iso_ns)
    }

    /// A time in any form: as above, or as a number since 1970 whose size shows its unit.
    pub(crate) fn any(&mut self, text: &[u8]) -> Result<Stamp, Reason> {
        let text = text.strip_prefix(b"[").unwrap_or(text);
        let text = text.strip_suffix(b"]").unwrap_or(text);
        if matches!(text.last(), Some(b'M' | b'm')) {
            return twelve_hours(text);
        }
        match text.get(2..5) {
            Some([b'/', ..]) if text.len() == CLF_LENGTH => self.clf(text),
            Some([b'/', ..]) => self.clf_varied(text),
            Some([_, _, b'-' | b'/']) => self.iso(text),
            Some([_, b' ', _]) => asctime::read(text),
            _ => epoch(text, unit_of_epoch(text)),
        }
    }
}

/// A time such as `5/17/2015 10:05:03 PM`, read as UTC: the month comes first if the day has two
/// halves.
fn twelve_hours(text: &[u8]) -> Result<Stamp, Reason> {
    let text = str::from_utf8(text).map_err(|_| Reason::NoTime)?.to_ascii_uppercase();
    let mut words = text.split_ascii_whitespace();
    let mut numbers = |between: char| {
        let numbers = words.next()?.split(between).map(|number| integer(number.as_bytes()));
        numbers.collect::<Option<Vec<u64>>>()?.try_into().ok()
    };
    let [month, day, year]: [u64; 3] = numbers('/').ok_or(Reason::NoTime)?;
    let [hour, minute, second]: [u64; 3] = numbers(':').ok_or(Reason::NoTime)?;
    let noon = match words.next() {
        Some("AM") => 0,
        Some("PM") => 12,
        _ => return Err(Reason::NoTime),
    };
    if !(1..=12).contains(&hour) || minute > 59 || second > 60 {
        return Err(Reason::ImpossibleDate);
    }
    let seconds = ((hour % 12 + noon) * 3600 + minute * 60 + second) as i64;
    Ok(Stamp { ns: day_ns(year, month, day)? + seconds * SECOND, resolution_ns: SECOND as u64 })
}

/// Midnight of the date in its own zone, as if that were UTC.
#[cold]
fn clf_midnight(text: &[u8; CLF_LENGTH]) -> Result<i64, Reason> {
    if text[2] != b'/' || text[6] != b'/' || text[11] != b':' || text[20] != b' ' {
        return Err(Reason::NoTime);
    }
    let day = integer(&text[..2]).ok_or(Reason::NoTime)?;
    let month = calendar::month(&text[3..6]).ok_or(Reason::NoTime)?;
    let year = integer(&text[7..11]).ok_or(Reason::NoTime)?;
    Ok(day_ns(year, month, day)? - offset(&text[20..])? * SECOND)
}

/// Seconds since midnight of a time such as `10:05:03`; a leap second counts as the next one.
#[inline]
pub(crate) fn time_of_day(text: &[u8]) -> Result<i64, Reason> {
    let &[h, h2, b':', m, m2, b':', s, s2] = text else { return Err(Reason::NoTime) };
    let parts = (two_digits(h, h2), two_digits(m, m2), two_digits(s, s2));
    let (Some(hour), Some(minute), Some(second)) = parts else { return Err(Reason::NoTime) };
    if hour > 23 || minute > 59 || second > 60 {
        return Err(Reason::ImpossibleDate);
    }
    Ok(i64::from(hour) * 3600 + i64::from(minute) * 60 + i64::from(second))
}

/// Reads a fraction such as `.123`: nanoseconds, the number of digits, and the rest.
fn fraction(text: &[u8]) -> Result<(i64, usize, &[u8]), Reason> {
    let [b'.' | b',', rest @ ..] = text else { return Ok((0, 0, text)) };
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let mut scale = SECOND;
    let mut ns = 0;
    for byte in &rest[..digits.min(9)] {
        scale /= 10;
        ns += i64::from(digit(*byte).unwrap_or(0)) * scale;
    }
    Ok((ns, digits, &rest[digits..]))
}

/// The seconds east of UTC of a zone such as `Z`, `+0200`, `-03:30` or nothing at all.
pub(crate) fn offset(zone: &[u8]) -> Result<i64, Reason> {
    let zone = zone.trim_ascii();
    let (sign, digits) = match zone {
        [] | [b'Z' | b'z'] => return Ok(0),
        b"UTC" | b"GMT" => return Ok(0),
        [b'+', digits @ ..] => (1, digits),
        [b'-', digits @ ..] => (-1, digits),
        _ => return Err(Reason::NoTime),
    };
    let (hours, minutes) = match digits {
        [h, h2] => (two_digits(*h, *h2), Some(0)),
        [h, h2, m, m2] | [h, h2, b':', m, m2] => (two_digits(*h, *h2), two_digits(*m, *m2)),
        _ => return Err(Reason::NoTime),
    };
    let (hours, minutes) = (hours.ok_or(Reason::NoTime)?, minutes.ok_or(Reason::NoTime)?);
    if hours > 23 || minutes > 59 {
        return Err(Reason::ImpossibleDate);
    }
    Ok(sign * (i64::from(hours) * 3600 + i64::from(minutes) * 60))
}

/// A number of `unit`s (in nanoseconds) since 1970.
pub(crate) fn epoch(text: &[u8], unit: i64) -> Result<Stamp, Reason> {
    let (ns, digits) = decimal(text, unit).ok_or(Reason::NoTime)?;
    if ns <= 0 {
        return Err(if text == b"0" { Reason::NoTime } else { Reason::ImpossibleDate });
    }
    let resolution_ns = match unit {
        SECOND => resolution(digits),
        MILLISECOND if digits == 0 => MILLISECOND as u64,
        _ => MICROSECOND as u64,
    };
    Ok(Stamp { ns, resolution_ns })
}

/// Seconds, milliseconds, microseconds or nanoseconds: the unit that gives a year of 1973 to 5138.
fn unit_of_epoch(text: &[u8]) -> i64 {
    match text.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(text.len()) {
        0..=11 => SECOND,
        12..=14 => MILLISECOND,
        15..=17 => MICROSECOND,
        _ => 1,
    }
}

/// The resolution of a clock that writes this many digits of a second.
fn resolution(digits: usize) -> u64 {
    match digits {
        0 => SECOND as u64,
        1..=3 => MILLISECOND as u64,
        _ => MICROSECOND as u64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Seconds of 2015-05-17 10:05:03 UTC, from `date -u -d ... +%s`.
    const SOME_TIME: i64 = 1_431_857_103;

    fn seconds(stamp: Result<Stamp, Reason>) -> Result<i64, Reason> {
        stamp.map(|stamp| stamp.ns / SECOND)
    }

    #[test]
    fn varied_times() {
        let mut clock = Clock::default();
        for (text, expected, resolution_ns) in [
            ("17/May/2015:12:05:03.250 +0200", SOME_TIME, 1_000_000),
            ("[17/May/2015:10:05:03]", SOME_TIME, 1_000_000_000),
            ("17/May/2015 10:05:03", SOME_TIME, 1_000_000_000),
            ("17/May/2015:10:05:03 ", SOME_TIME, 1_000_000_000),
            ("05/17/2015 10:05:03 AM", SOME_TIME, 1_000_000_000),
            ("5/17/2015 10:05:03 pm", SOME_TIME + 12 * 3600, 1_000_000_000),
            ("5/17/2015 12:00:00 AM", 1_431_820_800, 1_000_000_000),
            ("5/17/2015 12:00:00 PM", 1_431_820_800 + 12 * 3600, 1_000_000_000),
        ] {
            let found = clock.any(text.as_bytes()).unwrap();
            assert_eq!(
                (found.ns / SECOND, found.resolution_ns),
                (expected, resolution_ns),
                "{text}"
            );
        }
        for (text, reason) in [
            ("17/05/2015 10:05:03", Reason::NoTime),
            ("5/17/2015 13:05:03 PM", Reason::ImpossibleDate),
            ("17/5/2015 10:05:03 AM", Reason::ImpossibleDate),
            ("5/17 10:05:03 AM", Reason::NoTime),
            ("AM", Reason::NoTime),
        ] {
            assert_eq!(seconds(clock.any(text.as_bytes())), Err(reason), "{text}");
        }
    }

    #[test]
    fn common_log_times() {
        let mut clock = Clock::default();
        for (text, expected) in [
            ("17/May/2015:10:05:03 +0000", SOME_TIME),
            ("17/May/2015:12:05:03 +0200", SOME_TIME),
            ("17/May/2015:06:35:03 -0330", SOME_TIME),
            ("18/May/2015:00:05:03 +1400", SOME_TIME),
            ("29/Feb/2016:00:00:00 +0000", 1_456_704_000),
            ("31/Dec/2016:23:59:60 +0000", 1_483_228_800),
            ("01/Jan/1970:00:00:00 +0000", 0),
        ] {
            assert_eq!(seconds(clock.clf(text.as_bytes())), Ok(expected), "{text}");
        }
        for (text, reason) in [
            ("29/Feb/2015:00:00:00 +0000", Reason::ImpossibleDate),
            ("17/May/2015:24:00:00 +0000", Reason::ImpossibleDate),
            ("00/May/2015:10:00:00 +0000", Reason::ImpossibleDate),
            ("17/May/1415:10:00:00 +0000", Reason::ImpossibleDate),
            ("17/May/2015:10:00:00 +2500", Reason::ImpossibleDate),
            ("17/Mai/2015:10:00:00 +0000", Reason::NoTime),
            ("17/May/2015:1x:00:00 +0000", Reason::NoTime),
            ("17/May/2015:10:00:00", Reason::NoTime),
            ("-", Reason::NoTime),
        ] {
            assert_eq!(clock.clf(text.as_bytes()), Err(reason), "{text}");
        }
    }

    #[test]
    fn times_of_haproxy() {
        let mut clock = Clock::default();
        let stamp = |ns, resolution_ns| Ok(Stamp { ns: SOME_TIME * SECOND + ns, resolution_ns });
        let read = clock.clf_millis(b"17/May/2015:10:05:03.025");
        assert_eq!(read, stamp(25_000_000, 1_000_000));
        assert_eq!(clock.clf_millis(b"17/May/2015:10:05:03"), stamp(0, 1_000_000_000));
        for text in [&b"17/May/2015:10:05"[..], b"17/May/2015:10:05:03 +0200", b""] {
            assert_eq!(clock.clf_millis(text), Err(Reason::NoTime));
        }
    }

    #[test]
    fn a_bad_date_is_not_remembered() {
        let mut clock = Clock::default();
        for _ in 0..2 {
            let bad = clock.clf(b"30/Feb/2015:00:00:00 +0000");
            assert_eq!(bad, Err(Reason::ImpossibleDate));
            assert!(clock.date(b"2015-02-30").is_err());
        }
    }

    #[test]
    fn iso_times() {
        let mut clock = Clock::default();
        for (text, ns, resolution_ns) in [
            ("2015-05-17T10:05:03Z", 0, 1_000_000_000),
            ("2015-05-17 10:05:03", 0, 1_000_000_000),
            ("2015-05-17T12:05:03+02:00", 0, 1_000_000_000),
            ("2015-05-17T10:05:03.5+0000", 500_000_000, 1_000_000),
            ("2015-05-17T10:05:03.123456Z", 123_456_000, 1_000),
            ("2015-05-17T10:05:03,1234567891 UTC", 123_456_789, 1_000),
        ] {
            let expected = Stamp { ns: SOME_TIME * SECOND + ns, resolution_ns };
            assert_eq!(clock.iso(text.as_bytes()), Ok(expected), "{text}");
            assert_eq!(clock.any(text.as_bytes()), Ok(expected), "{text}");
        }
        assert_eq!(clock.iso(b"2015-05-17T10:05:03.1x"), Err(Reason::NoTime));
        assert_eq!(clock.iso(b"2015-13-17T10:05:03Z"), Err(Reason::ImpossibleDate));
    }

    #[test]
    fn numbers_since_1970_tell_their_unit() {
        let mut clock = Clock::default();
        for (text, resolution_ns) in [
            ("1431857103", 1_000_000_000),
            ("1431857103.000", 1_000_000),
            ("1431857103000", 1_000_000),
            ("1431857103000000", 1_000),
            ("1431857103000000000", 1_000),
            ("[17/May/2015:10:05:03 +0000]", 1_000_000_000),
        ] {
            let expected = Stamp { ns: SOME_TIME * SECOND, resolution_ns };
            assert_eq!(clock.any(text.as_bytes()), Ok(expected), "{text}");
        }
        assert_eq!(clock.any(b"0"), Err(Reason::NoTime));
        assert_eq!(clock.any(b""), Err(Reason::NoTime));
        assert_eq!(clock.any(b"-5"), Err(Reason::ImpossibleDate));
    }
}
