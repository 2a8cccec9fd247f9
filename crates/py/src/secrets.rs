//! Text that must not be shown or written.

use pyo3::prelude::*;

/// Adds the functions to a module.
pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(is_secret, module)?)?;
    module.add_function(wrap_pyfunction!(without_secrets, module)?)
}

/// Whether a header field, a parameter or a key of this name is likely to hold a secret.
#[pyfunction]
fn is_secret(name: &str) -> bool {
    thinktime_core::secrets::is_secret(name)
}

/// A text in its form for display.
#[pyfunction]
fn without_secrets(text: &str) -> String {
    thinktime_core::secrets::without_secrets(text)
}
