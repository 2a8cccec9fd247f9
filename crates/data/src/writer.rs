//! Rows on their way to a file or to memory. A thread of their own writes them, so that neither the
//! simulation nor the event loop of a real run waits for compression.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use arrow_array::RecordBatch;
use thinktime_core::error::Invalid;
use thinktime_core::record::{Row, RowSink, RunProgress};

use crate::DataError;
use crate::checkpoint::save;
use crate::figure_files::write_figures;
use crate::figures::Figures;
use crate::journal::{Journal, ROWS_PER_GROUP};
use crate::rows::{Labels, RowTable};

/// Which rows are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowSelection {
    /// All.
    All,
    /// The rows of one session in this many, chosen by the session's number.
    OneIn(u64),
    /// None.
    None,
}

/// The number of rows kept by default.
const ROWS_KEPT: f64 = 1e6;

impl RowSelection {
    /// From `all`, `none` or `1/N` of the sessions. Without a text, all rows, or a share that keeps
    /// about a million of the expected ones.
    ///
    /// # Errors
    /// If the text is none of these.
    pub fn parse(word: Option<&str>, expected: f64) -> Result<RowSelection, Invalid> {
        match word {
            None if expected > ROWS_KEPT => {
                Ok(RowSelection::OneIn((expected / ROWS_KEPT).ceil() as u64))
            }
            None | Some("all") => Ok(RowSelection::All),
            Some("none") => Ok(RowSelection::None),
            Some(other) => match other.strip_prefix("1/").and_then(|share| share.parse().ok()) {
                Some(share) if share > 0 => Ok(RowSelection::OneIn(share)),
                _ => Err(Invalid::new(format!(
                    "`{other}` does not say which rows to keep: `all`, `none`, or `1/N` of the \
                     sessions"
                ))),
            },
        }
    }

    fn selects(self, row: &Row) -> bool {
        match self {
            RowSelection::All => true,
            RowSelection::None => false,
            // Multiplying spreads neighbouring numbers (Knuth, TAOCP 3, 6.4).
            RowSelection::OneIn(share) => {
                let spread = row.attempt.session.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
                spread.is_multiple_of(share.max(1))
            }
        }
    }
}

/// As [`RowSelection::parse`] reads it.
impl std::fmt::Display for RowSelection {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            RowSelection::All => out.write_str("all"),
            RowSelection::None => out.write_str("none"),
            RowSelection::OneIn(share) => write!(out, "1/{share}"),
        }
    }
}

/// The batches kept in memory, or the reason why the file could not be written.
type Written = Result<Vec<RecordBatch>, DataError>;

enum Message {
    Rows(Vec<Row>),
    RunProgress(Box<RunProgress>),
}

/// Takes rows and hands them to the writing thread.
#[derive(Debug)]
pub struct RowWriter {
    keep: RowSelection,
    /// Whether the writing thread also sees the rows that are not kept.
    sees_all: bool,
    buffer: Vec<Row>,
    sender: Option<SyncSender<Message>>,
    thread: Option<JoinHandle<Written>>,
    /// When figures are next requested; never, if nobody would write them.
    next_look: Option<Instant>,
}

/// Rows handed over at once.
const ROWS_PER_MESSAGE: usize = 1024;
/// Messages that may wait. A full queue blocks a simulation; a real run fills it only if the disk
/// stands still for several seconds.
const MESSAGES_MAX: usize = 512;
/// The time between two checkpoints, from which rows can be read after a crash. With their
/// duration, and the tenth of a second that rows may wait before, it is less than a second.
const EVERY: Duration = Duration::from_millis(700);
/// A checkpoint takes at most one part in this many of the time.
const SHARE: u32 = 50;

#[expect(clippy::disallowed_methods, reason = "when to save depends on it, and no result does")]
fn now() -> Instant {
    Instant::now()
}

impl RowWriter {
    /// Writes the kept rows to a result directory, with checkpoints against a crash. Without
    /// `figures` the driver supplies them.
    ///
    /// # Errors
    /// If the file cannot be created.
    pub(crate) fn to_directory(
        path: &Path,
        labels: Labels,
        keep: RowSelection,
        figures: Option<Figures>,
    ) -> Result<RowWriter, DataError> {
        let names = labels.clone();
        let journal = Journal::create(path, labels)?;
        let directory = path.to_owned();
        let (sees_all, next_look) = (figures.is_some(), figures.is_none().then(|| now() + EVERY));
        let recorder = Recorder { directory, labels: names, journal, keep, figures };
        let writer = RowWriter::start(keep, move |messages| recorder.record(&messages));
        Ok(RowWriter { sees_all, next_look, ..writer })
    }

