//! A fast reader of access logs: which user requested which path, and when.
//!
//! A [`Reading`] takes [`Source`]s (files, plain or compressed, or standard input), detects the
//! format of each, and calls a function for every [`Entry`], in several threads but with results in
//! the log's order. Unreadable lines never end the work: the [`Report`] counts them by [`Reason`].

pub mod columns;
mod entry;
mod error;
mod field;
mod filter;
pub mod fits;
mod formats;
pub mod journeys;
mod layout;
mod log_part;
mod number;
pub mod ordering;
mod reader;
mod reason;
mod report;
mod source;
mod text;
mod time;
pub mod visits;

pub use entry::{Entry, Text};
pub use error::LogError;
pub use formats::{FORMATS, FormatEntry};
pub use log_part::LogPart;
pub use reader::{LogReader, Options, ReadProgress};
pub use reason::Reason;
pub use report::{BadLines, FileReport, Report};
pub use source::{DEVICE, Source, is_device};
