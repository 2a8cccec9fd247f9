//! Statements of SQL on their way to a connection.

use std::sync::Arc;

use thinktime_core::request::Sql;

use crate::protocol::postgresql::{Client, StatementId};

/// Statements of SQL with their parameters.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Statements<'a> {
    /// The place of the request's kind among all.
    pub(crate) kind: u32,
    /// Without statements where a program gives these one after another.
    pub(crate) sql: &'a Arc<Sql>,
    /// The parameters, one after another, and where each but the first begins.
    pub(crate) bytes: &'a [u8],
    pub(crate) cuts: &'a [usize],
    /// Which of them are null.
    pub(crate) nulls: &'a [usize],
    /// The place of the first statement among those of the kind that are kept prepared, if it is.
    pub(crate) place: Option<u32>,
}

/// How a transaction goes on whose statements a program gives one after another.
#[derive(Clone, Copy)]
pub(crate) enum Continuation<'a> {
    Statement(&'a Statements<'a>),
    Commit,
    Rollback,
}

/// The same, kept while a connection is about it.
pub(super) struct OwnedStatements {
    kind: u32,
    pub(super) sql: Arc<Sql>,
    /// The place of the first statement among those of its kind that are prepared, if they are.
    place: Option<u32>,
    /// Values one after another, where each but the first begins, and which are null.
    bytes: Vec<u8>,
    cuts: Vec<usize>,
    nulls: Vec<usize>,
}

impl OwnedStatements {
    /// A copy, in the memory of one that is over.
    pub(super) fn new(
        statements: &Statements<'_>,
        over: Option<OwnedStatements>,
    ) -> OwnedStatements {
        let mut owned = over.unwrap_or_else(|| OwnedStatements {
            kind: statements.kind,
            sql: Arc::clone(statements.sql),
            place: None,
            bytes: Vec::new(),
            cuts: Vec::new(),
            nulls: Vec::new(),
        });
        owned.replace(statements);
        owned
    }

    /// Others take the place of these, in the same memory.
    pub(super) fn replace(&mut self, statements: &Statements<'_>) {
        (self.kind, self.place) = (statements.kind, statements.place);
        self.sql.clone_from(statements.sql);
        self.bytes.clear();
        self.bytes.extend_from_slice(statements.bytes);
        self.cuts.clear();
        self.cuts.extend_from_slice(statements.cuts);
        self.nulls.clear();
        self.nulls.extend_from_slice(statements.nulls);
    }

    fn parameter(&self, place: usize) -> Option<&[u8]> {
        if self.nulls.contains(&place) {
            return None;
        }
        let begin = if place == 0 { 0 } else { self.cuts[place - 1] };
        let end = self.cuts.get(place).copied().unwrap_or(self.bytes.len());
        Some(&self.bytes[begin..end])
    }

    /// Runs one of the statements; says how many bytes that takes.
    pub(super) fn execute(&self, place: usize, client: &mut Client, out: &mut Vec<u8>) -> u64 {
        let statement = &self.sql.statements[place];
        let named = |first: u32| StatementId { kind: self.kind, place: first + place as u32 };
        let values = statement.parameters.iter().map(|place| self.parameter(*place));
        client.execute(self.place.map(named), &statement.text, values, out)
    }
}
