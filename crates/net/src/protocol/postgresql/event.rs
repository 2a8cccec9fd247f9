//! The events of a connection, and the names of statements.

use thinktime_core::failure::Word;

/// A received event.
#[derive(Debug, PartialEq, Eq)]
pub enum Event {
    /// Statements can be sent.
    Ready,
    /// A row begins to arrive, or has arrived if rows are kept.
    Row,
    /// The answer to the sent statement has ended.
    Over {
        /// Its size in bytes: all messages with their headers.
        bytes: u64,
        /// The word for the server's error, if any.
        error: Option<Word>,
    },
}

/// Names a statement on all connections.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct StatementId {
    /// Its owner.
    pub kind: u32,
    /// Its index among those of the same kind.
    pub place: u32,
}
