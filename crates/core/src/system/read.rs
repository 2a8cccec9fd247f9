//! Reading the tables of a system file.

use std::collections::BTreeSet;

use thinktime_file::error::{Invalid, own_name};
use thinktime_file::schema::{SchemaError, Source};
use thinktime_file::system::SystemFile;

use crate::files::Files;

/// A value, or an error with the key that it is about.
pub(super) type ReadResult<T> = Result<T, (String, Invalid)>;

/// A system file that is being read.
#[derive(Clone, Copy)]
pub(super) struct Reading<'a> {
    pub(super) source: Source<'a>,
    pub(super) file: &'a SystemFile,
    /// Reads the files that it names.
    pub(super) files: &'a dyn Files,
}

impl Reading<'_> {
    /// An error at a key, as in `station.0.name`.
    pub(super) fn error(&self, key: &str, message: impl Into<String>) -> SchemaError {
        self.source.error(key, &Invalid::new(message))
    }

    /// Checks the tables of one kind, whose names must differ.
    pub(super) fn all<Table, Model, Name: Ord>(
        &self,
        kind: &str,
        tables: &[Table],
        read: impl Fn(&Table) -> ReadResult<Model>,
        name: impl Fn(&Model) -> Name,
    ) -> Result<Vec<Model>, SchemaError> {
        let mut names = BTreeSet::new();
        let one = |(at, table)| {
            let place = |key: &str| format!("{kind}.{at}.{key}");
            let one =
                read(table).map_err(|(key, error)| self.source.error(&place(&key), &error))?;
            if names.insert(name(&one)) {
                return Ok(one);
            }
            let key = if kind == "behaviour" { "request" } else { "name" };
            Err(self.error(&place(key), format!("is taken by another {kind}")))
        };
        tables.iter().enumerate().map(one).collect()
    }
}

pub(super) fn at_least_one(key: &str, count: u32) -> ReadResult<u32> {
    if (1..=1_000_000).contains(&count) {
        return Ok(count);
    }
    Err((key.to_owned(), Invalid::new("must be from 1 to 1000000")))
}

pub(super) fn named(name: &str) -> ReadResult<String> {
    own_name(name).map(str::to_owned).map_err(|error| ("name".to_owned(), error))
}
