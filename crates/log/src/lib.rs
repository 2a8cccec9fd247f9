//! Access logs, read at great speed: what was asked for, when, and by whom.
//!
//! A [`Reading`] takes [`Source`]s (files, plain or compressed, or standard input), finds the
//! format of each, and calls a function for every [`Entry`], in several threads but with results
//! in the log's order. Lines that cannot be read never end the work: the [`Report`] counts them
//! by [`Reason`].

pub mod columns;
mod entry;
mod error;
mod field;
mod filter;
pub mod fits;
mod formats;
pub mod journeys;
mod layout;
mod number;
pub mod places;
mod reading;
mod reason;
mod report;
pub mod sessions;
mod source;
mod text;
mod time;
mod told;
pub mod visits;

pub use entry::{Entry, Text};
pub use error::LogError;
pub use formats::{FORMATS, Known};
pub use reading::{Options, Reading, ReadingProgress};
pub use reason::Reason;
pub use report::{BadLines, FileReport, Report};
pub use source::Source;
pub use told::Told;
