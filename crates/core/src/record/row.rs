//! One attempt at one request, with its whole schedule.

use serde::{Deserialize, Serialize};
use thinktime_file::time::Nanos;

use super::{Collector, Summary};
use crate::attempt::{Attempt, Fate, Page};
use crate::failure::{Word, read_word};
use crate::program::CheckCounts;

/// One attempt. Times run from the start of the run.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// Which replication, from 0; a real run has one.
    pub replication: u32,
    /// Session, request, attempt, kind and scheduled times.
    pub attempt: Attempt,
    /// Whether the request is over with this attempt.
    pub fate: Fate,
    /// When it was sent; [`Nanos::MAX`] if it never was.
    pub sent: Nanos,
    /// When the first byte of the response came; [`Nanos::MAX`] if it never did.
    pub first_byte: Nanos,
    /// When it ended, by its last byte, an error or its timeout.
    pub done: Nanos,
    /// The protocol's status; 0 if it has none.
    pub status: u16,
    /// The error, as a short fixed word; `None` for a success.
    #[serde(deserialize_with = "read_word")]
    pub error: Option<Word>,
    /// Bytes sent and received.
    pub bytes_sent: u64,
    /// Bytes received; in a simulation the size of the response, if requests have one.
    pub bytes_received: u64,
    /// Rows that a database returned.
    #[serde(default)]
    pub rows: u32,
    /// The last station that served it, by its number among
    /// [`SystemModel::station_labels`](crate::system::SystemModel::station_labels); `u32::MAX` if
    /// the system is a real one.
    pub station: u32,
    /// The server's own time, from the response's `Server-Timing`; [`Nanos::MAX`] if the response
    /// has none, or the system is modelled.
    pub server_time: Nanos,
    /// The service demand it brought; [`Nanos::MAX`] if it is not known.
    pub demand: Nanos,
}

impl Row {
    /// A row with only its attempt and its end.
    #[inline(always)]
    #[must_use]
    pub fn ended(attempt: Attempt, fate: Fate, done: Nanos) -> Row {
        Row {
            replication: 0,
            attempt,
            fate,
            sent: Nanos::MAX,
            first_byte: Nanos::MAX,
            done,
            status: 0,
            error: None,
            bytes_sent: 0,
            bytes_received: 0,
            rows: 0,
            station: u32::MAX,
            server_time: Nanos::MAX,
            demand: Nanos::MAX,
        }
    }
}

/// Takes the rows of a run one by one, in the order in which attempts end.
pub trait RowSink {
    /// Takes one row.
    fn row(&mut self, row: &Row);

    /// Whether it uses the bytes of rows, which take time to find.
    fn wants_bytes(&self) -> bool {
        true
    }

    /// Takes a page that has ended, after the row of its last request.
    fn page(&mut self, _page: &Page) {}

    /// Reports once a second how often checks have held so far, if objectives of checks may end the
    /// run.
    fn checks(&mut self, _so_far: &CheckCounts) {}

    /// Called several times a second: the sink now sends the rows that wait in it.
    fn flush(&mut self) {}

    /// Called several times a second by drivers that collect figures: the sink may ask for the
    /// figures so far, which costs milliseconds.
    fn look(&mut self, _so_far: &dyn Fn() -> RunProgress) {}
}

/// The figures of a run that has not ended yet.
#[derive(Clone, Debug)]
pub struct RunProgress {
    /// The figures if it ended now.
    pub summary: Summary,
    /// Everything collected.
    pub collector: Collector,
}

/// Keeps nothing.
impl RowSink for () {
    fn row(&mut self, _row: &Row) {}

    fn wants_bytes(&self) -> bool {
        false
    }
}

/// Keeps all rows in memory.
impl RowSink for Vec<Row> {
    fn row(&mut self, row: &Row) {
        self.push(*row);
    }
}
