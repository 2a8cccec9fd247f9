//! Values from Python: times with units, seeds.

use pyo3::prelude::*;
use thinktime_core::units::parse_time;

use crate::errors::{InputError, invalid};

/// The seed of random choices: a whole number of 64 bits.
pub(crate) fn seed_of(given: &Bound<'_, PyAny>) -> PyResult<u64> {
    let wrong = || format!("a seed is a whole number from 0 to {}, not {given}", u64::MAX);
    given.extract().map_err(|_: PyErr| InputError::new_err(wrong()))
}

/// A time from Python: `"250ms"`, or a number of seconds.
#[derive(FromPyObject)]
pub(crate) enum Time {
    Seconds(f64),
    Text(String),
}

impl Time {
    pub(crate) fn seconds(&self) -> PyResult<f64> {
        let text = match self {
            Time::Seconds(seconds) => seconds.to_string(),
            Time::Text(text) => text.clone(),
        };
        parse_time(&text).map_err(|error| invalid(&error))
    }
}
