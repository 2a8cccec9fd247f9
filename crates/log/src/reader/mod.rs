//! The driver: one thread reads and unpacks, several parse lines, and the caller's takes their
//! results in the log's order.
//!
//! Memory is bounded because the work circulates in a ring: the reading thread fills a fixed number
//! of buffers, the parsing threads read them, and the caller's returns them.

mod cut_state;
mod cutter;
mod parser;
mod queue;
mod ring;
#[cfg(test)]
mod tests;

use std::num::NonZero;
use std::ops::ControlFlow;

use thinktime_core::error::Invalid;

use crate::entry::Entry;
use crate::error::LogError;
use crate::filter::Filter;
use crate::formats::Choice;
use crate::report::Report;
use crate::source::Source;

/// The options of reading logs.
#[derive(Clone, Debug)]
pub struct Options {
    /// The format: a name of [`FORMATS`](crate::FORMATS), perhaps with an argument after a colon as
    /// in `csv:time=ts,address=ip`, or a bare LogFormat or log_format. Without a name, it is
    /// detected for each file.
    pub format: Option<String>,
    /// The field that identifies the user, in the format's own name for it, as in `$http_x_user`,
    /// `cs-username` or `request.headers.X-User`.
    pub user: Option<String>,
    /// The number of parsing threads. Reading has one more, and the caller's consumes.
    pub threads: NonZero<usize>,
    /// The bytes that go to a thread at once.
    pub chunk_bytes: NonZero<usize>,
    /// The selected entries, as in `path=/shop/*`, `host=shop.example.com`, `status=5xx`,
    /// `method=GET` or `time=2026-11-22T10:00..2026-11-22T12:00`. Several of one kind are
    /// alternatives; of each given kind one must match.
    pub only: Vec<String>,
    /// The entries left out: those that match any of these.
    pub without: Vec<String>,
    /// Whether the last source is still being written: it is then read as it grows, until `watch`
    /// says to stop.
    pub follow: bool,
}

/// Small enough for the second-level cache of a core, large enough that threads rarely meet.
const CHUNK_BYTES: NonZero<usize> = NonZero::new(512 << 10).expect("it is not zero");

impl Default for Options {
    /// The detected format, as many threads as cores, nothing followed.
    fn default() -> Options {
        let cores = std::thread::available_parallelism().unwrap_or(NonZero::<usize>::MIN);
        Options {
            format: None,
            user: None,
            threads: cores,
            chunk_bytes: CHUNK_BYTES,
            only: Vec::new(),
            without: Vec::new(),
            follow: false,
        }
    }
}

/// The progress of reading.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReadProgress {
    /// Bytes read so far, in stored form.
    pub stored_bytes: u64,
    /// The size of all sources in stored form, if known.
    pub stored_bytes_total: Option<u64>,
    /// Bytes consumed so far, unpacked.
    pub bytes: u64,
    /// Entries consumed so far.
    pub entries: u64,
    /// Bad lines so far.
    pub bad_lines: u64,
}

/// Logs to read, one after another.
#[derive(Debug)]
pub struct LogReader {
    sources: Vec<Source>,
    options: Options,
    choice: Choice,
    filter: Filter,
}

impl LogReader {
    /// Of these sources, in this order.
    ///
    /// # Errors
    /// If an option is wrong.
    pub fn new(sources: Vec<Source>, options: Options) -> Result<LogReader, Invalid> {
        let choice = Choice::new(options.format.as_deref(), options.user.as_deref())?;
        let filter = Filter::new(&options.only, &options.without)?;
        Ok(LogReader { sources, options, choice, filter })
    }

    /// Reads it all.
    ///
    /// `digest` adds an entry to a batch, in one of several threads. `consume` gets the batches in
    /// the order of the log, in the calling thread; data left in a batch is still there at its next
    /// use. `watch` receives the progress from time to time, at least ten times a second; if it
    /// breaks, reading stops, and consumed entries stay.
    ///
    /// # Errors
    /// If a source cannot be opened, has no known format, or most of its lines are bad.
    ///
    /// # Panics
    /// If one of the functions panics.
    pub fn run<Batch: Default + Send>(
        self,
        digest: impl Fn(&Entry<'_>, &mut Batch) + Sync,
        consume: impl FnMut(&mut Batch),
        watch: impl FnMut(&ReadProgress) -> ControlFlow<()>,
    ) -> Result<Report, LogError> {
        ring::run(self, digest, consume, watch)
    }
}
