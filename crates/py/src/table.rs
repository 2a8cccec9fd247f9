//! Arrow tables, handed over by the PyCapsule interface.

use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, StructArray};
use arrow_schema::Field;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use pyo3_arrow::ffi::{ArrayIterator, to_stream_pycapsule};

use crate::errors::InputError;

/// A table that polars, pandas, pyarrow and duckdb read without a copy.
#[pyclass(frozen, module = "thinktime")]
pub(crate) struct Table {
    batches: Vec<RecordBatch>,
}

impl Table {
    /// None without a batch.
    pub(crate) fn new(batches: Vec<RecordBatch>) -> Option<Table> {
        (!batches.is_empty()).then_some(Table { batches })
    }

    /// A table of one batch.
    pub(crate) fn of(batch: RecordBatch) -> Table {
        Table { batches: vec![batch] }
    }

    /// A table of columns of one length.
    pub(crate) fn of_columns(columns: Vec<(&str, ArrayRef)>) -> PyResult<Table> {
        let batch = RecordBatch::try_from_iter(columns);
        batch.map(Table::of).map_err(|error| InputError::new_err(error.to_string()))
    }
}

#[pymethods]
impl Table {
    /// The number of rows.
    fn __len__(&self) -> usize {
        self.batches.iter().map(RecordBatch::num_rows).sum()
    }

    /// The names of the columns.
    #[getter]
    fn column_names(&self) -> Vec<String> {
        let schema = self.batches[0].schema();
        schema.fields().iter().map(|field| field.name().clone()).collect()
    }

    /// The Arrow PyCapsule interface: a stream of record batches.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyCapsule>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let schema = self.batches[0].schema();
        let structs = self.batches.clone().into_iter().map(|batch| {
            let array: ArrayRef = Arc::new(StructArray::from(batch));
            Ok(array)
        });
        let field = Arc::new(Field::new_struct("", schema.fields().clone(), false));
        let reader = Box::new(ArrayIterator::new(structs, field));
        Ok(to_stream_pycapsule(py, reader, requested_schema)?)
    }
}
