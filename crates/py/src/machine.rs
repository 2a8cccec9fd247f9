//! Schedulers of machines, as files of features.

use pyo3::prelude::*;
use thinktime_core::system::machine::features::{Features, PRESETS, preset};

use crate::errors::invalid;

/// The names of the known operating systems.
#[pyfunction]
pub(crate) fn schedulers() -> Vec<&'static str> {
    PRESETS.iter().map(|(name, _)| *name).collect()
}

/// The file of features of the operating system of this name.
#[pyfunction]
pub(crate) fn scheduler(name: &str) -> PyResult<&'static str> {
    preset(name).map_err(|error| invalid(&error))
}

/// Checks the features in a file's text, and gives them as JSON, with times as text. Tables in the
/// text `changes` replace those of the file.
#[pyfunction]
#[pyo3(signature = (text, changes = ""))]
pub(crate) fn scheduler_features(text: &str, changes: &str) -> PyResult<String> {
    Features::read(text, changes)
        .map(|features| features.to_json())
        .map_err(|error| invalid(&error))
}
