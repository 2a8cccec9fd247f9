//! Times in patterns of `strftime`, and times that are put together from several fields.

use super::{
    MICROSECOND, MILLISECOND, SECOND, Stamp, calendar, day_ns, epoch, offset, time_of_day,
};
use crate::number::whole;
use crate::reason::Reason;
use thinktime_core::error::Invalid;

/// One part of a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Item {
    Year,
    ShortYear,
    Month,
    MonthName,
    Day,
    Hour,
    HalfDayHour,
    Minute,
    Second,
    HalfDay,
    Zone,
    Epoch(i64),
    Fraction(usize),
    /// A word that says nothing new, such as the name of the day.
    Word,
    Literal(u8),
}

/// A pattern of `strftime`, or one of Apache's words such as `msec_frac`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pattern(Vec<Item>);

impl Pattern {
    /// Compiles what stands in `%{...}t`.
    ///
    /// # Errors
    /// When the pattern has a conversion that is not known.
    pub(crate) fn compile(text: &str) -> Result<Pattern, Invalid> {
        let item = match text {
            "sec" => Item::Epoch(SECOND),
            "msec" => Item::Epoch(MILLISECOND),
            "usec" => Item::Epoch(MICROSECOND),
            "msec_frac" => Item::Fraction(3),
            "usec_frac" => Item::Fraction(6),
            _ => return Pattern::compile_conversions(text),
        };
        Ok(Pattern(vec![item]))
    }

    fn compile_conversions(text: &str) -> Result<Pattern, Invalid> {
        let mut items = Vec::new();
        let mut bytes = text.bytes();
        while let Some(byte) = bytes.next() {
            if byte != b'%' {
                items.push(Item::Literal(byte));
                continue;
            }
            let letter = bytes.next().map_or(' ', char::from);
            match composed(letter) {
                Some(longer) => items.extend(Pattern::compile_conversions(longer)?.0),
                None => items.push(conversion(letter).ok_or_else(|| {
                    Invalid::new(format!("a time pattern has `%{letter}`, which is not known"))
                })?),
            }
        }
        Ok(Pattern(items))
    }

    /// Reads a text by the pattern, and adds what it says to `parts`.
    pub(crate) fn read(&self, mut text: &[u8], parts: &mut Parts) -> Result<(), Reason> {
        for item in &self.0 {
            text = item.read(text, parts)?;
        }
        Ok(())
    }

    /// Whether what is written by it has spaces in it.
    pub(crate) fn has_space(&self) -> bool {
        self.0.contains(&Item::Literal(b' '))
    }
}

/// What a conversion stands for that is short for several.
fn composed(letter: char) -> Option<&'static str> {
    Some(match letter {
        'T' => "%H:%M:%S",
        'R' => "%H:%M",
        'F' => "%Y-%m-%d",
        'D' => "%m/%d/%y",
        'r' => "%I:%M:%S %p",
        'c' => "%a %b %e %H:%M:%S %Y",
        _ => return None,
    })
}

fn conversion(letter: char) -> Option<Item> {
    Some(match letter {
        'Y' => Item::Year,
        'y' => Item::ShortYear,
        'm' => Item::Month,
        'b' | 'B' | 'h' => Item::MonthName,
        'd' | 'e' => Item::Day,
        'H' | 'k' => Item::Hour,
        'I' | 'l' => Item::HalfDayHour,
        'M' => Item::Minute,
        'S' => Item::Second,
        'p' | 'P' => Item::HalfDay,
        'z' => Item::Zone,
        's' => Item::Epoch(SECOND),
        'f' => Item::Fraction(9),
        'a' | 'A' | 'Z' | 'u' | 'w' | 'j' => Item::Word,
        't' => Item::Literal(b'\t'),
        '%' => Item::Literal(b'%'),
        _ => return None,
    })
}

