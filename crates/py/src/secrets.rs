//! What must not be shown or written.

use pyo3::prelude::*;

/// Whether a header field, a parameter or a key of this name is likely to hold a secret.
#[pyfunction]
pub(crate) fn is_secret(name: &str) -> bool {
    thinktime_data::is_secret(name)
}

/// A text as it may be shown.
#[pyfunction]
pub(crate) fn without_secrets(text: &str) -> String {
    thinktime_data::without_secrets(text)
}
