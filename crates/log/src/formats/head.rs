//! The begin of a file, and the formats that fit it.

use std::sync::Arc;

use super::{Cut, Format};
use crate::time::{Clock, Stamp};

/// The begin of a file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Head<'a> {
    /// Its first bytes, unpacked, without a byte order mark.
    pub(crate) bytes: &'a [u8],
    /// Whether a time stood before most lines, which were taken out of more.
    pub(crate) timed: bool,
}

/// The lines that decide the format.
const LINES_JUDGED: usize = 500;

impl<'a> Head<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Head<'a> {
        Head { bytes, timed: false }
    }

    /// Its lines, except the last one if it is incomplete.
    pub(crate) fn lines(&self) -> impl Iterator<Item = &'a [u8]> {
        let whole = memchr::memrchr(b'\n', self.bytes).map(|end| &self.bytes[..end]);
        let lines = whole.into_iter().flat_map(|bytes| bytes.split(|byte| *byte == b'\n'));
        lines.map(|line| line.strip_suffix(b"\r").unwrap_or(line))
    }

    /// Whether a format reads most of the lines.
    pub(crate) fn fits(&self, format: &Arc<dyn Format>) -> bool {
        self.judge(format).fits
    }

    /// How well a format reads the lines.
    pub(crate) fn judge(&self, format: &Arc<dyn Format>) -> Judgement {
        let (mut good, mut without_request, mut bad) = (0, 0, 0);
        let mut clock = Clock::default();
        clock.outer = self.timed.then_some(Stamp { ns: 0, resolution_ns: 1 });
        let mut judge = |format: &dyn Format, line: &[u8]| {
            let mut taken = false;
            match format.read(line, &mut clock, &mut |_| taken = true) {
                Ok(()) => good += usize::from(taken),
                Err(reason) if reason.lacks_request() => without_request += 1,
                Err(_) => bad += 1,
            }
        };
        match format.cut() {
            // Only a format that has seen its own marks opens such a file.
            Cut::Whole => return Judgement { fits: true, good: 1, bad: 0 },
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
        let of_format = if good > 0 { good + without_request } else { 0 };
        // A server without requests has still written its directives.
        let idle = bad + without_request == 0 && good == 0 && format.has_directives();
        Judgement { fits: of_format > bad || idle, good, bad }
    }
}

/// How well a format reads the begin of a file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Judgement {
    /// Whether it reads most of the lines. Lines that lack only a valid request, as scanners leave
    /// them, are of the format if any line of it is a request.
    pub(crate) fits: bool,
    /// The number of requests.
    pub(crate) good: usize,
    bad: usize,
}

/// A format that nobody has named reads at least one line in this number.
const SHARE_LEAST: usize = 10;

impl Judgement {
    /// Whether requests are not too rare among a program's other lines.
    pub(crate) fn has_share(self) -> bool {
        SHARE_LEAST * self.good >= self.good + self.bad
    }
}
