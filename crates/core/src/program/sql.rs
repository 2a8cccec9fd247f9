//! SQL as programs want it sent.

use std::rc::Rc;
use std::sync::Arc;

use super::Call;
use crate::workload::Sql;

/// A statement of a program's, or a transaction whose statements it gives one after another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SqlCall {
    /// The one statement; or how the transaction begins, and no statement.
    pub sql: Arc<Sql>,
    /// Names the statement among those of the program; nothing for one that is not kept prepared.
    pub place: Option<u32>,
    /// Which of the parameters are null.
    pub nulls: Vec<usize>,
    /// How many attempts are made at most where one fails because it could not be serialised, or
    /// was ended to break a deadlock; at least 1. A `retry` of the workload's goes before.
    pub attempts: u32,
}

impl SqlCall {
    /// Whether its program gives the statements one after another.
    #[must_use]
    pub fn is_transaction(&self) -> bool {
        self.sql.statements.is_empty()
    }

    /// Whether an attempt of this number that failed by this word is made again.
    #[must_use]
    pub fn covers(&self, attempt: u32, error: Option<&str>) -> bool {
        // SQLSTATE of serialization_failure and deadlock_detected.
        attempt < self.attempts && matches!(error, Some("sqlstate_40001" | "sqlstate_40P01"))
    }
}

/// What a transaction does next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TransactionStep {
    /// This statement.
    Statement(Rc<Call>),
    /// It ends, and what was done holds.
    Commit,
    /// It ends, and what was done is undone.
    Rollback,
}