impl Item {
    /// Reads one item; gives what follows it.
    fn read<'a>(self, text: &'a [u8], parts: &mut Parts) -> Result<&'a [u8], Reason> {
        match self {
            Item::Year => number(text, 4, &mut parts.year),
            Item::ShortYear => {
                let rest = number(text, 2, &mut parts.year)?;
                parts.year += if parts.year < 70 { 2000 } else { 1900 };
                Ok(rest)
            }
            Item::Month => number(text, 2, &mut parts.month),
            Item::Day => number(text, 2, &mut parts.day),
            Item::Hour | Item::HalfDayHour => number(text, 2, &mut parts.hour),
            Item::Minute => number(text, 2, &mut parts.minute),
            Item::Second => number(text, 2, &mut parts.second),
            Item::MonthName => {
                let (word, rest) = split(text, u8::is_ascii_alphabetic);
                parts.month = calendar::month(word.get(..3).unwrap_or(word)).ok_or(NO_TIME)?;
                Ok(rest)
            }
            Item::HalfDay => {
                let (word, rest) = split(text, u8::is_ascii_alphabetic);
                parts.hour =
                    parts.hour % 12 + if word.eq_ignore_ascii_case(b"pm") { 12 } else { 0 };
                Ok(rest)
            }
            Item::Zone => {
                let (zone, rest) = split(text, |byte| !matches!(byte, b' ' | b']' | b'"'));
                parts.offset_s = offset(zone)?;
                Ok(rest)
            }
            Item::Epoch(unit) => {
                let (digits, rest) = split(text, u8::is_ascii_digit);
                parts.epoch = Some(epoch(digits, unit)?);
                Ok(rest)
            }
            Item::Fraction(most) => parts.read_fraction(text, most),
            Item::Word => Ok(split(text, u8::is_ascii_alphanumeric).1),
            Item::Literal(byte) => text.strip_prefix(&[byte]).ok_or(NO_TIME),
        }
    }
}

const NO_TIME: Reason = Reason::NoTime;

/// Splits where the condition ends to hold.
fn split(text: &[u8], holds: impl Fn(&u8) -> bool) -> (&[u8], &[u8]) {
    text.split_at(text.iter().position(|byte| !holds(byte)).unwrap_or(text.len()))
}

/// Reads a number of at most so many digits, perhaps padded with a space; gives what follows.
fn number<'a>(text: &'a [u8], most: usize, into: &mut u64) -> Result<&'a [u8], Reason> {
    let text = text.strip_prefix(b" ").unwrap_or(text);
    let digits = split(&text[..text.len().min(most)], u8::is_ascii_digit).0.len();
    *into = whole(&text[..digits]).ok_or(NO_TIME)?;
    Ok(&text[digits..])
}

/// A time that is put together from several fields.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Parts {
    year: u64,
    month: u64,
    day: u64,
    hour: u64,
    minute: u64,
    second: u64,
    offset_s: i64,
    fraction_ns: i64,
    fraction_digits: usize,
    epoch: Option<Stamp>,
    /// The begin of the day, where a field holds a whole date.
    pub(crate) midnight_ns: Option<i64>,
    /// Seconds since then, where a field holds a whole time of day.
    pub(crate) seconds: Option<i64>,
}

impl Parts {
    fn read_fraction<'a>(&mut self, text: &'a [u8], most: usize) -> Result<&'a [u8], Reason> {
        let digits = split(&text[..text.len().min(most)], u8::is_ascii_digit).0;
        let value = whole(digits).ok_or(NO_TIME)? as i64;
        self.fraction_ns = value * 10_i64.pow(9 - digits.len() as u32);
        self.fraction_digits = digits.len();
        Ok(&text[digits.len()..])
    }

    /// A time of day such as `10:05:03`, perhaps with a fraction.
    pub(crate) fn read_time_of_day(&mut self, text: &[u8]) -> Result<(), Reason> {
        let whole_seconds = text.get(..8).ok_or(NO_TIME)?;
        self.seconds = Some(time_of_day(whole_seconds)?);
        match &text[8..] {
            [] => Ok(()),
            [b'.', fraction @ ..] => self.read_fraction(fraction, 9).map(|_| ()),
            _ => Err(NO_TIME),
        }
    }

    /// The time that all parts together say.
    pub(crate) fn stamp(&self) -> Result<Stamp, Reason> {
        let (ns, resolution_ns) = match self.epoch {
            Some(stamp) => (stamp.ns, stamp.resolution_ns),
            None => (self.calendar_ns()?, super::resolution(self.fraction_digits)),
        };
        let resolution_ns = resolution_ns.min(super::resolution(self.fraction_digits));
        Ok(Stamp { ns: ns.checked_add(self.fraction_ns).ok_or(NO_TIME)?, resolution_ns })
    }

    fn calendar_ns(&self) -> Result<i64, Reason> {
        let midnight = match self.midnight_ns {
            Some(midnight) => midnight,
            None if self.day == 0 && self.month == 0 && self.year == 0 => return Err(NO_TIME),
            None => day_ns(self.year, self.month, self.day)?,
        };
        if self.hour > 23 || self.minute > 59 || self.second > 60 {
            return Err(Reason::ImpossibleDate);
        }
        let clock = (self.hour * 3600 + self.minute * 60 + self.second) as i64;
        Ok(midnight + (self.seconds.unwrap_or(clock) - self.offset_s) * SECOND)
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
