//! What is counted of visits: which page follows which, what is asked for and how it is answered,
//! how long users think, and how soon a thing is asked for again.
//!
//! All of it is one pass, or two, over columns; what is made of the counts is Python's.

mod answers;
mod asked;
mod reuse;
mod steps;
#[cfg(test)]
mod tests;
mod thinks;

pub use answers::{Answers, answers};
pub use asked::{Asked, Members};
pub use reuse::{Reuse, reuse};
pub use steps::{Pages, Steps, steps};
pub use thinks::{Thinks, thinks};
use thiserror::Error;

/// Columns that are not those of one log.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct Misfit(String);

/// Whether all columns have so many rows.
fn same_lengths(rows: usize, lengths: &[usize]) -> Result<(), Misfit> {
    if lengths.iter().all(|length| *length == rows) {
        return Ok(());
    }
    Err(Misfit(format!("columns of {rows} and of {lengths:?} rows do not go together")))
}

/// Whether all numbers are from `least` to below `end`.
fn within(what: &str, numbers: &[i32], least: i32, end: usize) -> Result<(), Misfit> {
    let wrong = |number: &&i32| {
        **number < least || usize::try_from(**number).is_ok_and(|place| place >= end)
    };
    match numbers.iter().find(wrong) {
        None => Ok(()),
        Some(number) => {
            Err(Misfit(format!("{what} {number} is not among those from {least} to below {end}")))
        }
    }
}
