//! Values from Python: seeds.

use pyo3::prelude::*;

use crate::errors::InputError;

/// The seed of random choices: a whole number of 64 bits.
pub(crate) fn seed_of(given: &Bound<'_, PyAny>) -> PyResult<u64> {
    let wrong = || format!("a seed is a whole number from 0 to {}, not {given}", u64::MAX);
    given.extract().map_err(|_: PyErr| InputError::new_err(wrong()))
}
