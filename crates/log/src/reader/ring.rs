//! The threads and the ring between them.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::cutter::{Chunk, Cutter, Note};
use super::parser::{Parsed, parse};
use super::queue::{Popped, Queue};
use super::{LogReader, ReadProgress};
use crate::entry::Entry;
use crate::error::LogError;
use crate::filter::Filter;
use crate::report::Report;
use crate::source::{Source, Tracking};
use crate::time::Clock;

/// The time between two calls of `watch` while nothing arrives.
const WATCH_EVERY: Duration = Duration::from_millis(100);

/// The messages between the threads.
struct Ring<Batch> {
    empty: Arc<Queue<Vec<u8>>>,
    full: Arc<Queue<Chunk>>,
    parsed: Queue<Parsed<Batch>>,
    batches: Mutex<Vec<Batch>>,
    /// The number of threads that still parse.
    parsing: AtomicUsize,
}

/// Ends all waiting, also when its thread panics.
struct EndGuard<'r, Batch>(&'r Ring<Batch>);

impl<Batch> Drop for EndGuard<'_, Batch> {
    fn drop(&mut self) {
        self.0.empty.close();
        self.0.full.abandon();
        self.0.parsed.close();
    }
}

impl<Batch: Default> Ring<Batch> {
    /// For this many parsing threads. Each has two buffers, so that it need not wait for the next
    /// one, and two more are being filled.
    fn new(threads: usize) -> Ring<Batch> {
        let empty = Queue::new();
        for _ in 0..2 * threads + 2 {
            empty.push(Vec::new());
        }
        Ring {
            empty: Arc::new(empty),
            full: Arc::new(Queue::new()),
            parsed: Queue::new(),
            batches: Mutex::new(Vec::new()),
            parsing: AtomicUsize::new(threads),
        }
    }

    fn used_batches(&self) -> MutexGuard<'_, Vec<Batch>> {
        self.batches.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The work of a parsing thread.
    fn parse_all(&self, filter: &Filter, digest: &(impl Fn(&Entry<'_>, &mut Batch) + Sync)) {
        let if_panicking = EndGuard(self);
        let mut clock = Clock::default();
        while let Some(chunk) = self.full.pop() {
            let mut batch = self.used_batches().pop().unwrap_or_default();
            let report = parse(&chunk, &mut clock, filter, digest, &mut batch);
            self.parsed.push(Parsed { chunk, batch, report });
        }
        // The other threads may still have work.
        std::mem::forget(if_panicking);
        if self.parsing.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.parsed.close();
        }
    }
}

/// The state of the calling thread.
struct Consumer<Consume, Watch> {
    consume: Consume,
    watch: Watch,
    report: Report,
    progress: ReadProgress,
    tracking: Tracking,
}

/// See [`Reading::run`].
pub(super) fn run<Batch: Default + Send>(
    reader: LogReader,
    digest: impl Fn(&Entry<'_>, &mut Batch) + Sync,
    consume: impl FnMut(&mut Batch),
    watch: impl FnMut(&ReadProgress) -> ControlFlow<()>,
) -> Result<Report, LogError> {
    let threads = reader.options.threads.get();
    let filter = reader.filter.clone();
    let ring = Ring::new(threads);
    let tracking = Tracking::default();
    let stored_bytes_total = reader.sources.iter().map(Source::stored_bytes).sum();
    let progress = ReadProgress { stored_bytes_total, ..ReadProgress::default() };
    start_cutter(reader, &ring, &tracking);
    let report = Report::default();
    let stopped = tracking.stopped.clone();
    let consumer = Consumer { consume, watch, report, progress, tracking };
    let result = std::thread::scope(|scope| {
        let ending = EndGuard(&ring);
        let parse = || ring.parse_all(&filter, &digest);
        let parsers: Vec<_> = (0..threads).map(|_| scope.spawn(parse)).collect();
        let result = consumer.all(&ring);
        drop(ending);
        for parser in parsers {
            if let Err(panic) = parser.join() {
                std::panic::resume_unwind(panic);
            }
        }
        result
    });
    // A followed file is watched until then.
    stopped.store(true, Ordering::Relaxed);
    result
}

/// Starts the reading thread. Nobody waits for it, because nothing wakes it from reading a terminal
/// or a pipe.
fn start_cutter<Batch>(reader: LogReader, ring: &Ring<Batch>, tracking: &Tracking) {
    let LogReader { sources, options, choice, .. } = reader;
    let cutter = Cutter {
        choice,
        chunk_bytes: options.chunk_bytes.get(),
        tracking: tracking.clone(),
        empty: ring.empty.clone(),
        full: ring.full.clone(),
        number: 0,
    };
    std::thread::spawn(move || cutter.all(sources, options.follow));
}

impl<Consume, Watch: FnMut(&ReadProgress) -> ControlFlow<()>> Consumer<Consume, Watch> {
    /// Consumes all chunks in their order.
    fn all<Batch: Default>(mut self, ring: &Ring<Batch>) -> Result<Report, LogError>
    where
        Consume: FnMut(&mut Batch),
    {
        let mut early = BTreeMap::new();
        let mut next = 0;
        loop {
            match ring.parsed.pop_within(WATCH_EVERY) {
                Popped::Item(parsed) => {
                    early.insert(parsed.chunk.number, parsed);
                }
                Popped::Nothing => {}
                Popped::Closed => return Ok(self.report),
            }
            while let Some(parsed) = early.remove(&next) {
                next += 1;
                self.one(parsed, ring)?;
            }
            if self.ask_watch().is_break() {
                self.report.stopped = true;
                return Ok(self.report);
            }
        }
    }

    /// Consumes one chunk, and returns its buffer.
    fn one<Batch>(&mut self, parsed: Parsed<Batch>, ring: &Ring<Batch>) -> Result<(), LogError>
    where
        Batch: Default,
        Consume: FnMut(&mut Batch),
    {
        let Parsed { chunk, mut batch, report: mut part } = parsed;
        self.progress.bytes += part.bytes;
        self.progress.entries += part.entries;
        if part.entries > 0 {
            (self.consume)(&mut batch);
        }
        ring.used_batches().push(batch);
        if !chunk.buffer.is_empty() {
            ring.empty.push(chunk.buffer);
        }
        if let Some(Note::Begin(file)) = &chunk.note {
            self.report.files.push((**file).clone());
        }
        let Some(file) = self.report.files.last_mut() else {
            return match chunk.note {
                Some(Note::Failed(error)) => Err(error),
                _ => Ok(()),
            };
        };
        self.progress.bad_lines += part.bad_lines();
        file.append(&mut part);
        match chunk.note {
            Some(Note::Bad(reason, shown)) => {
                self.progress.bad_lines += 1;
                file.lines += 1;
                file.add_bad(reason, file.lines, &shown);
                Ok(())
            }
            Some(Note::End) => file.check(),
            Some(Note::Failed(error)) => Err(error),
            Some(Note::Begin(..)) | None => Ok(()),
        }
    }

    fn ask_watch(&mut self) -> ControlFlow<()> {
        self.progress.stored_bytes = self.tracking.stored_bytes.load(Ordering::Relaxed);
        (self.watch)(&self.progress)
    }
}
