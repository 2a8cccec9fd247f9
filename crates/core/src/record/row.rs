//! One attempt at one request, with its whole schedule.

use serde::{Deserialize, Serialize};
use thinktime_file::time::Nanos;

use super::EventTimes;
use crate::attempt::{Attempt, Fate, TokenCounts};
use crate::failure::{Word, read_word};

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
    /// The events of a streamed response.
    #[serde(default)]
    pub events: EventTimes,
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
            events: EventTimes::NONE,
            demand: Nanos::MAX,
        }
    }

    /// From the scheduled time of the request to its first event, if one came.
    #[must_use]
    pub fn first_event(&self) -> Option<Nanos> {
        let scheduled = self.attempt.request_scheduled;
        (self.events.count > 0).then(|| self.events.first.since(scheduled))
    }

    /// The tokens that its response reports, which is complete; 0 if it reports none.
    #[must_use]
    pub fn reported_tokens(&self) -> TokenCounts {
        if self.error.is_none() { self.events.tokens } else { TokenCounts::default() }
    }

    /// The mean time between its events, if at least two came.
    #[must_use]
    pub fn event_gap(&self) -> Option<Nanos> {
        let EventTimes { count, first, last, .. } = self.events;
        (count > 1).then(|| Nanos(last.since(first).0 / u64::from(count - 1)))
    }
}
