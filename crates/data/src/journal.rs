//! `requests.parquet` during writing, so that a crash loses little of it.
//!
//! A Parquet file can be read only by its footer, which comes last. So from time to time the
//! current footer is written to a file of its own. The rows that fill no row group yet go to
//! another one, which can be read up to its last complete part. The rows alone decide the bytes of
//! `requests.parquet`; neither time nor crash does.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

use arrow_array::RecordBatch;
use arrow_ipc::reader::StreamReader;
use arrow_ipc::writer::StreamWriter;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder,
};
use parquet::arrow::{ArrowWriter, add_encoded_arrow_schema_to_metadata};
use parquet::file::metadata::{
    FileMetaData, ParquetMetaData, ParquetMetaDataReader, ParquetMetaDataWriter,
};
use thinktime_core::record::Row;

use crate::files::{FOOTER, REQUESTS, TAIL};
use crate::parquet_properties::properties;
use crate::partial::{remove_if_there, write_atomically};
use crate::rows::RowTable;
use crate::{DataError, Labels};

/// Rows of one row group of the file.
pub(crate) const ROWS_PER_GROUP: usize = 1 << 16;

pub(crate) struct Journal {
    directory: PathBuf,
    table: RowTable,
    writer: ArrowWriter<File>,
    /// Rows of no row group yet.
    pending: Vec<Row>,
    /// The number of all rows.
    rows: u64,
    /// The number of them in the tail.
    saved: usize,
    /// The number of row groups in the footer.
    groups: usize,
    tail: Option<StreamWriter<File>>,
}

impl Journal {
    pub(crate) fn create(directory: &Path, labels: Labels) -> Result<Journal, DataError> {
        let path = directory.join(REQUESTS);
        let file = File::create(&path).map_err(|error| DataError::new(&path, error))?;
        let table = RowTable::new(labels);
        let writer = ArrowWriter::try_new(file, table.schema(), Some(properties()))
            .map_err(|error| DataError::new(&path, error))?;
        Ok(Journal {
            directory: directory.to_owned(),
            table,
            writer,
            pending: Vec::with_capacity(ROWS_PER_GROUP),
            rows: 0,
            saved: 0,
            groups: 0,
            tail: None,
        })
    }

    pub(crate) fn add(&mut self, row: Row) -> Result<(), DataError> {
        self.pending.push(row);
        self.rows += 1;
        if self.pending.len() == ROWS_PER_GROUP { self.write_group() } else { Ok(()) }
    }

    /// The number of rows so far.
    pub(crate) fn rows(&self) -> u64 {
        self.rows
    }

    fn write_group(&mut self) -> Result<(), DataError> {
        let batch = self.table.batch(&self.pending);
        let written = self.writer.write(&batch).and_then(|()| self.writer.flush());
        (self.saved, self.pending) = (0, Vec::with_capacity(ROWS_PER_GROUP));
        written.map_err(|error| DataError::new(self.directory.join(REQUESTS), error))
    }

    /// Makes the rows so far safe against a crash; `to_disk` also against the end of the machine.
    pub(crate) fn save(&mut self, to_disk: bool) -> Result<(), DataError> {
        let groups = self.writer.flushed_row_groups().len();
        if groups > self.groups {
            self.write_footer(to_disk)?;
            remove_if_there(&self.tail_path())
                .map_err(|error| DataError::new(self.tail_path(), error))?;
            (self.groups, self.saved, self.tail) = (groups, 0, None);
        }
        if self.saved < self.pending.len() {
            let path = self.tail_path();
            self.write_tail(to_disk).map_err(|error| DataError::new(path, error))?;
        }
        Ok(())
    }

