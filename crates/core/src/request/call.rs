//! A request as its composer wants it sent.

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
    /// The body, or the message; empty if there is no body.
    pub body: Vec<u8>,
    /// The beginnings of further messages, if there are several.
    pub cuts: Vec<usize>,
    /// Whether it is sent as a binary message, if a protocol has binary messages and texts.
    pub binary: bool,
    /// With [`Method::Send`]: when the answer is complete, if this differs from the workload's
    /// request.
    pub expect: Option<Expect>,
    /// For the call of gRPC of the workload's request: the source of its message.
    pub grpc: Option<MessageOf>,
    /// With [`Method::Sql`]: the statement, whose parameters are the body; or the transaction.
    pub sql: Option<SqlCall>,
}

/// The source of the message of a gRPC call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MessageOf {
    /// The program's own.
    Program,
    /// The workload's, with its draws and values.
    Workload,
}

/// A program's statement, or a transaction whose statements the program gives one after another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SqlCall {
    /// The one statement; or how the transaction begins, and no statement.
    pub sql: Arc<Sql>,
    /// Identifies the statement among those of the program; `None` if it is not kept prepared.
    pub place: Option<u32>,
    /// Which of the parameters are null.
    pub nulls: Vec<usize>,
    /// The most attempts if one fails because it could not be serialised, or was ended to break a
    /// deadlock; at least 1. A `retry` of the workload's takes precedence.
    pub attempts: u32,
}

impl SqlCall {
    /// Whether its program gives the statements one after another.
    #[must_use]
    pub fn is_transaction(&self) -> bool {
        self.sql.statements.is_empty()
    }

    /// Whether an attempt of this number that failed by this word is repeated.
    #[must_use]
    pub fn covers(&self, attempt: u32, error: Option<&str>) -> bool {
        // SQLSTATE of serialization_failure and deadlock_detected.
        attempt < self.attempts && matches!(error, Some("sqlstate_40001" | "sqlstate_40P01"))
    }
}
