//! The times of C's `asctime` and `ctime`.

use super::{SECOND, Stamp, calendar, day_ns, time_of_day};
use crate::number::integer;
use crate::reason::Reason;

/// A time such as `Sun Nov  1 10:05:03 2026`, read as UTC.
pub(super) fn read(text: &[u8]) -> Result<Stamp, Reason> {
    let mut words = text.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).skip(1);
    let mut word = || words.next().ok_or(Reason::NoTime);
    let month = calendar::month(word()?).ok_or(Reason::NoTime)?;
    let day = integer(word()?).ok_or(Reason::NoTime)?;
    let seconds = time_of_day(word()?)?;
    let year = integer(word()?).ok_or(Reason::NoTime)?;
    let ns = day_ns(year, month, day)? + seconds * SECOND;
    Ok(Stamp { ns, resolution_ns: SECOND as u64 })
}
