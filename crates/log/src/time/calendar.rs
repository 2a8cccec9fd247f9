//! The Gregorian calendar, by chrono.

use chrono::{Datelike, Month, NaiveDate, NaiveTime};

use super::SECOND;
use crate::reason::Reason;

/// The number, from 1, of a month by its first three letters in English.
pub(crate) fn month(name: &[u8]) -> Option<u64> {
    let month: Month = str::from_utf8(name).ok()?.parse().ok()?;
    Some(month.number_from_month().into())
}

/// The begin of a day, in nanoseconds since 1970. Months and days count from 1.
///
/// # Errors
/// If there is no such day, or it is not of the years 1970 to 2261, which 64 bits hold.
pub(crate) fn day_ns(year: u64, month: u64, day: u64) -> Result<i64, Reason> {
    let date = || {
        let year = i32::try_from(year).ok()?;
        NaiveDate::from_ymd_opt(year, u32::try_from(month).ok()?, u32::try_from(day).ok()?)
    };
    midnight_ns(date().ok_or(Reason::ImpossibleDate)?)
}

/// The begin of a day, in nanoseconds since 1970.
///
/// # Errors
/// If it is not of the years 1970 to 2261.
pub(super) fn midnight_ns(date: NaiveDate) -> Result<i64, Reason> {
    if !(1970..=2261).contains(&date.year()) {
        return Err(Reason::ImpossibleDate);
    }
    Ok(date.and_time(NaiveTime::MIN).and_utc().timestamp() * SECOND)
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
