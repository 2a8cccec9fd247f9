//! Limits and times, each with its default.

use std::time::Duration;

/// The largest head of a request, in bytes, and its most fields.
pub(crate) const HEAD_BYTES_MAX: usize = 32 * 1024;
pub(crate) const FIELDS_MAX: usize = 100;

/// The timeouts and limits of a switch.
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
    /// The longest wait of each.
    pub wait: Duration,
    /// The longest time for a client's request head, and between requests.
    pub client: Duration,
    /// The longest time to connect to a server.
    pub connect: Duration,
    /// The longest time until a server's response begins.
    pub first_byte: Duration,
    /// The longest idle time of a body, in either direction.
    pub idle: Duration,
    /// How often a repeatable request is tried on another server.
    pub retries: u32,
    /// After this many consecutive failures a server gets no requests for a while.
    pub failures: u32,
    /// The length of that while.
    pub closed_for: Duration,
    /// The longest time for requests in progress when the switch ends.
    pub drain: Duration,
    /// Whether the fields about earlier hops are trusted (`Forwarded`, `X-Forwarded-For`).
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
