//! When the events of a streamed response came.

use serde::{Deserialize, Serialize};
use thinktime_file::time::Nanos;

/// When the events of one streamed response came, from the start of the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EventTimes {
    /// Their number.
    pub count: u32,
    /// The first; [`Nanos::MAX`] if none came.
    pub first: Nanos,
    /// The last; [`Nanos::MAX`] if none came.
    pub last: Nanos,
}

impl EventTimes {
    /// No event came.
    pub const NONE: EventTimes = EventTimes { count: 0, first: Nanos::MAX, last: Nanos::MAX };
}

impl Default for EventTimes {
    fn default() -> EventTimes {
        EventTimes::NONE
    }
}
