//! Rust's errors as Python's: one for wrong input, one for runs that failed.

use pyo3::create_exception;
use pyo3::exceptions::{PyException, PyKeyboardInterrupt, PyValueError};
use pyo3::prelude::*;
use thinktime_core::error::Invalid;
use thinktime_core::schema::SchemaError;
use thinktime_data::DataError;
use thinktime_sim::SimulationError;

create_exception!(
    _core,
    InputError,
    PyValueError,
    "The input is wrong; the message names file, line and what would be right."
);
create_exception!(_core, RunError, PyException, "The run failed.");
create_exception!(_core, UnreachableError, RunError, "The target cannot be reached at all.");

/// Adds the errors to a module.
pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("InputError", module.py().get_type::<InputError>())?;
    module.add("RunError", module.py().get_type::<RunError>())?;
    module.add("UnreachableError", module.py().get_type::<UnreachableError>())
}

/// An error in words, without the operating system's number of it.
pub(crate) fn words(error: impl std::fmt::Display) -> String {
    let text = error.to_string();
    match text.strip_suffix(')').and_then(|text| text.rsplit_once(" (os error ")) {
        Some((words, number)) if number.bytes().all(|byte| byte.is_ascii_digit()) => words.into(),
        _ => text,
    }
}

/// A server cannot listen at a place, as in a port that another one has.
pub(crate) fn address_error(at: &str, error: &std::io::Error) -> PyErr {
    use std::io::ErrorKind;
    let remedy = match error.kind() {
        ErrorKind::AddrInUse => ": name another port, or 0 for a free one",
        ErrorKind::AddrNotAvailable => ": name an address of this machine, as in 127.0.0.1:0",
        ErrorKind::PermissionDenied => ": name a port from 1024 on",
        _ => "",
    };
    RunError::new_err(format!("cannot listen on {at}: {}{remedy}", words(error)))
}

pub(crate) fn invalid(error: &Invalid) -> PyErr {
    InputError::new_err(words(error))
}

pub(crate) fn schema(error: &SchemaError) -> PyErr {
    InputError::new_err(words(error))
}

/// What is wrong with this value of a key. If it spoils another key, that one is named, too: a
/// largest number below the least one is wrong at the least one.
pub(crate) fn of_value(key: &str, text: &str, error: &SchemaError) -> PyErr {
    let wrong = error.key.rsplit("].").next().unwrap_or(&error.key);
    let its_own = wrong.is_empty() || format!("{key}.").contains(&format!("{wrong}."));
    let place = if its_own { String::new() } else { format!("{wrong}: ") };
    invalid(&Invalid::new(format!("{key} = {text}: {place}{}", error.message)))
}

pub(crate) fn data(error: &DataError) -> PyErr {
    InputError::new_err(words(error))
}

/// The input is valid, but a result cannot be written.
pub(crate) fn unwritten(error: &DataError) -> PyErr {
    RunError::new_err(words(error))
}

pub(crate) fn simulation(error: &SimulationError) -> PyErr {
    match error {
        SimulationError::Interrupted => PyKeyboardInterrupt::new_err(()),
        wrong => InputError::new_err(words(wrong)),
    }
}

pub(crate) fn generator(error: &thinktime_net::generator::RunError) -> PyErr {
    use thinktime_net::generator::RunError as Failed;
    match error {
        Failed::Invalid(error) => invalid(error),
        Failed::Unreachable { .. } => UnreachableError::new_err(words(error)),
        Failed::System(_) => RunError::new_err(words(error)),
    }
}
