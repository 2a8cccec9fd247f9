//! The words for what goes wrong with attempts.

/// The word for an attempt that the client gave up.
pub const TIMEOUT: &str = "timeout";
/// The word for an attempt whose response had a status of 400 or more.
pub const STATUS: &str = "status";
/// The word for an attempt that had not been answered when the run ended.
pub const UNANSWERED: &str = "unanswered";
/// The word for an attempt that was answered, but too late for the client.
pub const LATE: &str = "late";
/// The word for an attempt that was not sent because too many waited already.
pub const UNSENT: &str = "too_many_waiting";
