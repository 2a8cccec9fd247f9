//! The reading thread: fills buffers and cuts them at line ends.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::cut_state::{CutState, HEAD_BYTES, make_room};
use super::queue::Queue;
use crate::error::LogError;
use crate::formats::{Choice, Cut, Format, Head, Joiner, find};
use crate::reason::Reason;
use crate::report::FileReport;
use crate::source::{Opened, Source, Tracking, open};

/// A part of a file on its way between threads.
#[derive(Debug)]
pub(super) struct Chunk {
    /// Its place in the order of all chunks.
    pub(super) number: u64,
    /// How to read its first line.
    pub(super) format: Option<Arc<dyn Format>>,
    /// A buffer whose first `length` bytes are whole lines.
    pub(super) buffer: Vec<u8>,
    pub(super) length: usize,
    /// The note to take after these lines.
    pub(super) note: Option<Note>,
}

/// The messages of the reading thread.
#[derive(Debug)]
pub(super) enum Note {
    /// A file begins, with this description.
    Begin(Box<FileReport>),
    /// A line that it could not hand over.
    Bad(Reason, Vec<u8>),
    /// A file has ended.
    End,
    /// Reading cannot continue.
    Failed(LogError),
}

/// Longer lines are skipped.
pub(super) const LINE_BYTES_MAX: usize = 1 << 20;
/// A file that is read as a whole must be smaller.
const WHOLE_BYTES_MAX: usize = 2 << 30;
/// The shown length of a line that cannot be handed over.
const SHOWN_BYTES: usize = 1 << 10;

/// Fills buffers and cuts them.
pub(super) struct Cutter {
    pub(super) choice: Choice,
    pub(super) chunk_bytes: usize,
    pub(super) tracking: Tracking,
    pub(super) empty: Arc<Queue<Vec<u8>>>,
    pub(super) full: Arc<Queue<Chunk>>,
    pub(super) number: u64,
}

impl Drop for Cutter {
    /// Lets the other threads end, for whatever reason this one ends.
    fn drop(&mut self) {
        self.full.close();
    }
}

/// Reading ended early: the receiver is gone.
struct Abandoned;

impl Cutter {
    /// Reads all sources; only the last one may be followed.
    pub(super) fn all(mut self, sources: Vec<Source>, follow: bool) {
        let last = sources.len().saturating_sub(1);
        for (place, source) in sources.into_iter().enumerate() {
            let opened = open(source, follow && place == last, &self.tracking);
            let done = match opened {
                Ok(opened) => self.file(opened),
                Err(error) => self.fail(error),
            };
            if done.is_err() {
                break;
            }
        }
    }

    fn fail(&mut self, error: LogError) -> Result<(), Abandoned> {
        self.send(Vec::new(), 0, None, Some(Note::Failed(error)))?;
        Err(Abandoned)
    }

    fn file(&mut self, opened: Opened) -> Result<(), Abandoned> {
        let Opened { name, input, live } = opened;
        let buffer = self.empty.pop().ok_or(Abandoned)?;
        let mut cut_state =
            CutState { name, input, live, buffer, filled: 0, at_end: false, error: None };
        cut_state.fill(HEAD_BYTES.max(self.chunk_bytes));
        // A whole line is needed to detect the format; a live log may have to wait for one.
        while (live || cut_state.filled <= LINE_BYTES_MAX)
            && !cut_state.at_end
            && !cut_state.buffer[..cut_state.filled].contains(&b'\n')
        {
            cut_state.fill(cut_state.filled + if live { 1 } else { HEAD_BYTES });
        }
        let begin = match byte_order_mark(&cut_state.buffer[..cut_state.filled]) {
            Ok(begin) => begin,
            Err(reason) => return self.fail(LogError::new(cut_state.name, reason)),
        };
        cut_state.forget(begin);
        let head = Head::new(&cut_state.buffer[..cut_state.filled]);
        let (name, format) = match find(&head, &self.choice) {
            Ok((name, format)) => (name, Some(format)),
            Err(_) if head.lines().next().is_none() => ("empty", None),
            Err(reason) => return self.fail(LogError::new(cut_state.name, reason)),
        };
        let begun = FileReport::new(cut_state.name.clone(), name, format.as_deref());
        let begin = Note::Begin(Box::new(begun));
        self.send(Vec::new(), 0, None, Some(begin))?;
        self.lines(&mut cut_state, format)?;
        if let Some(error) = cut_state.error.take() {
            self.bad(Reason::Damaged, error.to_string().as_bytes())?;
        }
        self.send(cut_state.buffer, 0, None, Some(Note::End))
    }

