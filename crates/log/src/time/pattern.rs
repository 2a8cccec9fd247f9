//! Times in patterns of `strftime`, and times composed of several fields.

use chrono::format::{Item, ParseErrorKind, Parsed, StrftimeItems, parse_and_remainder};
use chrono::{ParseError, Timelike};
use thinktime_core::error::Invalid;

use super::{MICROSECOND, MILLISECOND, SECOND, Stamp, epoch, time_of_day};
use crate::number::integer;
use crate::reason::Reason;

/// A pattern of `strftime`, or one of Apache's words such as `msec_frac`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Pattern {
    /// A format of chrono.
    Calendar(Vec<Item<'static>>),
    /// A number since 1970 in units of this many nanoseconds.
    Epoch(i64),
    /// This many digits of a second's fraction.
    Fraction(usize),
}

impl Pattern {
    /// Compiles the content of `%{...}t`.
    ///
    /// # Errors
    /// If the pattern has an unknown conversion.
    pub(crate) fn compile(text: &str) -> Result<Pattern, Invalid> {
        Ok(match text {
            "sec" => Pattern::Epoch(SECOND),
            "msec" => Pattern::Epoch(MILLISECOND),
            "usec" => Pattern::Epoch(MICROSECOND),
            "msec_frac" => Pattern::Fraction(3),
            "usec_frac" => Pattern::Fraction(6),
            _ => {
                // To chrono, `%f` alone is a number of nanoseconds, and no fraction.
                let items = StrftimeItems::new(&text.replace(".%f", "%.f")).parse_to_owned();
                Pattern::Calendar(items.map_err(|_| {
                    Invalid::new(format!(
                        "the time pattern `{text}` has a conversion that is not known"
                    ))
                })?)
            }
        })
    }

    /// Reads a text by the pattern, and adds its content to `parts`.
    pub(crate) fn read(&self, text: &[u8], parts: &mut Parts) -> Result<(), Reason> {
        match self {
            Pattern::Calendar(items) => {
                let text = str::from_utf8(text).map_err(|_| Reason::NoTime)?;
                parse_and_remainder(&mut parts.parsed, text, items.iter())
                    .map_err(|error| reason(&error))?;
            }
            Pattern::Epoch(unit) => parts.epoch = Some(epoch(text, *unit)?),
            Pattern::Fraction(digits) => parts.read_fraction(text, *digits)?,
        }
        Ok(())
    }

    /// Whether its output has spaces.
    pub(crate) fn has_space(&self) -> bool {
        let Pattern::Calendar(items) = self else { return false };
        let has = |text: &str| text.contains(char::is_whitespace);
        items.iter().any(|item| match item {
            Item::Literal(text) | Item::Space(text) => has(text),
            Item::OwnedLiteral(text) | Item::OwnedSpace(text) => has(text),
            _ => false,
        })
    }
}

fn reason(error: &ParseError) -> Reason {
    match error.kind() {
        ParseErrorKind::OutOfRange | ParseErrorKind::Impossible => Reason::ImpossibleDate,
        _ => Reason::NoTime,
    }
}

/// A time composed of several fields.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Parts {
    parsed: Parsed,
    fraction_ns: i64,
    fraction_digits: usize,
    epoch: Option<Stamp>,
    /// The begin of the day, if a field holds a whole date.
    pub(crate) midnight_ns: Option<i64>,
    /// Seconds since then, if a field holds a whole time of day.
    pub(crate) seconds: Option<i64>,
}

impl Parts {
    fn read_fraction(&mut self, text: &[u8], most: usize) -> Result<(), Reason> {
        let digits = text.iter().take(most).take_while(|byte| byte.is_ascii_digit()).count();
        let value = integer(&text[..digits]).ok_or(Reason::NoTime)? as i64;
        self.fraction_ns = value * 10_i64.pow(9 - digits as u32);
        self.fraction_digits = digits;
        Ok(())
    }

    /// A time of day such as `10:05:03`, perhaps with a fraction.
    pub(crate) fn read_time_of_day(&mut self, text: &[u8]) -> Result<(), Reason> {
        let whole_seconds = text.get(..8).ok_or(Reason::NoTime)?;
        self.seconds = Some(time_of_day(whole_seconds)?);
        match &text[8..] {
            [] => Ok(()),
            [b'.', fraction @ ..] => self.read_fraction(fraction, 9),
            _ => Err(Reason::NoTime),
        }
    }

