//! Why a log cannot be read at all.

use thiserror::Error;

/// A log that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{file}: {reason}")]
pub struct LogError {
    /// Which file, or which option.
    pub file: String,
    /// What is wrong with it, and what would be right.
    pub reason: String,
}

impl LogError {
    pub(crate) fn new(file: impl Into<String>, reason: impl ToString) -> LogError {
        LogError { file: file.into(), reason: reason.to_string() }
    }
}
