//! Statements of SQL on their way to a connection.

use std::sync::Arc;

use thinktime_core::workload::Sql;

/// Statements of SQL with their parameters.
#[derive(Clone, Copy, Debug)]
pub(in crate::generator) struct Asking<'a> {
    /// The place of the request's kind among all.
    pub(in crate::generator) kind: u32,
    /// Without statements where a program gives these one after another.
    pub(in crate::generator) sql: &'a Arc<Sql>,
    /// The parameters, one after another, and where each but the first begins.
    pub(in crate::generator) bytes: &'a [u8],
    pub(in crate::generator) cuts: &'a [usize],
    /// Which of them are null.
    pub(in crate::generator) nulls: &'a [usize],
    /// The place of the first statement among those of the kind that are kept prepared, if it is.
    pub(in crate::generator) place: Option<u32>,
}

/// How a transaction goes on whose statements a program gives one after another.
#[derive(Clone, Copy)]
pub(in crate::generator) enum Proceeding<'a> {
    Statement(&'a Asking<'a>),
    Commit,
    Rollback,
}
