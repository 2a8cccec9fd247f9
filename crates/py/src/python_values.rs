//! Values of the compiled half as dicts, lists, texts and numbers of Python.

use pyo3::prelude::*;
use serde::Serialize;

use crate::errors::InputError;

/// A value with the names that it has in files.
pub(crate) fn plain<'py, T: Serialize>(py: Python<'py>, value: &T) -> PyResult<Bound<'py, PyAny>> {
    let text = serde_json::to_string(value);
    let text = text.map_err(|error| InputError::new_err(error.to_string()))?;
    py.import("json")?.call_method1("loads", (text,))
}
