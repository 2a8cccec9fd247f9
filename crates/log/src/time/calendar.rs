//! The Gregorian calendar.

use super::SECOND;
use crate::reason::Reason;

/// The days of a common year before each month.
const DAYS_BEFORE: [i64; 12] = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334];
const DAYS_OF: [u64; 12] = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
const MONTHS: [&[u8; 3]; 12] = [
    b"jan", b"feb", b"mar", b"apr", b"may", b"jun", b"jul", b"aug", b"sep", b"oct", b"nov", b"dec",
];

/// The number, from 1, of a month by its first three letters in English.
pub(crate) fn month(name: &[u8]) -> Option<u64> {
    let place = MONTHS.iter().position(|month| name.eq_ignore_ascii_case(&month[..]))?;
    Some(place as u64 + 1)
}

fn is_leap(year: u64) -> bool {
    year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
}

/// The begin of a day, in nanoseconds since 1970. Months and days count from 1.
///
/// # Errors
/// When there is no such day, or it is not of the years 1970 to 2261, which 64 bits hold.
pub(crate) fn day_ns(year: u64, month: u64, day: u64) -> Result<i64, Reason> {
    if !(1970..=2261).contains(&year) || !(1..=12).contains(&month) {
        return Err(Reason::ImpossibleDate);
    }
    let place = month as usize - 1;
    let leap_day = u64::from(is_leap(year));
    if day == 0 || day > DAYS_OF[place] + if month == 2 { leap_day } else { 0 } {
        return Err(Reason::ImpossibleDate);
    }
    let before = year - 1;
    // 477 leap days lie before 1970.
    let leap_days = before / 4 - before / 100 + before / 400 - 477;
    let leap_days = leap_days + if month > 2 { leap_day } else { 0 };
    let days = 365 * (year - 1970) + leap_days + day - 1;
    Ok((days as i64 + DAYS_BEFORE[place]) * 86_400 * SECOND)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_count_through_all_years() {
        let mut expected = 0;
        for year in 1970..=2261 {
            for month in 1..=12 {
                let days = (1..=31).filter(|day| day_ns(year, month, *day).is_ok());
                for day in days {
                    assert_eq!(day_ns(year, month, day), Ok(expected), "{year}-{month}-{day}");
                    expected += 86_400 * SECOND;
                }
            }
        }
        // Python: (date(2262, 1, 1) - date(1970, 1, 1)).days
        assert_eq!(expected, 106_651 * 86_400 * SECOND);
    }

    #[test]
    fn months_have_names() {
        assert_eq!((month(b"Jan"), month(b"DEC"), month(b"Mai")), (Some(1), Some(12), None));
    }
}
