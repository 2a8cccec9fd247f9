//! Replications that are done elsewhere: in other processes, on other machines.

use thinktime_core::time::Nanos;

/// A place for replications elsewhere.
pub trait RemoteReplications: Send {
    /// Starts all replications, with a warm-up that ends then, and with their rows or without, by
    /// [`replicate_as_bytes`](crate::replicate_as_bytes).
    fn begin(&mut self, warmup: Nanos, rows: bool);

    /// The replications done since the last call; it returns after some tenths of a second at the
    /// latest.
    fn next(&mut self) -> RemoteReplication;
}

/// The state of those replications.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RemoteReplication {
    /// The result of the replication of this number.
    Done(u32, Vec<u8>),
    /// No further one is done.
    NothingYet,
    /// No more will come.
    End,
}
