//! Rows on their way to a file or to memory, written by a thread of its own, so that neither the
//! simulation nor the event loop of a real run waits for compression.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;

use arrow_array::RecordBatch;
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::WriterProperties;
use thinktime_core::record::{Row, RowSink};

use crate::DataError;
use crate::rows::{Labels, RowTable};

/// Which rows are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keep {
    /// All.
    All,
    /// Those of one session in so many, chosen by the session's number.
    OneIn(u64),
    /// None.
    None,
}

impl Keep {
    fn keeps(self, row: &Row) -> bool {
        match self {
            Keep::All => true,
            Keep::None => false,
            // Multiplying spreads neighbouring numbers (Knuth, TAOCP 3, 6.4).
            Keep::OneIn(share) => {
                let spread = row.attempt.session.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
                spread.is_multiple_of(share.max(1))
            }
        }
    }
}

/// The batches kept in memory, or why the file could not be written.
type Written = Result<Vec<RecordBatch>, DataError>;

/// Takes rows and writes them elsewhere.
#[derive(Debug)]
pub struct RowWriter {
    keep: Keep,
    buffer: Vec<Row>,
    sender: Option<SyncSender<Vec<Row>>>,
    thread: Option<JoinHandle<Written>>,
}

/// Rows handed over at once.
const ROWS_PER_MESSAGE: usize = 1024;
/// Messages that may wait. A simulation then waits for the writer; a real run fills it only
/// when the disk stands still for several seconds.
const MESSAGES_MAX: usize = 512;
/// Rows of one batch, and of one row group of the file.
const ROWS_PER_BATCH: usize = 1 << 16;

impl RowWriter {
    /// Writes the kept rows to a Parquet file.
    ///
    /// # Errors
    /// When the file cannot be made.
    pub fn to_file(path: &Path, labels: Labels, keep: Keep) -> Result<RowWriter, DataError> {
        let file = File::create(path).map_err(|error| DataError::new(path, error))?;
        let table = RowTable::new(labels);
        let writer = ArrowWriter::try_new(file, table.schema(), Some(properties()))
            .map_err(|error| DataError::new(path, error))?;
        let path = path.to_owned();
        Ok(RowWriter::start(keep, move |rows| write_all(&path, writer, &table, &rows)))
    }

    /// Keeps the kept rows in memory as record batches.
    #[must_use]
    pub fn to_memory(labels: Labels, keep: Keep) -> RowWriter {
        let table = RowTable::new(labels);
        RowWriter::start(keep, move |rows| {
            let mut batches = Vec::new();
            for_each_batch(&rows, &table, |batch| {
                batches.push(batch);
                Ok(())
            })?;
            Ok(batches)
        })
    }

    fn start(
        keep: Keep,
        work: impl FnOnce(Receiver<Vec<Row>>) -> Written + Send + 'static,
    ) -> RowWriter {
        let (sender, receiver) = sync_channel(MESSAGES_MAX);
        let thread = std::thread::spawn(move || work(receiver));
        RowWriter { keep, buffer: Vec::new(), sender: Some(sender), thread: Some(thread) }
    }

    fn hand_over(&mut self) {
        let rows = std::mem::replace(&mut self.buffer, Vec::with_capacity(ROWS_PER_MESSAGE));
        if let Some(sender) = &self.sender
            && sender.send(rows).is_err()
        {
            // The writer has failed; `finish` says why.
            self.sender = None;
        }
    }

    /// Waits until everything is written; gives the batches kept in memory.
    ///
    /// # Errors
    /// When the file could not be written.
    ///
    /// # Panics
    /// When the writing thread did.
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
        if self.keep.keeps(row) {
            self.buffer.push(*row);
            if self.buffer.len() == ROWS_PER_MESSAGE {
                self.hand_over();
            }
        }
    }
}

/// Nothing but the rows decides the bytes of the file.
pub(crate) fn properties() -> WriterProperties {
    WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::try_new(1).expect("1 is a valid level")))
        .set_created_by(format!("thinktime {}", env!("CARGO_PKG_VERSION")))
        .build()
}

fn write_all(
    path: &Path,
    mut writer: ArrowWriter<File>,
    table: &RowTable,
    rows: &Receiver<Vec<Row>>,
) -> Result<Vec<RecordBatch>, DataError> {
    let error = |error: parquet::errors::ParquetError| DataError::new(PathBuf::from(path), error);
    for_each_batch(rows, table, |batch| {
        writer.write(&batch).map_err(error)?;
        writer.flush().map_err(error)
    })?;
    writer.close().map_err(error)?;
    Ok(Vec::new())
}

fn for_each_batch(
    messages: &Receiver<Vec<Row>>,
    table: &RowTable,
    mut take: impl FnMut(RecordBatch) -> Result<(), DataError>,
) -> Result<(), DataError> {
    let mut rows: Vec<Row> = Vec::with_capacity(ROWS_PER_BATCH);
    for message in messages {
        for row in message {
            rows.push(row);
            if rows.len() == ROWS_PER_BATCH {
                take(table.batch(&rows))?;
                rows.clear();
            }
        }
    }
    if rows.is_empty() { Ok(()) } else { take(table.batch(&rows)) }
}
