//! The words for failures of attempts.

mod word;

pub use word::{Word, made_word};
pub(crate) use word::{kept, read_word};

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
/// The word for an attempt that was not sent because the circuit breaker was open.
pub const BREAKER_OPEN: &str = "breaker_open";
/// The word for an attempt that the client gave up because another of its request was answered.
pub const CANCELLED: &str = "cancelled";

/// The word for a request that came to a full queue.
pub const REFUSED: &str = "refused";

/// The word for a request that had waited too long when its turn came.
pub const DROPPED: &str = "dropped";

/// The word for a request that got no connection.
pub const CONNECT_TIMEOUT: &str = "connect_timeout";

/// The word for a request whose server has failed.
pub const RESET: &str = "reset";
