//! Why a log cannot be read at all.

use thiserror::Error;

/// A log that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{file}: {reason}")]
pub struct LogError {
    /// The file, or the option.
    pub file: String,
    /// The error, and the valid form.
    pub reason: String,
}

impl LogError {
    pub(crate) fn new(file: impl Into<String>, reason: impl ToString) -> LogError {
        LogError { file: file.into(), reason: reason.to_string() }
    }
}