    /// The time of all parts together.
    pub(crate) fn stamp(&self) -> Result<Stamp, Reason> {
        let fraction = super::resolution(self.fraction_digits);
        let (ns, resolution_ns) = match (self.epoch, self.parsed.timestamp()) {
            (Some(stamp), _) => (stamp.ns, stamp.resolution_ns.min(fraction)),
            (None, Some(seconds)) => (seconds.checked_mul(SECOND).ok_or(Reason::NoTime)?, fraction),
            (None, None) => self.calendar_ns(fraction)?,
        };
        let ns = ns.checked_add(self.fraction_ns).ok_or(Reason::NoTime)?;
        Ok(Stamp { ns, resolution_ns })
    }

    /// The calendar time, and its resolution.
    fn calendar_ns(&self, resolution_ns: u64) -> Result<(i64, u64), Reason> {
        let midnight = match self.midnight_ns {
            Some(midnight) => midnight,
            None => super::calendar::midnight_ns(
                self.parsed.to_naive_date().map_err(|error| reason(&error))?,
            )?,
        };
        let (since_ns, resolution_ns) = match self.seconds {
            Some(seconds) => (seconds * SECOND, resolution_ns),
            None => self.time_of_day_ns(resolution_ns)?,
        };
        let offset_s = i64::from(self.parsed.offset().unwrap_or(0));
        Ok((midnight + since_ns - offset_s * SECOND, resolution_ns))
    }

    /// Nanoseconds since midnight; a leap second counts as the next one; midnight if no part gives
    /// the hour.
    fn time_of_day_ns(&self, resolution_ns: u64) -> Result<(i64, u64), Reason> {
        if self.parsed.hour_mod_12().is_none() {
            return Ok((0, resolution_ns));
        }
        let time = self.parsed.to_naive_time().map_err(|error| reason(&error))?;
        let ns = i64::from(time.nanosecond());
        let written = match self.parsed.nanosecond() {
            None => resolution_ns,
            Some(ns) if i64::from(ns) % MILLISECOND == 0 => MILLISECOND as u64,
            Some(_) => MICROSECOND as u64,
        };
        Ok((i64::from(time.num_seconds_from_midnight()) * SECOND + ns, written.min(resolution_ns)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(pattern: &str, text: &str) -> Result<Stamp, Reason> {
        let mut parts = Parts::default();
        Pattern::compile(pattern).unwrap().read(text.as_bytes(), &mut parts)?;
        parts.stamp()
    }

    #[test]
    fn patterns_of_strftime() {
        // `date -u -d '2015-05-17 10:05:03' +%s`
        let ns = 1_431_857_103 * SECOND;
        for (pattern, text) in [
            ("%d/%b/%Y:%T %z", "17/May/2015:12:05:03 +0200"),
            ("%d/%b/%Y:%H:%M:%S %z", "17/May/2015:10:05:03 +0000"),
            ("%F %T", "2015-05-17 10:05:03"),
            ("%c", "Sun May 17 10:05:03 2015"),
            ("%A, %d. %B %y, %I:%M:%S %p", "Sunday, 17. May 15, 10:05:03 AM"),
            ("%s", "1431857103"),
            ("sec", "1431857103"),
            ("%Y%m%d%H%M%S", "20150517100503"),
            ("%FT%T%z", "2015-05-17T10:05:03+00:00"),
        ] {
            assert_eq!(read(pattern, text).map(|stamp| stamp.ns), Ok(ns), "{pattern}");
        }
        assert_eq!(read("msec", "1431857103123").unwrap().ns, ns + 123_000_000);
        assert_eq!(read("%F %T.%f", "2015-05-17 10:05:03.25").unwrap().ns, ns + 250_000_000);
        assert_eq!(read("%F %T", "2015-02-30 10:05:03"), Err(Reason::ImpossibleDate));
        assert_eq!(read("%F %T", "2015-05-17"), Err(Reason::NoTime));
        assert!(Pattern::compile("%Q").unwrap_err().to_string().contains("%Q"));
        assert!(Pattern::compile("%").is_err());
    }

    #[test]
    fn several_fields_make_one_time() {
        let mut parts = Parts::default();
        for (pattern, text) in
            [("%d/%b/%Y:%T", "17/May/2015:12:05:03"), ("msec_frac", "007"), ("%z", "+0200")]
        {
            Pattern::compile(pattern).unwrap().read(text.as_bytes(), &mut parts).unwrap();
        }
        let expected = Stamp { ns: 1_431_857_103_007_000_000, resolution_ns: MILLISECOND as u64 };
        assert_eq!(parts.stamp(), Ok(expected));
    }
}