    /// Keeps the kept rows in memory as record batches.
    #[must_use]
    pub fn to_memory(labels: Labels, keep: RowSelection) -> RowWriter {
        let table = RowTable::new(labels);
        RowWriter::start(keep, move |messages| Ok(batches(&messages, &table)))
    }

    fn start(
        keep: RowSelection,
        work: impl FnOnce(Receiver<Message>) -> Written + Send + 'static,
    ) -> RowWriter {
        let (sender, receiver) = sync_channel(MESSAGES_MAX);
        let thread = std::thread::spawn(move || work(receiver));
        RowWriter {
            keep,
            sees_all: false,
            buffer: Vec::new(),
            sender: Some(sender),
            thread: Some(thread),
            next_look: None,
        }
    }

    fn hand_over(&mut self) {
        let room = (2 * self.buffer.len()).min(ROWS_PER_MESSAGE);
        let rows = std::mem::replace(&mut self.buffer, Vec::with_capacity(room));
        self.send(Message::Rows(rows));
    }

    fn send(&mut self, message: Message) {
        if let Some(sender) = &self.sender
            && sender.send(message).is_err()
        {
            // The writer has failed; `finish` says why.
            self.sender = None;
        }
    }

    /// Waits until everything is written; gives the batches kept in memory.
    ///
    /// # Errors
    /// If the file could not be written.
    ///
    /// # Panics
    /// If the writing thread panicked.
    pub fn finish(mut self) -> Result<Vec<RecordBatch>, DataError> {
        self.hand_over();
        self.sender = None;
        let thread = self.thread.take().expect("a writer is finished once");
        thread.join().expect("the writing thread does not panic")
    }
}

impl RowSink for RowWriter {
    #[inline]
    fn row(&mut self, row: &Row) {
        if self.sees_all || self.keep.selects(row) {
            self.buffer.push(*row);
            if self.buffer.len() == ROWS_PER_MESSAGE {
                self.hand_over();
            }
        }
    }

    fn flush(&mut self) {
        if !self.buffer.is_empty() {
            self.hand_over();
        }
    }

    fn look(&mut self, so_far: &dyn Fn() -> RunProgress) {
        let began = now();
        if self.next_look.is_some_and(|at| began >= at) {
            self.flush();
            self.send(Message::RunProgress(Box::new(so_far())));
            self.next_look = Some(next_after(began));
        }
    }
}

fn next_after(began: Instant) -> Instant {
    let ended = now();
    began + EVERY.max((ended - began) * SHARE)
}

/// The state of the writing thread of a result directory.
struct Recorder {
    directory: PathBuf,
    labels: Labels,
    journal: Journal,
    keep: RowSelection,
    figures: Option<Figures>,
}

impl Recorder {
    fn record(mut self, messages: &Receiver<Message>) -> Written {
        let mut due = now() + EVERY;
        loop {
            match messages.recv_timeout(due.saturating_duration_since(now())) {
                Ok(Message::Rows(rows)) => rows.into_iter().try_for_each(|row| self.take(row))?,
                Ok(Message::RunProgress(so_far)) => {
                    let (summary, collector) = (&so_far.summary, &so_far.collector);
                    let write = |at: &Path| write_figures(at, summary, collector, &self.labels);
                    save(&mut self.journal, false, &self.directory, write)?;
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
            let began = now();
            if began >= due {
                self.save()?;
                due = next_after(began);
            }
        }
        self.journal.close()?;
        Ok(Vec::new())
    }

    fn take(&mut self, row: Row) -> Result<(), DataError> {
        if let Some(figures) = &mut self.figures {
            figures.take(&row);
        }
        if self.keep.selects(&row) { self.journal.add(row) } else { Ok(()) }
    }

    fn save(&mut self) -> Result<(), DataError> {
        let (journal, labels) = (&mut self.journal, &self.labels);
        let Some(figures) = self.figures.as_ref().filter(|figures| figures.any()) else {
            return journal.save(self.figures.is_some());
        };
        let (summary, collector) = (figures.summary(), figures.collector());
        save(journal, true, &self.directory, |at| write_figures(at, &summary, collector, labels))
    }
}

fn batches(messages: &Receiver<Message>, table: &RowTable) -> Vec<RecordBatch> {
    let mut rows: Vec<Row> = Vec::new();
    let mut batches = Vec::new();
    for message in messages {
        let Message::Rows(some) = message else { continue };
        for row in some {
            rows.push(row);
            if rows.len() == ROWS_PER_GROUP {
                batches.push(table.batch(&rows));
                rows.clear();
            }
        }
    }
    if !rows.is_empty() {
        batches.push(table.batch(&rows));
    }
    batches
}
