//! The begin of a file, and the formats that fit it.

use std::sync::Arc;

use super::{Cut, Format};
use crate::time::Clock;

/// The begin of a file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Head<'a> {
    /// Its first bytes, unpacked, without a byte order mark.
    pub(crate) bytes: &'a [u8],
}

/// The lines that decide the format.
const LINES_JUDGED: usize = 500;

impl<'a> Head<'a> {
    /// Its lines, except the last one if it is incomplete.
    pub(crate) fn lines(&self) -> impl Iterator<Item = &'a [u8]> {
        let whole = memchr::memrchr(b'\n', self.bytes).map(|end| &self.bytes[..end]);
        let lines = whole.into_iter().flat_map(|bytes| bytes.split(|byte| *byte == b'\n'));
        lines.map(|line| line.strip_suffix(b"\r").unwrap_or(line))
    }

    /// Whether a format reads most of the lines.
    pub(crate) fn fits(&self, format: &Arc<dyn Format>) -> bool {
        let (mut good, mut bad) = (0, 0);
        let mut clock = Clock::default();
        let mut judge = |format: &dyn Format, line: &[u8]| {
            let mut taken = false;
            match format.read(line, &mut clock, &mut |_| taken = true) {
                Ok(()) => good += usize::from(taken),
                Err(_) => bad += 1,
            }
        };
        match format.cut() {
            // Only a format that has seen its own marks opens such a file.
            Cut::Whole => return true,
            Cut::Records(size) => {
                for record in self.bytes.chunks_exact(size).take(LINES_JUDGED) {
                    judge(&**format, record);
                }
            }
            Cut::Lines => {
                let mut format = format.clone();
                for line in self.lines().filter(|line| !line.is_empty()).take(LINES_JUDGED) {
                    match line[0] {
                        b'#' => format = format.directive(line).unwrap_or(format),
                        _ => judge(&*format, line),
                    }
                }
            }
        }
        // A server without requests has still written its directives.
        good > bad || (bad == 0 && good == 0 && format.has_directives())
    }
}
