//! Counts of visits: which page follows which, which paths are requested and how they are answered,
//! and how long users think.
//!
//! Each count takes one pass, or two, over columns; Python draws the conclusions.

mod answers;
mod kinds;
mod steps;
#[cfg(test)]
mod tests;
mod think_times;

pub use answers::{Answers, answers};
pub use kinds::{KindColumns, Members};
pub use steps::{Pages, Steps, steps};
pub use think_times::{ThinkTimes, think_times};
use thiserror::Error;

/// Columns that do not belong to one log.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct ColumnMismatch(String);

/// Whether all columns have this many rows.
fn same_lengths(rows: usize, lengths: &[usize]) -> Result<(), ColumnMismatch> {
    if lengths.iter().all(|length| *length == rows) {
        return Ok(());
    }
    Err(ColumnMismatch(format!("columns of {rows} and of {lengths:?} rows do not go together")))
}

/// Whether all numbers are from `least` to below `end`.
fn within(what: &str, numbers: &[i32], least: i32, end: usize) -> Result<(), ColumnMismatch> {
    let wrong = |number: &&i32| {
        **number < least || usize::try_from(**number).is_ok_and(|place| place >= end)
    };
    match numbers.iter().find(wrong) {
        None => Ok(()),
        Some(number) => Err(ColumnMismatch(format!(
            "{what} {number} is not among those from {least} to below {end}"
        ))),
    }
}
