//! SQL as programs want it sent.

use std::rc::Rc;

use crate::request::Call;

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
