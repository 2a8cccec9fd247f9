//! What a connection says to its user, and the names of statements.

use thinktime_core::failure::Word;

/// What came.
#[derive(Debug, PartialEq, Eq)]
pub enum Event {
    /// Statements can be sent.
    Ready,
    /// A row begins to come, or has come where rows are kept.
    Row,
    /// The answer is over to what was sent.
    Over {
        /// Its size in bytes: all messages with their headers.
        bytes: u64,
        /// The word for what the server did not do, if so.
        error: Option<Word>,
    },
}

/// Names a statement on all connections.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct StatementId {
    /// Whose it is.
    pub kind: u32,
    /// Its place among those of the same kind.
    pub place: u32,
}
