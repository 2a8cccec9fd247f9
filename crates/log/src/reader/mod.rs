//! The driver: one thread reads and unpacks, several take lines apart, the caller's takes what
//! they found in the log's order.
//!
//! Memory is bounded because the work goes round in a ring: a fixed number of buffers is filled
//! by the reading thread, read by the parsing threads, and given back by the caller's.

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

/// How logs are read.
#[derive(Clone, Debug)]
pub struct Options {
    /// The format: a name of [`FORMATS`](crate::FORMATS), perhaps with an argument after a colon
    /// as in `csv:time=ts,address=ip`, or a bare LogFormat or log_format. Found by itself for each
    /// file where none is named.
    pub format: Option<String>,
    /// The field that tells the user, in the format's own name for it, as in `$http_x_user`,
    /// `cs-username` or `request.headers.X-User`.
    pub user: Option<String>,
    /// How many threads take lines apart. Reading has one more, and the caller's consumes.
    pub threads: NonZero<usize>,
    /// How many bytes go to a thread at once.
    pub chunk_bytes: NonZero<usize>,
    /// Which entries are taken, as in `path=/shop/*`, `host=shop.example.com`, `status=5xx`,
    /// `method=GET` or `time=2026-11-22T10:00..2026-11-22T12:00`. Several of one kind are
    /// alternatives; of each kind that is given one must hold.
    pub only: Vec<String>,
    /// Which entries are left out: those that match any of these.
    pub without: Vec<String>,
    /// Whether the last source is still being written: it is then read as it grows, until `watch`
    /// says to stop.
    pub follow: bool,
}

/// Small enough for the second-level cache of a core, large enough that threads rarely meet.
const CHUNK_BYTES: NonZero<usize> = NonZero::new(512 << 10).expect("it is not zero");

impl Default for Options {
    /// The format found, as many threads as cores, nothing followed.
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

/// How far the reading has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReadProgress {
    /// Bytes read so far, as they are stored.
    pub stored_bytes: u64,
    /// The size of all sources as they are stored, where it is known.
    pub stored_bytes_total: Option<u64>,
    /// Bytes consumed so far, unpacked.
    pub bytes: u64,
    /// Entries consumed so far.
    pub entries: u64,
    /// Bad lines so far.
    pub bad_lines: u64,
}

/// Logs that are to be read, one after another.
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
    /// When an option is wrong.
    pub fn new(sources: Vec<Source>, options: Options) -> Result<LogReader, Invalid> {
        let choice = Choice::new(options.format.as_deref(), options.user.as_deref())?;
        let filter = Filter::new(&options.only, &options.without)?;
        Ok(LogReader { sources, options, choice, filter })
    }

    /// Reads it all.
    ///
    /// `digest` adds an entry to a batch, in one of several threads. `consume` gets the batches
    /// in the order of the log, in the calling thread; what it leaves in a batch is still there
    /// when the batch is used again. `watch` is told from time to time, at least ten times a
    /// second, how far it has come; where it breaks, the reading stops, and what was consumed
    /// stays.
    ///
    /// # Errors
    /// When a source cannot be opened, has no format that is known, or most of its lines are bad.
    ///
    /// # Panics
    /// When one of the functions does.
    pub fn run<Batch: Default + Send>(
        self,
        digest: impl Fn(&Entry<'_>, &mut Batch) + Sync,
        consume: impl FnMut(&mut Batch),
        watch: impl FnMut(&ReadProgress) -> ControlFlow<()>,
    ) -> Result<Report, LogError> {
        ring::run(self, digest, consume, watch)
    }
}
