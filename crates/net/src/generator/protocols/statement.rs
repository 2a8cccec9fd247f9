//! Statements of SQL for a connection.

use std::sync::Arc;

use thinktime_core::request::Sql;

use crate::protocol::postgresql::{Client, StatementId};

/// Statements of SQL with their parameters.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Statements<'a> {
    /// The index of the request's kind among all.
    pub(crate) kind: u32,
    /// Empty if a program gives the statements one after another.
    pub(crate) sql: &'a Arc<Sql>,
    /// The parameters, one after another, and where each but the first begins.
    pub(crate) bytes: &'a [u8],
    pub(crate) cuts: &'a [usize],
    /// The null parameters.
    pub(crate) nulls: &'a [usize],
    /// The index of the first statement among the kind's prepared ones, if it is prepared.
    pub(crate) place: Option<u32>,
}

/// The next step of a transaction whose statements a program gives one after another.
#[derive(Clone, Copy)]
pub(crate) enum Continuation<'a> {
    Statement(&'a Statements<'a>),
    Commit,
    Rollback,
}

/// The same, kept while a connection works on it.
pub(super) struct OwnedStatements {
    kind: u32,
    pub(super) sql: Arc<Sql>,
    /// The index of the first statement among its kind's prepared ones, if prepared.
    place: Option<u32>,
    /// Values one after another, the beginning of each but the first, and the null ones.
    bytes: Vec<u8>,
    cuts: Vec<usize>,
    nulls: Vec<usize>,
}

impl OwnedStatements {
    /// A copy, in the memory of one that has ended.
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

    /// Replaces these by others, in the same memory.
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

    /// Runs one of the statements.
    pub(super) fn execute(&self, place: usize, client: &mut Client, out: &mut Vec<u8>) {
        let statement = &self.sql.statements[place];
        let named = |first: u32| StatementId { kind: self.kind, place: first + place as u32 };
        let values = statement.parameters.iter().map(|place| self.parameter(*place));
        client.execute(self.place.map(named), &statement.text, values, out);
    }
}
