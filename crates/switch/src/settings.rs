//! Limits and times, each with what holds where nobody says.

use std::time::Duration;

/// The largest head of a request, in bytes, and the most fields that it has.
pub(crate) const HEAD_BYTES_MAX: usize = 32 * 1024;
pub(crate) const FIELDS_MAX: usize = 100;

/// How long a switch waits, and how much it takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Threads that forward; at least 1.
    pub threads: usize,
    /// Client connections at a time; others wait to be accepted.
    pub connections_max: usize,
    /// The most bytes of a request's body.
    pub body_bytes_max: u64,
    /// Requests that may wait at the switch because the policy lets them.
    pub waiting_max: usize,
    /// How long each of them may wait.
    pub wait: Duration,
    /// How long a client may take for a request's head, and between requests.
    pub client: Duration,
    /// How long connecting to a server may take.
    pub connect: Duration,
    /// How long a server may take until its response begins.
    pub first_byte: Duration,
    /// How long a body may stand still, in either direction.
    pub idle: Duration,
    /// How often a request that may be repeated is tried on another server.
    pub retries: u32,
    /// After so many failures one after another a server gets no requests for a while.
    pub failures: u32,
    /// That while.
    pub closed_for: Duration,
    /// How long requests in progress may take when the switch ends.
    pub drain: Duration,
    /// Whether what clients say of those before them is believed (`Forwarded`, `X-Forwarded-For`).
    pub behind_proxy: bool,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            threads: 1,
            connections_max: 10_000,
            body_bytes_max: 64 << 20,
            waiting_max: 1000,
            wait: Duration::from_secs(30),
            client: Duration::from_secs(60),
            connect: Duration::from_secs(2),
            first_byte: Duration::from_secs(60),
            idle: Duration::from_secs(30),
            retries: 1,
            failures: 3,
            closed_for: Duration::from_secs(10),
            drain: Duration::from_secs(10),
            behind_proxy: false,
        }
    }
}
