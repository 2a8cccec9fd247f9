//! The shared state of a session's children.

/// The shared state of a session's children.
#[derive(Debug)]
pub(crate) struct Family {
    /// The number of the first of their functions among all that the session had.
    pub(crate) first: u64,
    pub(crate) count: usize,
    /// Functions that have begun.
    pub(crate) taken: usize,
    /// Children that have not ended.
    pub(crate) alive: usize,
    pub(crate) failure: Option<String>,
    /// Whether the session ends with them.
    pub(crate) ends: bool,
}
