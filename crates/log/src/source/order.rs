//! Files in the order of their times: the names of rotated logs sort in reverse.

use std::io::Read;

use thinktime_core::error::Invalid;

use super::{Source, Tracking, open};
use crate::formats::{Choice, Cut, Head, find};
use crate::reader::Options;
use crate::time::Clock;

/// The first entry is searched within this many bytes.
const HEAD_BYTES: u64 = 256 << 10;

impl Source {
    /// The sources with the files among them in the order of their first entries, before all
    /// others: `access.log.2.gz`, `access.log.1`, `access.log`. Files without entries come first.
    ///
    /// # Errors
    /// If an option is wrong.
    pub fn in_time_order(sources: Vec<Source>, options: &Options) -> Result<Vec<Source>, Invalid> {
        let choice = Choice::new(options.format.as_deref(), options.user.as_deref())?;
        let key = |source: &Source| match source {
            Source::File(path) => (false, first_time(Source::File(path.clone()), &choice)),
            _ => (true, None),
        };
        let mut keyed: Vec<_> = sources.into_iter().map(|source| (key(&source), source)).collect();
        keyed.sort_by_key(|(key, _)| *key);
        Ok(keyed.into_iter().map(|(_, source)| source).collect())
    }
}

/// The time of a file's first entry. Errors appear in the actual reading.
fn first_time(source: Source, choice: &Choice) -> Option<i64> {
    let opened = open(source, false, &Tracking::default()).ok()?;
    let mut bytes = Vec::new();
    // A file that is damaged further on still has a begin.
    let _ = opened.input.take(HEAD_BYTES).read_to_end(&mut bytes);
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes);
    let head = Head::new(bytes);
    let (_, mut format) = find(&head, choice).ok()?;
    let mut clock = Clock::default();
    let mut found = None;
    let mut take = |entry: &crate::Entry<'_>| found = found.or(Some(entry.time_ns));
    match format.cut() {
        Cut::Whole => drop(format.read(bytes, &mut clock, &mut take)),
        Cut::Records(size) => drop(format.read(bytes.get(..size)?, &mut clock, &mut take)),
        Cut::Lines => {
            for line in head.lines() {
                match line.first() {
                    Some(b'#') => format = format.directive(line).unwrap_or(format),
                    _ => drop(format.read(line, &mut clock, &mut take)),
                }
            }
        }
    }
    found
}
