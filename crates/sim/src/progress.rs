//! The progress of a simulation, for the one who watches it.

/// The progress of a simulation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SimulationProgress {
    /// Requests that are over, in all replications.
    pub requests: u64,
    /// The virtual time of the replication that reports, in seconds.
    pub time_s: f64,
    /// Requests in its system.
    pub in_system: u64,
}

/// The watcher's decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Control {
    /// Continue.
    Continue,
    /// End here, and keep the result so far.
    Stop,
}