    fn write_footer(&mut self, to_disk: bool) -> Result<(), DataError> {
        let rows = self.directory.join(REQUESTS);
        self.writer.sync().map_err(|error| DataError::new(&rows, error))?;
        if to_disk {
            self.writer.inner().sync_data().map_err(|error| DataError::new(&rows, error))?;
        }
        let path = self.directory.join(FOOTER);
        let groups = self.writer.flushed_row_groups().to_vec();
        let count = groups.iter().map(|group| group.num_rows()).sum();
        let schema = groups[0].schema_descr_ptr();
        let mut with_schema = properties();
        add_encoded_arrow_schema_to_metadata(&self.table.schema(), &mut with_schema);
        let keys = with_schema.key_value_metadata().cloned();
        let file = FileMetaData::new(1, count, None, keys, schema, None);
        let mut bytes = Vec::new();
        ParquetMetaDataWriter::new(&mut bytes, &ParquetMetaData::new(file, groups))
            .finish()
            .map_err(|error| DataError::new(&path, error))?;
        write_atomically(&path, &bytes).map_err(|error| DataError::new(&path, error))
    }

    fn write_tail(&mut self, to_disk: bool) -> Result<(), arrow_schema::ArrowError> {
        let batch = self.table.batch(&self.pending[self.saved..]);
        let tail = match &mut self.tail {
            Some(tail) => tail,
            none => {
                let path = self.directory.join(format!("{TAIL}{}", self.groups));
                let file = File::create(path)?;
                none.insert(StreamWriter::try_new(file, &self.table.schema())?)
            }
        };
        tail.write(&batch)?;
        tail.get_mut().flush()?;
        if to_disk {
            tail.get_ref().sync_data()?;
        }
        self.saved = self.pending.len();
        Ok(())
    }

    fn tail_path(&self) -> PathBuf {
        self.directory.join(format!("{TAIL}{}", self.groups))
    }

    /// Writes the rest and the footer, and removes the files for a crash.
    pub(crate) fn close(mut self) -> Result<(), DataError> {
        if !self.pending.is_empty() {
            self.write_group()?;
        }
        let tail = self.tail_path();
        let path = self.directory.join(REQUESTS);
        self.writer.close().map_err(|error| DataError::new(&path, error))?;
        let remove =
            |path: &Path| remove_if_there(path).map_err(|error| DataError::new(path, error));
        remove(&self.directory.join(FOOTER))?;
        remove(&tail)
    }
}

/// Hands on the rows of a journal that was never closed; gives their number.
///
/// # Errors
/// If a file is damaged in an unexpected place, or `take` fails.
pub(crate) fn read_leftover(
    directory: &Path,
    mut take: impl FnMut(&RecordBatch) -> Result<(), DataError>,
) -> Result<usize, DataError> {
    let (footer, rows) = (directory.join(FOOTER), directory.join(REQUESTS));
    let (mut groups, mut count) = (0, 0);
    if let Ok(bytes) = fs::read(&footer) {
        let fail = |error| DataError::new(&footer, error);
        let bytes = bytes::Bytes::from(bytes);
        let metadata = ParquetMetaDataReader::new().parse_and_finish(&bytes).map_err(fail)?;
        groups = metadata.num_row_groups();
        let metadata = ArrowReaderMetadata::try_new(metadata.into(), ArrowReaderOptions::new());
        let file = File::open(&rows).map_err(|error| DataError::new(&rows, error))?;
        let reader =
            ParquetRecordBatchReaderBuilder::new_with_metadata(file, metadata.map_err(fail)?)
                .with_batch_size(ROWS_PER_GROUP)
                .build()
                .map_err(|error| DataError::new(&rows, error))?;
        for batch in reader {
            let batch = batch.map_err(|error| DataError::new(&rows, error))?;
            count += batch.num_rows();
            take(&batch)?;
        }
    }
    // The last batch may be cut off.
    let tail = File::open(directory.join(format!("{TAIL}{groups}"))).ok();
    let tail = tail.and_then(|file| StreamReader::try_new(file, None).ok());
    for batch in tail.into_iter().flatten().map_while(Result::ok) {
        count += batch.num_rows();
        take(&batch)?;
    }
    Ok(count)
}
