//! Parquet as text, read the same way as CSV.

use std::fs::File;
use std::io::{self, Read, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, RecordBatch, types};
use arrow_schema::{DataType, TimeUnit};
use parquet::arrow::arrow_reader::{ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder};

/// The separator of values: no log has it within them.
pub(crate) const PARQUET_SEPARATOR: u8 = 0x1f;
/// The begin, and the end, of each file.
pub(super) const MAGIC: &[u8] = b"PAR1";
/// Rows that are unpacked at once.
const ROWS: usize = 8192;

/// A file's rows as lines; the first one has the names of the columns.
pub(super) struct ParquetText {
    reader: ParquetRecordBatchReader,
    text: Vec<u8>,
    at: usize,
    /// Each row counts as this many bytes of the file's size.
    bytes_a_row: f64,
    stored_bytes: Arc<AtomicU64>,
}

impl ParquetText {
    /// # Errors
    /// If the file is no Parquet, or is damaged.
    pub(super) fn new(file: File, stored_bytes: Arc<AtomicU64>) -> io::Result<ParquetText> {
        let size = file.metadata()?.len();
        let builder = ParquetRecordBatchReaderBuilder::try_new(file).map_err(io::Error::other)?;
        let rows = builder.metadata().file_metadata().num_rows().max(1);
        let mut text = Vec::new();
        for field in builder.schema().fields() {
            add_text(field.name().as_bytes(), &mut text);
            text.push(PARQUET_SEPARATOR);
        }
        text.push(b'\n');
        let reader = builder.with_batch_size(ROWS).build().map_err(io::Error::other)?;
        Ok(ParquetText {
            reader,
            text,
            at: 0,
            bytes_a_row: size as f64 / rows as f64,
            stored_bytes,
        })
    }

    fn add_rows(&mut self, batch: &RecordBatch) {
        self.text.clear();
        self.at = 0;
        let columns: Vec<Column> = batch.columns().iter().map(Column::of).collect();
        for row in 0..batch.num_rows() {
            for column in &columns {
                column.add(row, &mut self.text);
                self.text.push(PARQUET_SEPARATOR);
            }
            self.text.push(b'\n');
        }
        let bytes = (batch.num_rows() as f64 * self.bytes_a_row) as u64;
        self.stored_bytes.fetch_add(bytes, Ordering::Relaxed);
    }
}

impl Read for ParquetText {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.at == self.text.len() {
            match self.reader.next() {
                None => return Ok(0),
                Some(batch) => self.add_rows(&batch.map_err(io::Error::other)?),
            }
        }
        let length = buffer.len().min(self.text.len() - self.at);
        buffer[..length].copy_from_slice(&self.text[self.at..self.at + length]);
        self.at += length;
        Ok(length)
    }
}

/// A column of some rows.
struct Column<'a> {
    array: &'a ArrayRef,
    /// A dictionary's values and the index of each row's value: all of them are made at once.
    dictionary: Option<(&'a ArrayRef, Vec<usize>)>,
}

