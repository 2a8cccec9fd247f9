//! When a client sends a copy of a request that has no answer yet, checked.

use thinktime_file::error::Invalid;
use thinktime_file::time::Nanos;
use thinktime_file::workload::HedgeTable;

use super::timeout::time_of;

/// The largest number of copies of one attempt.
const MOST: u32 = 100;

/// When copies of an attempt are sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hedge {
    /// The wait before each copy, more than [`Nanos::ZERO`].
    pub after: Nanos,
    /// The largest number of copies of an attempt, at least 1.
    pub most: u32,
}

impl Hedge {
    pub(super) fn from_table(table: Option<&HedgeTable>) -> Result<Option<Hedge>, Invalid> {
        let Some(table) = table else { return Ok(None) };
        let after = time_of(Some(&table.after));
        let after = after.map_err(|error| Invalid::new(format!("`after`: {error}")))?;
        match table.most.unwrap_or(1) {
            most @ 1..=MOST => Ok(Some(Hedge { after, most })),
            most => Err(Invalid::new(format!("`most` must be from 1 to {MOST}, not {most}"))),
        }
    }
}