    /// Hands over all lines of a file.
    fn lines(
        &mut self,
        cut_state: &mut CutState,
        mut format: Option<Arc<dyn Format>>,
    ) -> Result<(), Abandoned> {
        let cut = format.as_ref().map_or(Cut::Lines, |format| format.cut());
        let joiner = format.as_ref().and_then(|format| format.joiner());
        let of_live = |joiner: Joiner| if cut_state.live { joiner.of_live() } else { joiner };
        let mut joiner = joiner.map(of_live);
        loop {
            let end = cut_state.whole_units(cut, self.chunk_bytes);
            if end > 0 {
                let has_more = cut_state.filled > self.chunk_bytes;
                let next = self.empty.pop().ok_or(Abandoned)?;
                let mut bytes = cut_state.split_off(end, next);
                let following = format.as_ref().and_then(|format| after(format, &bytes[..end]));
                let length = joiner.as_mut().map_or(end, |joiner| joiner.replace(&mut bytes, end));
                self.send(bytes, length, format.clone(), None)?;
                format = following.or(format);
                if has_more {
                    continue;
                }
            } else if cut_state.at_end {
                self.joined_end(joiner, format)?;
                return self.cut_end(cut_state);
            } else if cut == Cut::Lines && cut_state.filled > LINE_BYTES_MAX {
                let shown = cut_state.buffer[..SHOWN_BYTES].to_vec();
                cut_state.skip_line();
                self.bad(Reason::TooLong, &shown)?;
            } else if cut_state.filled > WHOLE_BYTES_MAX {
                let reason = "is too large for its format: 2 GiB at most";
                return self.fail(LogError::new(&cut_state.name, reason));
            }
            // A buffer that holds only a part of a line must grow.
            let more = if end > 0 { 1 } else { HEAD_BYTES };
            cut_state.fill(self.chunk_bytes.max(cut_state.filled + more));
        }
    }

    /// Hands over the requests that still wait for an answer.
    fn joined_end(
        &mut self,
        joiner: Option<Joiner>,
        format: Option<Arc<dyn Format>>,
    ) -> Result<(), Abandoned> {
        let Some(mut joiner) = joiner else { return Ok(()) };
        let mut buffer = self.empty.pop().ok_or(Abandoned)?;
        // Empty buffers do not come back.
        make_room(&mut buffer, 1);
        let length = joiner.end(&mut buffer);
        self.send(buffer, length, format, None)
    }

    /// The bytes after the last whole line are cut off and not reliable.
    fn cut_end(&mut self, cut_state: &mut CutState) -> Result<(), Abandoned> {
        let rest = &cut_state.buffer[..cut_state.filled];
        if rest.trim_ascii().is_empty() {
            return Ok(());
        }
        let shown = rest[..rest.len().min(SHOWN_BYTES)].to_vec();
        self.bad(Reason::Truncated, &shown)
    }

    fn bad(&mut self, reason: Reason, shown: &[u8]) -> Result<(), Abandoned> {
        self.send(Vec::new(), 0, None, Some(Note::Bad(reason, shown.to_vec())))
    }

    fn send(
        &mut self,
        buffer: Vec<u8>,
        length: usize,
        format: Option<Arc<dyn Format>>,
        note: Option<Note>,
    ) -> Result<(), Abandoned> {
        let chunk = Chunk { number: self.number, format, buffer, length, note };
        self.number += 1;
        let wanted = self.full.push(chunk) && !self.tracking.stopped.load(Ordering::Relaxed);
        if wanted { Ok(()) } else { Err(Abandoned) }
    }
}

/// How to read the lines after these, if these change it.
fn after(format: &Arc<dyn Format>, lines: &[u8]) -> Option<Arc<dyn Format>> {
    if !format.has_directives() {
        return None;
    }
    let mut end = lines.len();
    while let Some(place) = memchr::memrchr(b'#', &lines[..end]) {
        if place == 0 || lines[place - 1] == b'\n' {
            let line = lines[place..].split(|byte| *byte == b'\n').next().unwrap_or_default();
            if let Some(following) = format.directive(line.trim_ascii_end()) {
                return Some(following);
            }
        }
        end = place;
    }
    None
}

/// The number of bytes at the begin that mark UTF-8.
fn byte_order_mark(head: &[u8]) -> Result<usize, &'static str> {
    match head {
        [0xef, 0xbb, 0xbf, ..] => Ok(3),
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => {
            Err("is UTF-16: convert it, as in `iconv -f UTF-16 -t UTF-8 FILE | ...`")
        }
        _ => Ok(0),
    }
}
