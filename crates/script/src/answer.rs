//! The answer of a host function to a script.

/// A value, or an error.
pub(crate) type Answer<T> = Result<T, String>;