impl<'a> Column<'a> {
    fn of(array: &'a ArrayRef) -> Column<'a> {
        let dictionary = array.as_any_dictionary_opt().map(|dictionary| {
            let values = dictionary.values();
            // Without any value, all rows are gaps, which have no index.
            let places = if values.is_empty() { Vec::new() } else { dictionary.normalized_keys() };
            (values, places)
        });
        Column { array, dictionary }
    }

    /// Adds the value of a row.
    fn add(&self, row: usize, text: &mut Vec<u8>) {
        match &self.dictionary {
            None => add_value(self.array, row, text),
            Some(_) if self.array.is_null(row) => {}
            Some((values, places)) => add_value(values, places[row], text),
        }
    }
}

/// Adds text, with spaces in place of separators.
fn add_text(value: &[u8], text: &mut Vec<u8>) {
    let ends = |byte: &u8| matches!(*byte, b'\n' | b'\r' | PARQUET_SEPARATOR);
    text.extend(value.iter().map(|byte| if ends(byte) { b' ' } else { *byte }));
}

/// Adds a value; gaps, and values that are neither text nor number, are empty.
fn add_value(column: &ArrayRef, row: usize, text: &mut Vec<u8>) {
    if column.is_null(row) {
        return;
    }
    match column.data_type() {
        DataType::Utf8 => add_text(column.as_string::<i32>().value(row).as_bytes(), text),
        DataType::LargeUtf8 => add_text(column.as_string::<i64>().value(row).as_bytes(), text),
        DataType::Utf8View => add_text(column.as_string_view().value(row).as_bytes(), text),
        DataType::Binary => add_text(column.as_binary::<i32>().value(row), text),
        DataType::LargeBinary => add_text(column.as_binary::<i64>().value(row), text),
        DataType::BinaryView => add_text(column.as_binary_view().value(row), text),
        _ => add_number(column, row, text),
    }
}

fn add_number(column: &ArrayRef, row: usize, text: &mut Vec<u8>) {
    macro_rules! number {
        ($($kind:pat => $number:ident),+ $(,)?) => {
            match column.data_type() {
                $($kind => {
                    // Writing to memory does not fail.
                    let _ = write!(text, "{}", column.as_primitive::<types::$number>().value(row));
                })+
                _ => {}
            }
        };
    }
    number!(
        DataType::Int8 => Int8Type,
        DataType::Int16 => Int16Type,
        DataType::Int32 => Int32Type,
        DataType::Int64 => Int64Type,
        DataType::UInt8 => UInt8Type,
        DataType::UInt16 => UInt16Type,
        DataType::UInt32 => UInt32Type,
        DataType::UInt64 => UInt64Type,
        DataType::Float32 => Float32Type,
        DataType::Float64 => Float64Type,
        // Since 1970, in their unit, which the number of digits shows.
        DataType::Timestamp(TimeUnit::Second, _) => TimestampSecondType,
        DataType::Timestamp(TimeUnit::Millisecond, _) => TimestampMillisecondType,
        DataType::Timestamp(TimeUnit::Microsecond, _) => TimestampMicrosecondType,
        DataType::Timestamp(TimeUnit::Nanosecond, _) => TimestampNanosecondType,
    );
}

#[cfg(test)]
mod tests {
    use arrow_array::{DictionaryArray, Int64Array, StringArray, TimestampMicrosecondArray};
    use parquet::arrow::ArrowWriter;

    use super::*;

    #[test]
    fn rows_become_lines() {
        let column = |array: ArrayRef| array;
        let agents: DictionaryArray<types::Int32Type> = ["a\nb", "c", "c"].into_iter().collect();
        let gaps: DictionaryArray<types::Int32Type> = [None::<&str>; 3].into_iter().collect();
        let batch = RecordBatch::try_from_iter_with_nullable([
            ("ts", column(Arc::new(TimestampMicrosecondArray::from(vec![7, 8, 9]))), false),
            ("url", column(Arc::new(StringArray::from(vec![Some("/ä"), None, Some("")]))), true),
            ("agent", column(Arc::new(agents)), false),
            ("gaps", column(Arc::new(gaps)), true),
            ("bytes", column(Arc::new(Int64Array::from(vec![None, Some(-1), Some(5)]))), true),
        ])
        .unwrap();
        let path = std::env::temp_dir().join(format!("thinktime-{}.parquet", std::process::id()));
        let mut writer =
            ArrowWriter::try_new(File::create(&path).unwrap(), batch.schema(), None).unwrap();
        writer.write(&batch).unwrap();
        writer.close().unwrap();
        let bytes = Arc::new(AtomicU64::new(0));
        let mut text = String::new();
        let file = File::open(&path).unwrap();
        ParquetText::new(file, bytes.clone()).unwrap().read_to_string(&mut text).unwrap();
        let lines: Vec<_> = text.lines().map(|line| line.replace('\x1f', "|")).collect();
        assert_eq!(lines, ["ts|url|agent|gaps|bytes|", "7|/ä|a b|||", "8||c||-1|", "9||c||5|"]);
        let size = std::fs::metadata(&path).unwrap().len();
        assert!(bytes.load(Ordering::Relaxed).abs_diff(size) <= 1);
        std::fs::remove_file(&path).unwrap();
    }
}
