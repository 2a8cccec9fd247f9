//! SQL as programs send it.

use std::rc::Rc;

use crate::request::Call;

/// The next step of a transaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TransactionStep {
    /// This statement.
    Statement(Rc<Call>),
    /// It ends with a commit.
    Commit,
    /// It ends with a rollback.
    Rollback,
}
