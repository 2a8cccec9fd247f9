//! The result of reading: contents and bad lines.

use serde::{Deserialize, Deserializer, Serialize};

use crate::error::LogError;
use crate::formats::{FORMATS, Format};
use crate::reason::{Reason, example};

/// The result of reading.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Report {
    /// The files, in the order in which they were read.
    pub files: Vec<FileReport>,
    /// Whether it was stopped before the end.
    pub stopped: bool,
}

/// The format name of a file without lines.
const EMPTY: &str = "empty";

/// Reads the name of a format from another process's output.
fn format_name<'de, D: Deserializer<'de>>(from: D) -> Result<FormatName, D::Error> {
    let name = String::deserialize(from)?;
    let known = FORMATS.iter().map(|known| known.name).find(|known| *known == name);
    Ok(known.unwrap_or(EMPTY))
}

impl Report {
    /// The entries of all files.
    #[must_use]
    pub fn entries(&self) -> u64 {
        self.files.iter().map(|file| file.entries).sum()
    }

    /// The bad lines of all files.
    #[must_use]
    pub fn bad_lines(&self) -> u64 {
        self.files.iter().map(FileReport::bad_lines).sum()
    }
}

/// The name of a format.
type FormatName = &'static str;

/// The result of reading one file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileReport {
    /// Its name.
    pub name: String,
    /// Its format's name; `empty` if it has no line.
    #[serde(deserialize_with = "format_name")]
    pub format: FormatName,
    /// Its size in bytes, unpacked.
    pub bytes: u64,
    /// Its lines, blank ones and comments too; its records, if the format has no lines.
    pub lines: u64,
    /// The entries in it.
    pub entries: u64,
    /// The entries that [`Options::only`](crate::Options::only) and
    /// [`Options::without`](crate::Options::without) have left out.
    pub dropped: u64,
    /// The names of unused columns, if it has unknown ones.
    pub left_over: Vec<String>,
    /// What else its lines could mean, in words, with the option that decides.
    pub doubts: Vec<String>,
    /// Whether nothing gives the unit of its durations, which are taken as seconds.
    pub unit_open: bool,
    /// The smallest [`Entry::resolution_ns`](crate::Entry::resolution_ns); 0 without entries.
    pub resolution_ns: u64,
    /// Its bad lines, by reason.
    pub bad: Vec<BadLines>,
}

/// The lines of a file that are bad for one reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BadLines {
    /// The reason.
    pub reason: Reason,
    /// Their number.
    pub count: u64,
    /// The number of the first one in the file, from 1.
    pub line: u64,
    /// The first one: its first 200 characters, control characters escaped.
    pub example: String,
}

impl FileReport {
    /// For a file that begins. An empty one has no format, and so no unused columns.
    pub(crate) fn new(
        name: String,
        format: &'static str,
        reader: Option<&dyn Format>,
    ) -> FileReport {
        FileReport {
            name,
            format,
            left_over: reader.map_or_else(Vec::new, Format::unused_fields),
            doubts: reader.map_or_else(Vec::new, Format::doubts),
            unit_open: reader.is_some_and(Format::unit_open),
            ..FileReport::default()
        }
    }

    /// The number of bad lines.
    #[must_use]
    pub fn bad_lines(&self) -> u64 {
        self.bad.iter().map(|bad| bad.count).sum()
    }

    /// Notes a bad line of this number.
    pub(crate) fn add_bad(&mut self, reason: Reason, line: u64, text: &[u8]) {
        match self.bad.iter_mut().find(|bad| bad.reason == reason) {
            Some(bad) => bad.count += 1,
            None => self.bad.push(BadLines { reason, count: 1, line, example: example(text) }),
        }
    }

    /// Adds the result of a part that follows.
    pub(crate) fn append(&mut self, part: &mut FileReport) {
        for bad in part.bad.drain(..) {
            match self.bad.iter_mut().find(|mine| mine.reason == bad.reason) {
                Some(mine) => mine.count += bad.count,
                None => self.bad.push(BadLines { line: bad.line + self.lines, ..bad }),
            }
        }
        self.bytes += part.bytes;
        self.lines += part.lines;
        self.entries += part.entries;
        self.dropped += part.dropped;
        self.resolution_ns = match (self.resolution_ns, part.resolution_ns) {
            (0, other) | (other, 0) => other,
            (mine, other) => mine.min(other),
        };
        *part = FileReport::default();
    }

    /// Refuses a file if nearly all of its lines are bad: its format is another one. Lines without
    /// a valid request are of the format, and a program's own lines may stand among those of
    /// requests.
    pub(crate) fn check(&mut self) -> Result<(), LogError> {
        self.bad.sort_by_key(|bad| bad.reason);
        let others = self.bad.iter().filter(|bad| !bad.reason.lacks_request());
        let bad: u64 = others.map(|bad| bad.count).sum();
        let good = self.entries + self.dropped;
        if bad < LINES_JUDGED || bad <= SHARE_MOST * good {
            return Ok(());
        }
        let Some(worst) = self.bad.iter().max_by_key(|bad| bad.count) else { return Ok(()) };
        let reason = format!(
            "{bad} of {} lines cannot be read as `{}`; line {} ({}): `{}`",
            bad + good,
            self.format,
            worst.line,
            worst.reason,
            worst.example
        );
        Err(LogError::new(&self.name, reason))
    }
}

/// The fewest bad lines that can be too many.
const LINES_JUDGED: u64 = 25;
/// The most bad lines for each good one.
const SHARE_MOST: u64 = 100;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_numbers_count_through_a_file() {
        let mut file = FileReport::default();
        let mut part = FileReport { lines: 10, entries: 9, ..FileReport::default() };
        part.add_bad(Reason::NoTime, 3, b"x");
        file.append(&mut part);
        part = FileReport { lines: 5, resolution_ns: 1000, ..FileReport::default() };
        part.add_bad(Reason::Binary, 2, b"\0");
        part.add_bad(Reason::NoTime, 5, b"y");
        file.append(&mut part);
        assert_eq!((file.lines, file.resolution_ns, file.bad_lines()), (15, 1000, 3));
        let found: Vec<_> = file.bad.iter().map(|bad| (bad.line, &bad.example[..])).collect();
        assert_eq!(found, [(3, "x"), (12, "\\u{0}")]);
    }

    #[test]
    fn a_file_of_bad_lines_is_refused() {
        let mut file = FileReport { name: "a".into(), format: "common", ..FileReport::default() };
        for line in 1..=25 {
            assert!(file.check().is_ok());
            file.add_bad(Reason::NoTime, line, b"junk");
        }
        let message = file.check().unwrap_err().to_string();
        assert_eq!(
            message,
            "a: 25 of 25 lines cannot be read as `common`; line 1 (no time): `junk`"
        );
        file.entries = 25;
        assert!(file.check().is_ok());
    }
}
