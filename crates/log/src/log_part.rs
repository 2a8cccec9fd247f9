//! Another process's result of reading a log, as bytes.

use std::ops::ControlFlow;

use serde::{Deserialize, Serialize};
use thinktime_core::error::Invalid;

use crate::columns::{Batch, Collector, Digest};
use crate::error::LogError;
use crate::reader::LogReader;
use crate::report::Report;

/// The result of reading some files of a log.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct LogPart {
    /// The files, and the unreadable lines.
    pub report: Report,
    /// The visits, by the pieces in which the files were read.
    batches: Vec<Batch>,
}

impl LogPart {
    /// Reads, and keeps the results of `digest`.
    ///
    /// # Errors
    /// As [`Reading::run`].
    pub fn of(reader: LogReader, digest: Digest) -> Result<LogPart, LogError> {
        let mut batches = Vec::new();
        let report = reader.run(
            |entry, batch: &mut Batch| digest.add(entry, batch),
            |batch| batches.push(std::mem::take(batch)),
            |_| ControlFlow::Continue(()),
        )?;
        Ok(LogPart { report, batches })
    }

    /// For another process.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn to_bytes(&self) -> Result<Vec<u8>, Invalid> {
        postcard::to_stdvec(self).map_err(|error| Invalid::new(error.to_string()))
    }

    /// From another process.
    ///
    /// # Errors
    /// If it is something else.
    pub fn from_bytes(bytes: &[u8]) -> Result<LogPart, Invalid> {
        let wrong = |error| Invalid::new(format!("what was read of a log is damaged: {error}"));
        postcard::from_bytes(bytes).map_err(wrong)
    }

    /// Puts it into columns, after the earlier content; gives its report of the files.
    pub fn into_columns(mut self, columns: &mut Collector) -> Report {
        self.batches.iter_mut().for_each(|batch| columns.take(batch));
        self.report
    }
}
