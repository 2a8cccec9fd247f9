//! One column of a Parquet file as numbers, for traces.

use std::fs;
use std::path::Path;

use arrow_array::cast::AsArray;
use arrow_array::types::Float64Type;
use arrow_array::{Array, ArrayRef, PrimitiveArray};
use arrow_schema::DataType;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use thinktime_core::column::Column;

use crate::DataError;

/// The numbers of a column; of the first one, if no name is given. Nulls at its end are left out,
/// so that columns of several lengths fit into one file.
///
/// # Errors
/// If the file cannot be read, has no such column, or the column holds anything but numbers, or has
/// a null before one.
pub fn read_column(path: &Path, column: Option<&str>) -> Result<Column, DataError> {
    let fail = |reason: String| DataError::new(path, reason);
    let file = fs::File::open(path).map_err(|error| DataError::new(path, error))?;
    let builder = ParquetRecordBatchReaderBuilder::try_new(file)
        .map_err(|error| fail(format!("is no Parquet file, or a damaged one ({error})")))?;
    let names: Vec<String> =
        builder.schema().fields().iter().map(|field| field.name().clone()).collect();
    let place = match column {
        None => 0,
        Some(name) => names
            .iter()
            .position(|other| other == name)
            .ok_or_else(|| fail(format!("has no column `{name}`; it has {}", names.join(", "))))?,
    };
    let (mut numbers, mut ended) = (Vec::new(), false);
    for batch in builder.build().map_err(|error| DataError::new(path, error))? {
        let batch = batch.map_err(|error| DataError::new(path, error))?;
        let column = batch.column(place);
        let length = length_without_end(column).filter(|length| !(ended && *length > 0));
        let part = length.and_then(|length| as_numbers(&column.slice(0, length)));
        numbers.extend(part.ok_or_else(|| {
            fail(format!("the column `{}` holds no numbers, or gaps", names[place]))
        })?);
        ended |= column.null_count() > 0;
    }
    Ok(Column { name: names.get(place).cloned(), numbers, are_stamps: false })
}

/// The number of values before the nulls at the end; nothing if a null stands before a value.
fn length_without_end(column: &ArrayRef) -> Option<usize> {
    let length = column.len() - column.null_count();
    (0..length).all(|at| column.is_valid(at)).then_some(length)
}

fn as_numbers(column: &ArrayRef) -> Option<Vec<f64>> {
    macro_rules! numbers {
        ($($data_type:ident => $number:ident),+) => {
            match column.data_type() {
                DataType::Float64 => {
                    Some(column.as_primitive::<Float64Type>().values().to_vec())
                }
                $(DataType::$data_type => {
                    let array: &PrimitiveArray<arrow_array::types::$number> = column.as_primitive();
                    Some(array.values().iter().map(|value| *value as f64).collect())
                })+
                _ => None,
            }
        };
    }
    numbers!(
        Float32 => Float32Type, Int64 => Int64Type, Int32 => Int32Type, Int16 => Int16Type,
        UInt64 => UInt64Type, UInt32 => UInt32Type, UInt16 => UInt16Type
    )
}
