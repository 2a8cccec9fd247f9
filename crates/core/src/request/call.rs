//! A request as whoever composes it wants it sent.

use std::sync::Arc;

use super::{Expect, Method, Sql};

/// A request as a program wants it sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// The method.
    pub method: Method,
    /// The target; begins with a slash. Empty with [`Method::Send`].
    pub target: String,
    /// Further header fields.
    pub headers: Vec<(String, String)>,
    /// The body, or what is sent; empty for none.
    pub body: Vec<u8>,
    /// Where further messages begin in what is sent, if it is several.
    pub cuts: Vec<usize>,
    /// Whether it is sent as a binary message, where a protocol tells those from texts.
    pub binary: bool,
    /// With [`Method::Send`]: when the answer is complete, if not as the workload's request says.
    pub expect: Option<Expect>,
    /// Of the call of gRPC of the workload's request: whose message it brings.
    pub grpc: Option<MessageOf>,
    /// With [`Method::Sql`]: the statement, whose parameters are the body; or the transaction.
    pub sql: Option<SqlCall>,
}

/// Whose message a call of gRPC brings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MessageOf {
    /// The program's own.
    Program,
    /// The one that the workload has, with its draws and values.
    Workload,
}

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
