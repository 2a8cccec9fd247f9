//! Replications that are done somewhere else: in other processes, on other machines.

use thinktime_core::time::Nanos;

/// Somewhere else.
pub trait RemoteReplications: Send {
    /// All replications are to be done, with a warm-up that ends then, and with their rows or
    /// without, by [`replicate_as_bytes`](crate::replicate_as_bytes).
    fn begin(&mut self, warmup: Nanos, rows: bool);

    /// What has been done since; it comes after some tenths of a second at the latest.
    fn next(&mut self) -> Found;
}

/// What there is of those replications.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// What the replication of this number came to.
    Done(u32, Vec<u8>),
    /// None is done since.
    NothingYet,
    /// No more comes.
    End,
}
